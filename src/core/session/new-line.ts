// What an append is made of: entries as they were when the call was made, and the line that each of them becomes.
import type { LateEntry, NewEntry, SessionEntry } from "./entries.ts";
import { jsonCopy } from "./json-copy.ts";
import type { ComposedEntry } from "./session-storage.ts";

/** An entry as it was when the call was made: what the caller does to the object afterwards is not written. */
export interface Frozen {
  entry: NewEntry;
  /** Its JSON; empty where there is none. */
  content: string;
}

export function freeze(entry: NewEntry): Frozen;
export function freeze(entry: NewEntry | LateEntry): Frozen | LateEntry;
export function freeze(entry: NewEntry | LateEntry): Frozen | LateEntry {
  if (typeof entry === "function") return entry;
  try {
    const content = JSON.stringify(entry);
    return { entry: jsonCopy(entry, content), content };
  } catch {
    return { entry, content: "" };
  }
}

/** What is written, and what it was made from: the same entry given again after a failure is the same line. */
export interface Composed extends ComposedEntry {
  content: string;
}

export interface NewPlace {
  id: string;
  parentId: string | null;
  /** ISO 8601. */
  timestamp: string;
}

export function composeEntry({ entry: given, content }: Frozen, place: NewPlace): Composed {
  // A copy of an entry that was read brings its old place along: only its content is taken.
  const { type, id, parentId, timestamp, ...rest } = given as NewEntry & Partial<NewPlace>;
  const entry = { type, ...place, ...rest } as SessionEntry;
  const begins = `{"type":"${type}"`;
  const isFresh = id === undefined && parentId === undefined && timestamp === undefined && content.startsWith(begins);
  // What `JSON.stringify(entry)` would give, without going through a large entry once more.
  const json = isFresh
    ? `${begins},${JSON.stringify(place).slice(1, -1)}${content.slice(begins.length)}`
    : JSON.stringify(entry);
  return { entry, json, content };
}
