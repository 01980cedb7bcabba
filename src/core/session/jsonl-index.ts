// Feeds the bytes of a session file into its tree, line by line, parsing only lines that need it (performance §7).
import type { SessionEntry, SessionHeader } from "./entries.ts";
import { type Decoded, decodeLine, MAX_LINE_BYTES } from "./jsonl-codec.ts";
import { gluedParts, looksGlued } from "./jsonl-glued.ts";
import { Prefix, readPrefix } from "./jsonl-prefix.ts";
import type { Place } from "./line-bytes.ts";
import { ROW_DAMAGED } from "./row-facts.ts";
import { NO_KEY, type SessionTree } from "./session-tree.ts";

const NEWLINE = 0x0a;
const CLOSE = 0x7d;
/** Room for a line that began in the slice before; it grows with the line, and only so much of it is kept. */
const CARRY_BYTES = 64 * 1024;
const KEPT_CARRY_BYTES = 1024 * 1024;
const NO_BYTES = new Uint8Array(0);
/** What no indexer collects in at present: fresh room costs as much as the lines of a small file. */
let spareCarry = NO_BYTES;

export interface IndexSink {
  header(header: SessionHeader, line: number): void;
  bad(line: number, reason: string): void;
}

/** The unreadable end of a file: perhaps the beginning of what another process is writing. */
export interface Fragment {
  offset: number;
  line: number;
  reason: string;
}

export interface IndexOptions {
  /** Offset in the file of the first byte that will be fed. */
  start?: number;
  /** Lines before it. */
  line?: number;
  sawHeader?: boolean;
  /** Parse every line whole, so that damage behind the prefix is found as well. */
  verify?: boolean;
  /** Offsets of lines that are parsed whole in any case. */
  whole?: ReadonlySet<number>;
  /** Bytes of the whole file, where it is read from its beginning. */
  size?: number;
}

/** Stays with its file while it grows: what it was told in pieces must mean what it means as a whole. */
export class JsonlIndexer {
  readonly #tree: SessionTree;
  readonly #sink: IndexSink;
  readonly #verify: boolean;
  readonly #whole: ReadonlySet<number> | undefined;
  readonly #size: number;
  readonly #prefix = new Prefix();
  /** True where the line is one of ours that was not acknowledged: it must not join the tree yet. */
  holdBack: ((bytes: Uint8Array, offset: number) => boolean) | undefined;
  /** Told of each row that joins. */
  added: ((row: number) => void) | undefined;
  /** Lines seen, the current one included. */
  #line = 0;
  /** Offset in the file of the line that is being collected. */
  #start: number;
  /** What was seen of it, while it is no longer than a line may be. */
  #carry = NO_BYTES;
  #collected = 0;
  /** A last line without a newline that nothing could be made of; without its bytes where they are too many. */
  #unfinished: { bytes: Uint8Array | undefined; length: number } | undefined;
  /** The last line had no newline yet, and its entry has joined. */
  #endsOpen = false;
  /** The row that joined last, or -1. */
  #last: number;
  /** The entry before a run of unreadable lines, or -1. */
  #gapFrom = -1;
  #sawHeader: boolean;

  constructor(tree: SessionTree, sink: IndexSink, options: IndexOptions = {}) {
    this.#tree = tree;
    this.#sink = sink;
    this.#start = options.start ?? 0;
    this.#line = options.line ?? 0;
    this.#sawHeader = options.sawHeader ?? false;
    this.#verify = options.verify ?? false;
    this.#whole = options.whole;
    this.#size = options.size ?? 0;
    this.#last = tree.count - 1;
  }

  /** Offset of the first byte that is to be fed next: after `end()` the beginning of a line that is not whole yet. */
  get next(): number {
    return this.#start;
  }
  /** True where the last entry joined without a newline: whatever else follows on its line makes another line of it. */
  get endsOpen(): boolean {
    return this.#endsOpen;
  }

  get endLooksGlued(): boolean {
    return this.#unfinished?.bytes !== undefined && looksGlued(this.#unfinished.bytes);
  }

  /** Takes the next bytes of the file. Costs about 0.2 ms a megabyte; give it slices and let others run between. */
  feed(chunk: Uint8Array): void {
    let from = 0;
    this.#unfinished = undefined;
    if (this.#endsOpen && chunk.length > 0) {
      this.#endsOpen = false;
      this.#start++;
      from = 1;
    }
    if (this.#collected > 0) {
      const newline = chunk.indexOf(NEWLINE);
      if (newline < 0) {
        this.#collect(chunk, 0, chunk.length);
        return;
      }
      this.#collect(chunk, 0, newline);
      this.#finishCollected();
      from = newline + 1;
    }
    for (let newline = chunk.indexOf(NEWLINE, from); newline >= 0; newline = chunk.indexOf(NEWLINE, from)) {
      this.#line++;
      this.#lineAt(chunk, from, newline, this.#start);
      this.#start += newline + 1 - from;
      from = newline + 1;
    }
    if (from < chunk.length) this.#collect(chunk, from, chunk.length);
    if (this.#size > 0) this.#tree.expect(Math.ceil((this.#tree.count / (this.#start + 1)) * this.#size * 1.02));
  }

  /**
   * Ends the file as it is now. A last line without a newline joins where it is whole; else it is returned, and fed again
   * from its beginning once there is more of it.
   */
  end(): Fragment | undefined {
    if (this.#collected === 0) return undefined;
    const offset = this.#start;
    const length = this.#collected;
    const bytes = this.#takeCollected()?.slice();
    const decoded: Decoded = bytes === undefined ? { kind: "bad", reason: "longer than 32 MB" } : decodeLine(bytes);
    if (decoded.kind === "bad") {
      this.#unfinished = { bytes, length };
      return { offset, line: this.#line + 1, reason: decoded.reason };
    }
    this.#line++;
    this.#start += length;
    this.#endsOpen = true;
    if (bytes === undefined || this.holdBack?.(bytes, offset) !== true) this.#take(decoded, offset, length);
    return undefined;
  }

  /** Reading failed in the middle of a line: it is fed again from its beginning (`next`). */
  restart(): void {
    this.#takeCollected();
  }

  /** Takes a line of ours that was written behind all that was fed; on a line of its own, whatever stood before it. */
  own(entry: SessionEntry, { offset, length }: Place): void {
    if (this.#unfinished !== undefined) {
      this.#line++;
      this.#closed(this.#unfinished.bytes, this.#start, this.#unfinished.length);
      this.#unfinished = undefined;
    }
    this.#endsOpen = false;
    this.#line++;
    this.#start = offset + length + 1;
    this.#take({ kind: "entry", entry }, offset, length);
  }

  /** Keeps a part of a line: the chunk is filled again. */
  #collect(chunk: Uint8Array, from: number, to: number): void {
    const before = this.#collected;
    this.#collected += to - from;
    if (this.#collected > MAX_LINE_BYTES) return;
    if (before === 0) {
      this.#carry = spareCarry;
      spareCarry = NO_BYTES;
    }
    if (this.#collected > this.#carry.length) {
      const larger = new Uint8Array(Math.max(CARRY_BYTES, this.#collected * 2));
      larger.set(this.#carry.subarray(0, before));
      this.#carry = larger;
    }
    this.#carry.set(chunk.subarray(from, to), before);
  }

  /** What was collected, good until an indexer collects more; undefined where it is longer than a line may be. */
  #takeCollected(): Uint8Array | undefined {
    const length = this.#collected;
    const bytes = length > MAX_LINE_BYTES ? undefined : this.#carry.subarray(0, length);
    this.#collected = 0;
    if (this.#carry.length <= KEPT_CARRY_BYTES && length > 0) spareCarry = this.#carry;
    this.#carry = NO_BYTES;
    return bytes;
  }

  #finishCollected(): void {
    this.#line++;
    const length = this.#collected;
    const offset = this.#start;
    this.#start += length + 1;
    this.#closed(this.#takeCollected(), offset, length);
  }

  #closed(bytes: Uint8Array | undefined, offset: number, length: number): void {
    if (bytes !== undefined) this.#lineAt(bytes, 0, length, offset);
    else this.#bad({ kind: "bad", reason: "longer than 32 MB" }, offset, length);
  }

  #lineAt(bytes: Uint8Array, from: number, to: number, offset: number): void {
    const length = to - from;
    if (this.holdBack?.(bytes.subarray(from, to), offset) === true) return;
    if (
      !this.#verify &&
      this.#whole?.has(offset) !== true &&
      length > 0 &&
      bytes[to - 1] === CLOSE &&
      readPrefix(bytes, from, to, this.#tree, this.#prefix) &&
      this.#addPrefix(offset, length)
    ) {
      return;
    }
    const line = bytes.subarray(from, to);
    const decoded = decodeLine(line);
    this.#take(decoded, offset, length);
    if (decoded.kind !== "bad") return;
    for (const part of gluedParts(line)) {
      this.#added(this.#tree.addEntry(part.entry, offset + part.from, part.length));
    }
  }

  /** False where an entry has the id already: only a line that can be read takes its place. */
  #addPrefix(offset: number, length: number): boolean {
    const row = this.#tree.addRow(this.#prefix, offset, length, true);
    if (row >= 0) this.#added(row);
    return row >= 0;
  }

  #take(decoded: Decoded, offset: number, length: number): void {
    switch (decoded.kind) {
      case "blank":
        return;
      case "header":
        if (this.#sawHeader) this.#sink.bad(this.#line, "a second session header");
        else this.#sink.header(decoded.header, this.#line);
        this.#sawHeader = true;
        return;
      case "bad":
        this.#bad(decoded, offset, length);
        return;
      case "entry": {
        if (decoded.damage !== undefined) this.#sink.bad(this.#line, decoded.damage);
        const before = this.#verify ? this.#tree.rowOf(decoded.entry.id) : -1;
        // What is left of a torn line is no entry that stood before.
        if (before >= 0 && !this.#tree.isDamaged(before))
          this.#sink.bad(this.#line, `the id ${decoded.entry.id} stood before: the later entry counts`);
        this.#added(this.#tree.addEntry(decoded.entry, offset, length));
      }
    }
  }

  #bad(decoded: Decoded & { kind: "bad" }, offset: number, length: number): void {
    this.#sink.bad(this.#line, decoded.reason);
    const { salvage } = decoded;
    if (salvage !== undefined && this.#tree.rowOf(salvage.id) < 0) {
      const parentKey = salvage.parentId === null ? NO_KEY : this.#tree.keyOf(salvage.parentId);
      const facts = { type: 0, role: 0, flags: ROW_DAMAGED };
      this.#added(this.#tree.add(this.#tree.keyOf(salvage.id), parentKey, facts, offset, length));
    } else if (this.#gapFrom < 0) this.#gapFrom = this.#last;
  }

  #added(row: number): void {
    this.#joined(row);
    this.added?.(row);
  }

  #joined(row: number): void {
    this.#last = row;
    if (this.#gapFrom >= 0) {
      // The first entry after lines that nothing can be read of: its missing parent is taken to be one of them.
      this.#tree.bridge(row, this.#gapFrom);
      this.#gapFrom = -1;
    }
  }
}
