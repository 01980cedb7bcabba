// Reads a session file backwards: the position and its context in milliseconds at any size (performance §7, tail first).
import { giveWay, isTurnOver } from "../give-way.ts";
import type { FileHandle } from "../ports.ts";
import type { SessionEntry } from "./entries.ts";
import { decodeLine } from "./jsonl-codec.ts";
import { looksGlued } from "./jsonl-glued.ts";
import { joinBytes, wholeText } from "./line-bytes.ts";

const NEWLINE = 0x0a;
const FIRST_CHUNK = 32 * 1024;
/** Chunks larger than this take long enough to let others run in between. */
const LARGE_CHUNK = 512 * 1024;
/** Past this the forward index is quicker. */
const MAX_TAIL = 12 * 1024 * 1024;

interface Line {
  /** As text where it was decoded together with others. */
  source: Uint8Array | string;
  isPlain: boolean;
  entry?: SessionEntry;
}

const HEAD_BYTES = 256;
const latin1 = new TextDecoder("latin1");
// Quicker here than a loop over bytes: few lines are read, by code that is still cold.
const HEAD = /^\{"type":"[a-z_]{1,30}","id":"([^"\\]{1,64})","parentId":(?:null|"[^"\\]{1,64}"),/;
const NO_PLAIN_ID = /[^ -~]/;

export class JsonlTail {
  readonly #file: FileHandle;
  /** Offset from which the file has been read; every line from there on is known. */
  #from: number;
  #chunk = FIRST_CHUNK;
  /** Bytes before the first newline that was read: the end of a line that begins earlier. */
  #rest: Uint8Array = new Uint8Array(0);
  /** Lines that were read, newest first; those before `#next` are known by id. */
  readonly #lines: Line[] = [];
  #next = 0;
  readonly #byId = new Map<string, Line>();
  #position: string | null | undefined;
  /** A line must be taken apart: only the index can tell. */
  #isUnsure = false;

  constructor(file: FileHandle, size: number) {
    this.#file = file;
    this.#from = size;
  }

  /** The position; undefined where the tail cannot tell (nothing readable near the end). */
  async position(): Promise<string | null | undefined> {
    while (this.#position === undefined && (this.#findPosition() || (await this.#readBack()))) {}
    if (this.#isUnsure) return undefined;
    // A `leaf` entry may name what stands far before it, or nothing at all.
    const id = this.#position;
    if (id === undefined || id === null) return id;
    return (await this.#lineOf(id)) === undefined ? undefined : id;
  }

  /**
   * The entries of the position's path, root side first, back to what its context needs; undefined where only the index
   * can tell (damage, circles, a far boundary).
   */
  async entries(): Promise<SessionEntry[] | undefined> {
    const position = await this.position();
    if (position === undefined) return undefined;
    const path: SessionEntry[] = [];
    const seen = new Set<string>();
    let boundary: string | null | undefined;
    for (let id: string | null = position; id !== null; ) {
      if (seen.has(id)) return undefined;
      seen.add(id);
      const entry = await this.#entry(id);
      if (entry === undefined) return undefined;
      path.push(entry);
      if (boundary === undefined && entry.type === "compaction") {
        boundary = entry.retainedTail === undefined ? (entry.firstKeptEntryId ?? null) : null;
        if (boundary === null || boundary === entry.id) break;
      } else if (boundary === entry.id) break;
      id = entry.parentId;
    }
    return path.reverse();
  }

  async #entry(id: string): Promise<SessionEntry | undefined> {
    const line = await this.#lineOf(id);
    if (line === undefined) return undefined;
    if (line.entry === undefined) {
      const decoded = decodeLine(line.source, line.isPlain);
      if (decoded.kind !== "entry" || decoded.entry.id !== id) return undefined;
      line.entry = decoded.entry;
    }
    return line.entry;
  }

  async #lineOf(id: string): Promise<Line | undefined> {
    let line = this.#byId.get(id) ?? this.#pass(id);
    while (line === undefined && (await this.#readBack())) line = this.#pass(id);
    return this.#isUnsure ? undefined : line;
  }

  /** Takes further lines as known up to that of `id`: mostly the next one, which is parsed anyway. */
  #pass(id: string): Line | undefined {
    const mark = `"id":"${id}"`;
    while (this.#next < this.#lines.length) {
      const line = this.#lines[this.#next++]!;
      const head = headOf(line.source);
      const found = head.includes(mark) ? undefined : HEAD.exec(head)?.[1];
      const its = found === undefined || NO_PLAIN_ID.test(found) ? this.#decode(line) : found;
      if (its === undefined || this.#byId.has(its)) continue;
      this.#byId.set(its, line);
      if (its === id) return line;
    }
    return undefined;
  }

  /** The position is what the newest readable line says; false where none was read yet. */
  #findPosition(): boolean {
    while (this.#next < this.#lines.length) {
      const line = this.#lines[this.#next++]!;
      const id = this.#decode(line);
      if (id === undefined) continue;
      this.#byId.set(id, line);
      this.#position = line.entry!.type === "leaf" ? line.entry!.targetId : id;
      return true;
    }
    return false;
  }

  /** The id of the line's entry, which is then there; undefined where it is none. */
  #decode(line: Line): string | undefined {
    const decoded = decodeLine(line.source, line.isPlain);
    if (decoded.kind === "bad") this.#isUnsure ||= looksGlued(line.source);
    if (decoded.kind !== "entry") return undefined;
    line.entry = decoded.entry;
    return decoded.entry.id;
  }

  /** Reads one more chunk; false at the beginning of the file or past the limit. */
  async #readBack(): Promise<boolean> {
    if (this.#from === 0 || this.#rest.length > MAX_TAIL || this.#chunk > MAX_TAIL) return false;
    if (this.#chunk > LARGE_CHUNK && isTurnOver()) await giveWay();
    const length = Math.min(this.#chunk, this.#from);
    const chunk = await this.#file.read(this.#from - length, length);
    if (chunk.length < length) return false;
    this.#from -= length;
    this.#chunk *= 2;
    // Newest first: of duplicate ids the last one counts.
    const end = chunk.lastIndexOf(NEWLINE);
    if (end < 0) this.#rest = joinBytes([chunk, this.#rest]);
    else {
      this.#line(joinBytes([chunk.subarray(end + 1), this.#rest]));
      this.#rest = chunk.subarray(0, this.#linesBefore(chunk, end));
    }
    if (this.#from === 0) this.#line(this.#rest);
    return true;
  }

  /** Takes the whole lines of a chunk up to its last newline, the last one first. Returns where the first newline stands. */
  #linesBefore(chunk: Uint8Array, last: number): number {
    const first = chunk.indexOf(NEWLINE);
    const lines = chunk.subarray(first + 1, last);
    const text = wholeText(lines);
    const isPlain = text?.length === lines.length;
    const newlineBefore = (end: number) =>
      text === undefined ? lines.lastIndexOf(NEWLINE, end) : text.lastIndexOf("\n", end);
    for (let end = text?.length ?? lines.length; end > 0; ) {
      const at = newlineBefore(end - 1);
      this.#line(text === undefined ? lines.subarray(at + 1, end) : text.slice(at + 1, end), isPlain);
      end = at;
    }
    return first;
  }

  #line(source: Uint8Array | string, isPlain = false): void {
    if (source.length > 0) this.#lines.push({ source, isPlain });
  }
}

function headOf(source: Uint8Array | string): string {
  return typeof source === "string" ? source.slice(0, HEAD_BYTES) : latin1.decode(source.subarray(0, HEAD_BYTES));
}
