// What the bytes of a session file mean as far as they were seen: its tree, its unreadable lines, where to read on.
import type { FileHandle } from "../ports.ts";
import type { SessionEntry } from "./entries.ts";
import { decodeLine } from "./jsonl-codec.ts";
import { gluedParts } from "./jsonl-glued.ts";
import { type Fragment, JsonlIndexer } from "./jsonl-index.ts";
import { readPlaces, readSlices } from "./jsonl-reader.ts";
import type { Place } from "./line-bytes.ts";
import type { BadLine } from "./session.ts";
import { SessionTree } from "./session-tree.ts";

const NEWLINE = 0x0a;
/** Entries without a parent whose line before is looked at. */
const MAX_ORPHANS = 64;

export interface ScanOptions {
  /** Parse every line while indexing, for a complete report of damage. */
  verify?: boolean | undefined;
  /** Offsets of lines that must be taken apart; see `gluedLines`. */
  glued?: ReadonlySet<number>;
  /** Bytes of the file, where it is read from its beginning. */
  size?: number;
  /** Bytes and lines that are known already, all of them whole. */
  known?: { bytes: number; lines: number };
  bad?: readonly BadLine[];
}

/** Reading a file in pieces, as it grows, ends where reading the whole of it does. */
export class JsonlScan {
  readonly tree: SessionTree;
  readonly #indexer: JsonlIndexer;
  readonly #bad: BadLine[];
  #circles: BadLine[] = [];
  #circleShape = 0;
  #fragment: Fragment | undefined;
  readonly #glued: ReadonlySet<number>;
  /** The line that seemed to be the position's cannot be read, or -1. */
  #badEnd = -1;

  constructor(tree = new SessionTree(), options: ScanOptions = {}) {
    this.tree = tree;
    this.#bad = [...(options.bad ?? [])];
    const { bytes: start = 0, lines: line = 0 } = options.known ?? {};
    const { verify = false, size = 0, glued = new Set() } = options;
    this.#glued = glued;
    this.#indexer = new JsonlIndexer(
      tree,
      { header: () => {}, bad: (at, reason) => this.damaged(at, reason) },
      { start, line, sawHeader: start > 0, verify, size, whole: glued },
    );
  }

  badLines(): readonly BadLine[] {
    const all = [...this.#bad, ...this.#circles];
    if (this.#fragment !== undefined) all.push({ line: this.#fragment.line, reason: this.#fragment.reason });
    return all;
  }
  damaged(line: number, reason: string): void {
    this.#bad.push({ line, reason });
  }

  /**
   * False where the file must be read from its beginning: what was taken for the whole last line goes on at `size`, or lines
   * were taken apart for reasons that may be gone.
   */
  async canGrow(file: FileHandle, size: number): Promise<boolean> {
    if (this.#glued.size > 0) return false;
    return !this.#indexer.endsOpen || (await file.read(size, 1))[0] === NEWLINE;
  }

  /**
   * Reads on up to `to`. `holdBack`: see `JsonlIndexer`. Returns the ids that joined, where they are wanted; others run in
   * between and find a tree without circles.
   */
  async read(
    file: FileHandle,
    to: number,
    holdBack: ((bytes: Uint8Array, offset: number) => boolean) | undefined,
    wantIds: boolean,
  ): Promise<string[]> {
    const indexer = this.#indexer;
    const joined: number[] = [];
    indexer.holdBack = holdBack;
    indexer.added = wantIds ? (row) => void joined.push(row) : undefined;
    const take = (bytes: Uint8Array) => {
      indexer.feed(bytes);
      // Nobody walks a tree that is not complete.
      if (wantIds) this.tree.breakCycles();
    };
    try {
      await readSlices(file, indexer.next, to, take);
      this.#fragment = indexer.end();
    } finally {
      indexer.restart();
      indexer.holdBack = undefined;
      indexer.added = undefined;
      this.settleCircles();
    }
    await this.#settlePosition(file);
    return joined.map((row) => this.tree.idOf(row));
  }

  /** A line of ours: mostly written behind all that was read. */
  own(entry: SessionEntry, place: Place): void {
    if (place.offset < this.#indexer.next) this.tree.addEntry(entry, place.offset, place.length);
    else {
      this.#indexer.own(entry, place);
      this.#fragment = undefined;
    }
    this.settleCircles();
  }

  settleCircles(): void {
    const before = this.#circleShape;
    this.tree.breakCycles();
    this.#circleShape = this.tree.shape;
    if (before === this.#circleShape) return;
    this.#circles = this.tree.breakCycles().map((row) => ({
      line: 0,
      reason: `the parents of ${this.tree.idOf(row)} form a circle; it is shown as a root`,
    }));
  }

  /**
   * Offsets of lines that joined by their beginning but are a torn entry with another one behind it. That shows where the
   * other is missed: as the parent of the next line's, or at the end. Each such line is read; usually there are none.
   */
  async gluedLines(file: FileHandle): Promise<{ offsets: number[]; atEnd: boolean }> {
    const { tree } = this;
    let atEnd = false;
    const orphans = tree.orphans(MAX_ORPHANS);
    const offsets: number[] = [];
    for (const row of new Set([...orphans.map((row) => row - 1), this.#badEnd])) {
      if (row < 0) continue;
      const offset = tree.offsetOf(row);
      const line = this.#glued.has(offset) ? undefined : await file.read(offset, tree.lengthOf(row));
      if (line === undefined || decodeLine(line).kind !== "bad") continue;
      const parts = gluedParts(line);
      const isMissed = parts.some(({ entry }) => tree.isMissed(entry.id));
      if (!isMissed && (row !== this.#badEnd || parts.length === 0)) continue;
      offsets.push(offset);
      atEnd ||= !isMissed;
    }
    return { offsets, atEnd };
  }

  /** The end that cannot be read yet may be two entries: once a line of its own follows, the file is read anew. */
  get endMayBeTwo(): boolean {
    return this.#fragment !== undefined && this.#indexer.endLooksGlued;
  }

  /** The position must be an entry that can be read: its prefix alone does not tell. */
  async #settlePosition(file: FileHandle): Promise<void> {
    const { tree } = this;
    const last = tree.lastRow;
    this.#badEnd = -1;
    if (last < 0 || (await this.#entryAt(file, last)) !== undefined) return;
    this.#badEnd = last;
    let target = tree.leafTarget;
    for (const row of tree.rowsBackwards()) {
      if (tree.offsetOf(row) >= tree.offsetOf(last)) continue;
      const entry = await this.#entryAt(file, row);
      if (entry === undefined) continue;
      if (entry.type === "leaf") {
        if (target === undefined) target = entry.targetId;
        continue;
      }
      tree.setPosition(row, target);
      return;
    }
    tree.setPosition(-1, target);
  }

  async #entryAt(file: FileHandle, row: number): Promise<SessionEntry | undefined> {
    const { tree } = this;
    let entry: SessionEntry | undefined;
    await readPlaces(file, [{ offset: tree.offsetOf(row), length: tree.lengthOf(row) }], (_i, line, isPlain) => {
      const decoded = line === undefined ? undefined : decodeLine(line, isPlain);
      if (decoded?.kind === "entry" && tree.hasId(row, decoded.entry.id)) entry = decoded.entry;
    });
    return entry;
  }
}
