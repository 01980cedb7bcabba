// Text files as they are: line endings, byte-order mark, and what is not text.
import type { FileSystem } from "../ports.ts";

/** Larger files are not loaded whole. */
export const MAX_TEXT_FILE_BYTES = 20 * 1024 * 1024;

export interface TextFile {
  text: string;
  bom: boolean;
  mode?: number;
}

/** True for bytes that are no text: a NUL, or an invalid UTF-8 sequence that is not merely cut at the end. */
export function looksBinary(bytes: Uint8Array, cutAtEnd: boolean): boolean {
  if (bytes.includes(0)) return true;
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes, { stream: cutAtEnd });
    return false;
  } catch {
    return true;
  }
}

/** Reads a regular text file. Throws with a message that says what is there instead. */
export async function readTextFile(fs: FileSystem, path: string, shown: string): Promise<TextFile> {
  const stat = await fs.stat(path);
  if (stat === undefined) throw new Error(`There is no file ${shown}.`);
  if (stat.kind === "directory") throw new Error(`${shown} is a folder. Use ls to list it.`);
  if (stat.kind !== "file") throw new Error(`${shown} is not a regular file.`);
  if (stat.size > MAX_TEXT_FILE_BYTES) throw new Error(`${shown} is too large to change (${stat.size} bytes).`);
  const bytes = await fs.readFile(path);
  if (looksBinary(bytes, false)) throw new Error(`${shown} is not a text file.`);
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  return { text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bom ? bytes.subarray(3) : bytes), bom };
}

/** Bytes of a text, with its byte-order mark if it had one. */
export function encodeText(text: string, bom: boolean): Uint8Array {
  return new TextEncoder().encode(bom ? `\ufeff${text}` : text);
}
