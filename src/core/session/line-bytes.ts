// Bytes of lines that follow each other: read as text, joined to one write, and where each of them then stands.

export interface Place {
  /** Bytes from the beginning of the file. */
  offset: number;
  /** Bytes, without the newline. */
  length: number;
}

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of bytes that are plain ASCII, so that places in one are places in the other; undefined for all others. */
export function asciiText(bytes: Uint8Array): string | undefined {
  const text = utf8.decode(bytes);
  // As many characters as bytes, and none that stands for a broken one.
  return text.length === bytes.length && !text.includes("\ufffd") ? text : undefined;
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
