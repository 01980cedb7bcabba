// Bytes of lines that follow each other: read as text, joined to one write, and where each of them then stands.

export interface Place {
  /** Bytes from the beginning of the file. */
  offset: number;
  /** Bytes, without the newline. */
  length: number;
}

const NEWLINE = 0x0a;
const utf8 = new TextDecoder("utf-8", { ignoreBOM: true });

/** The text of bytes that are UTF-8; undefined where something is broken, or looks like what stands for it. */
export function wholeText(bytes: Uint8Array): string | undefined {
  const text = utf8.decode(bytes);
  return text.includes("\ufffd") ? undefined : text;
}

/** Bytes that are decoded together: room for a long text costs thirty times as much a character as for a short one. */
const TEXT_BYTES = 32 * 1024;

/** The lines of UTF-8 bytes, without their newlines; a last one that is empty is none. */
export function* textLines(bytes: Uint8Array): Generator<string, void, undefined> {
  if (bytes.length === 0) return;
  const end = bytes.at(-1) === NEWLINE ? bytes.length - 1 : bytes.length;
  for (let from = 0; from <= end; ) {
    let to = from + TEXT_BYTES < end ? bytes.lastIndexOf(NEWLINE, from + TEXT_BYTES) : end;
    if (to < from) to = bytes.indexOf(NEWLINE, from);
    if (to < 0) to = end;
    yield* utf8.decode(bytes.subarray(from, to)).split("\n");
    from = to + 1;
  }
}

/** The parts one behind the other; as they are where they stand so already. */
export function joinBytes(parts: readonly Uint8Array[]): Uint8Array {
  const [first] = parts;
  if (first === undefined) return new Uint8Array(0);
  let length = 0;
  let isJoined = true;
  for (const part of parts) {
    if (part.buffer !== first.buffer || part.byteOffset !== first.byteOffset + length) isJoined = false;
    length += part.length;
  }
  if (isJoined) return new Uint8Array(first.buffer, first.byteOffset, length);
  const whole = new Uint8Array(length);
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
