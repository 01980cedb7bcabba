// Finds the header of a session file, or decides that it is none (behaviours §10, 5 and 17).
import { SessionError } from "../errors.ts";
import type { FileHandle } from "../ports.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader } from "./entries.ts";
import { decodeLine } from "./jsonl-codec.ts";

const FIRST_READ = 4096;
/** Unreadable lines before the header are skipped up to here (bytes). */
const MAX_HEAD = 4 * 1024 * 1024;

export interface FoundHeader {
  header: SessionHeader;
  /** True where the file has none and the entries are shown all the same. */
  recovered: boolean;
}

/**
 * Reads the first line that can be read. Throws `not_a_session` where that is neither a header nor an entry; the file is
 * not touched.
 */
export async function findHeader(file: FileHandle, size: number, path: string): Promise<FoundHeader> {
  for (let length = FIRST_READ; ; length *= 8) {
    const bytes = await file.read(0, Math.min(length, size));
    const whole = bytes.length >= size;
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(0x0a, from);
      if (newline < 0 && !whole) break;
      const decoded = decodeLine(bytes.subarray(from, newline < 0 ? bytes.length : newline));
      if (decoded.kind === "header") return { header: decoded.header, recovered: false };
      if (decoded.kind === "entry" && decoded.entry.type !== "unknown") {
        return { header: recoveredHeader(path, decoded.entry.timestamp), recovered: true };
      }
      if (newline < 0) break;
      from = newline + 1;
    }
    if (whole || length > MAX_HEAD) {
      throw new SessionError("not_a_session", `${path} is no session file: neither a header nor an entry can be read.`);
    }
  }
}

function recoveredHeader(path: string, timestamp: string): SessionHeader {
  const id = /_([A-Za-z0-9][A-Za-z0-9._-]*)\.jsonl$/.exec(path)?.[1] ?? "unknown";
  return { type: "session", version: CURRENT_SESSION_VERSION, id, timestamp, cwd: "" };
}
