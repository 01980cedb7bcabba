// Entries that stand on one line because the writer before was cut off and the next one did not see it (reports 19).
import type { SessionEntry } from "./entries.ts";
import { decodeLine } from "./jsonl-codec.ts";

/** A line with more beginnings is no accident: it is not taken apart. */
const MAX_PARTS = 16;
/** How an entry begins. Inside of a text it cannot stand so: there its quotes are escaped. */
const START = /\{"type":"[a-z_]{1,40}","id":"/g;
const latin1 = new TextDecoder("latin1");

export interface GluedPart {
  entry: SessionEntry;
  /** Bytes from the beginning of the line. */
  from: number;
  length: number;
}

/** True where entries may stand on a line that cannot be read as one. */
export function looksGlued(line: Uint8Array | string): boolean {
  return (typeof line === "string" ? line : latin1.decode(line)).slice(1).search(START) >= 0;
}

/** The whole entries of a line that cannot be read as one. Those that are torn themselves, and unknown types, are left out. */
export function gluedParts(line: Uint8Array): GluedPart[] {
  // One character for each byte: their places are the same.
  const starts: number[] = [];
  for (const match of latin1.decode(line).matchAll(START)) {
    if (starts.push(match.index) > MAX_PARTS) return [];
  }
  if (starts.length === 0 || (starts.length === 1 && starts[0] === 0)) return [];
  const parts: GluedPart[] = [];
  starts.forEach((from, i) => {
    const to = starts[i + 1] ?? line.length;
    const decoded = decodeLine(line.subarray(from, to));
    if (decoded.kind === "entry" && decoded.damage === undefined && decoded.entry.type !== "unknown") {
      parts.push({ entry: decoded.entry, from, length: to - from });
    }
  });
  return parts;
}
