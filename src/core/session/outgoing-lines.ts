// Own lines on their way to the disk: which of them are there, so that none is written twice or told as saved falsely.
import type { SessionEntry } from "./entries.ts";
import { encodeLines } from "./jsonl-codec.ts";
import { type Place, placesOf } from "./line-bytes.ts";
import type { ComposedEntry } from "./session-storage.ts";
import type { SessionTree } from "./session-tree.ts";

export interface OutgoingLine {
  readonly entry: SessionEntry;
  /** With its newline. */
  readonly bytes: Uint8Array;
  /** Where it was written or found intact. */
  place?: Place;
}

/** The lines of one append, kept after it failed: the same entries given again are the same lines (product.md, Two writers). */
export class OutgoingLines {
  #lines = new Map<string, OutgoingLine>();
  /** A sync failed: what can be read back may still not be on the disk. */
  #distrusted = false;

  get isEmpty(): boolean {
    return this.#lines.size === 0;
  }
  /** Lines that are not known to be in the file. */
  get missing(): OutgoingLine[] {
    return [...this.#lines.values()].filter((line) => line.place === undefined);
  }

  /**
   * Takes the entries of the next append. Those of one that failed keep the places where they were found. Returns lines of
   * that append which were found in the file and are not given again: they join the tree as they are.
   */
  take(entries: readonly ComposedEntry[]): OutgoingLine[] {
    const before = this.#lines;
    const lines = encodeLines(entries);
    this.#lines = new Map(entries.map(({ entry }, i) => [entry.id, { entry, bytes: lines[i]! }]));
    for (const line of this.#lines.values()) {
      const place = this.#distrusted ? undefined : before.get(line.entry.id)?.place;
      if (place !== undefined) line.place = place;
    }
    return [...before.values()].filter((line) => line.place !== undefined && !this.#lines.has(line.entry.id));
  }

  /** True for the bytes of a line (without its newline) that this process wrote and did not acknowledge. */
  recognise(bytes: Uint8Array, offset: number): boolean {
    for (const line of this.#lines.values()) {
      const { length } = line.bytes;
      if (bytes.length !== length - 1 || !bytes.every((byte, i) => byte === line.bytes[i])) continue;
      if (!this.#distrusted) line.place = { offset, length: length - 1 };
      return true;
    }
    return false;
  }

  /** What was missing stands in the file from `start` on. */
  written(lines: readonly OutgoingLine[], start: number): void {
    const places = placesOf(
      lines.map((line) => line.bytes),
      start,
    );
    lines.forEach((line, i) => {
      line.place = places[i]!;
    });
  }

  /** The file was replaced: what was found in the one before counts for nothing. */
  forgetPlaces(): void {
    for (const line of this.#lines.values()) delete line.place;
  }
  /** True where each line follows an entry of the tree, or another line. */
  fits(tree: SessionTree): boolean {
    return [...this.#lines.values()].every(({ entry: { parentId } }) => {
      return parentId === null || this.#lines.has(parentId) || tree.rowOf(parentId) >= 0;
    });
  }

  distrust(): void {
    this.#distrusted = true;
  }
  trust(): void {
    this.#distrusted = false;
  }

  /** All of them are in the file: hands them over and forgets them. */
  acknowledge(): OutgoingLine[] {
    const lines = [...this.#lines.values()];
    this.#lines.clear();
    this.#distrusted = false;
    return lines;
  }
}
