// Bytes of lines that follow each other: joined to one write, and where each of them then stands.

export interface Place {
  /** Bytes from the beginning of the file. */
  offset: number;
  /** Bytes, without the newline. */
  length: number;
}

/** The parts one behind the other; a single one as it is. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Where lines, each with its newline, stand once they are written at `start`. */
export function placesOf(lines: readonly Uint8Array[], start: number): Place[] {
  let offset = start;
  return lines.map((line) => {
    const place = { offset, length: line.length - 1 };
    offset += line.length;
    return place;
  });
}
