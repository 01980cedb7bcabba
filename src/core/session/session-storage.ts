// The contract between a session and the place where its entries are kept.
import type { SessionEntry, SessionHeader } from "./entries.ts";
import type { BadLine, SessionChange } from "./session.ts";
import type { SessionTree } from "./session-tree.ts";

export interface StoredEntry {
  entry: SessionEntry;
  row: number;
}

/** An entry that is to be written, and its line as JSON. */
export interface ComposedEntry {
  entry: SessionEntry;
  json: string;
}

export interface SessionStorage {
  readonly file: string | undefined;
  readonly header: SessionHeader;
  readonly readOnlyReason: string | undefined;
  /** Complete once `ready()` resolved; may be replaced when the file was. */
  readonly tree: SessionTree;
  ready(): Promise<void>;
  badLines(): readonly BadLine[];
  /** The position that the storage has by file order; known before `ready()`. */
  position(): string | null;
  /** The newest entries of the position's path back to what its context needs, before the index is complete; undefined where only the index can tell. */
  tail(): Promise<SessionEntry[] | undefined>;
  /** Entries of rows; undefined for those whose line turned out to be unreadable. */
  read(rows: ArrayLike<number>): Promise<(SessionEntry | undefined)[]>;
  rawLine(row: number): Promise<string | undefined>;
  /**
   * Runs `compose` once everything that others wrote is known, puts its entries on disk in one write, then into the tree.
   * After a failure nothing is in the tree, and the same entries (same ids) can be given again.
   */
  append(compose: () => ComposedEntry[]): Promise<void>;
  refresh(): Promise<void>;
  /**
   * Told of entries that others appended, of rows that got new numbers for the same entries, and of a file that was
   * replaced by another one.
   */
  onExternal(
    listener: (change: Pick<SessionChange, "appended"> & { kind: "grown" | "reordered" | "replaced" }) => void,
  ): void;
  close(): Promise<void>;
}
