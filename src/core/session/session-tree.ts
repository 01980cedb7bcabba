// The shape of a session without its contents: one row of typed arrays per entry, parents, children, labels, position.
import { ChildLinks } from "./child-links.ts";
import type { SessionEntry, SessionEntryType } from "./entries.ts";
import { ParentCircles } from "./parent-circles.ts";
import {
  ROW_DAMAGED,
  ROW_ID_IS_TEXT,
  ROW_NO_PARENT,
  ROW_PARENT_IS_TEXT,
  ROW_POSITION,
  ROW_ROLES,
  ROW_TYPES,
  type RowRole,
  rowFacts,
} from "./row-facts.ts";
import { cleanName } from "./session-name.ts";

/** Room for a usual session, so that a list of many grows none of them. */
const FIRST_ROWS = 512;
const FIRST_BITS = 10;
/** So many rows are made at once where they are expected: five megabytes. */
const BELIEVED_ROWS = 2 ** 17;

const TEXT_KEY = 2 ** 32;
/** The key of "no parent". */
export const NO_KEY = -1;

/** What a row keeps of an entry; an id as the 32 bits of eight hex digits, or the number of a text. */
export interface RowIds {
  id: number;
  parent: number;
  /** With `ROW_ID_IS_TEXT`, `ROW_PARENT_IS_TEXT` and `ROW_NO_PARENT` where they hold. */
  flags: number;
  type: number;
  role: number;
}

function grow<T extends Float64Array | Uint32Array | Uint8Array | Int32Array>(array: T, size: number): T {
  const Larger = array.constructor as new (length: number) => T;
  const larger = new Larger(size);
  larger.set(array as never);
  return larger;
}

/** The 32 bits of eight hex digits; undefined for any other text. */
function hexValueOf(id: string): number | undefined {
  // Ids come from commands and hooks of others as well: what is no text is no id.
  if (typeof id !== "string" || id.length !== 8) return undefined;
  let value = 0;
  for (let i = 0; i < 8; i++) {
    const code = id.charCodeAt(i);
    if (code >= 0x30 && code <= 0x39) value = (value << 4) | (code - 0x30);
    else if (code >= 0x61 && code <= 0x66) value = (value << 4) | (code - 0x57);
    else return undefined;
  }
  return value;
}

/** Counts changes of all trees, so that no two of them look the same by chance. */
let shapes = 0;

export class SessionTree {
  #shape = ++shapes;
  #count = 0;
  #capacity = FIRST_ROWS;
  /** Rows that the tree is likely to get. */
  #expected = 0;
  #offset = new Float64Array(FIRST_ROWS);
  #length = new Uint32Array(FIRST_ROWS);
  #type = new Uint8Array(FIRST_ROWS);
  #role = new Uint8Array(FIRST_ROWS);
  #flags = new Uint8Array(FIRST_ROWS);
  // Signed, so that no value of theirs needs a number of its own on the heap.
  #id = new Int32Array(FIRST_ROWS);
  #parentId = new Int32Array(FIRST_ROWS);
  #parent = new Int32Array(FIRST_ROWS);

  #table = new Int32Array(2 ** FIRST_BITS).fill(-1);
  #tableBits = FIRST_BITS;
  /** Where the last search ended. */
  #endSlot = 0;
  #texts: string[] = [];
  readonly #textKeys = new Map<string, number>();
  /** Rows whose parent has not been seen, by the parent's key. */
  readonly #waiting = new Map<number, number[]>();
  #hasForward = false;
  readonly #circles = new ParentCircles();

  readonly #children = new ChildLinks();

  readonly #labels = new Map<string, string>();
  #name: string | undefined;
  #lastRow = -1;
  /** What the last `leaf` entry names, where no other entry follows it. */
  #leafTarget: string | null | undefined;

  get count(): number {
    return this.#count;
  }
  /** Another number once an entry that was there says something else or has another parent; entries that join do not count. */
  get shape(): number {
    return this.#shape;
  }

  /** A number for an id: the value of eight hex digits, or a number above 2^32 for any other text. */
  keyOf(id: string): number {
    const value = hexValueOf(id);
    if (value !== undefined) return value >>> 0;
    let key = this.#textKeys.get(id);
    if (key === undefined) {
      key = this.#texts.length;
      this.#texts.push(id);
      this.#textKeys.set(id, key);
    }
    return TEXT_KEY + key;
  }

  /** The row of an id, or -1. */
  rowOf(id: string): number {
    const value = hexValueOf(id);
    if (value !== undefined) return this.#find(value, 0);
    const key = this.#textKeys.get(id);
    return key === undefined ? -1 : this.#find(key, ROW_ID_IS_TEXT);
  }

  /** Tells how many rows are to come, so that the arrays grow in few steps. A guess: it may be wrong. */
  expect(rows: number): void {
    this.#expected = rows;
  }

  /** Adds an entry; of duplicate ids the last wins and takes the first one's row. Returns the row. */
  add(
    idKey: number,
    parentKey: number,
    facts: { type: number; role: number; flags: number },
    offset: number,
    length: number,
  ): number {
    const { type, role } = facts;
    let { flags } = facts;
    if (idKey >= TEXT_KEY) flags |= ROW_ID_IS_TEXT;
    if (parentKey === NO_KEY) flags |= ROW_NO_PARENT;
    else if (parentKey >= TEXT_KEY) flags |= ROW_PARENT_IS_TEXT;
    // The lower 32 bits of a key are its value.
    return this.addRow({ id: idKey | 0, parent: parentKey | 0, flags, type, role }, offset, length);
  }

  /** The same for ids as the rows keep them. `onlyNew`: -1, and nothing changed, where the id stood before. */
  addRow(ids: RowIds, offset: number, length: number, onlyNew = false): number {
    if (this.#count === this.#capacity) this.#growRows();
    const { id, parent: parentId, flags } = ids;
    let row = this.#find(id, flags & ROW_ID_IS_TEXT);
    const freeSlot = this.#endSlot;
    const isNew = row < 0;
    if (onlyNew && !isNew) return -1;
    if (isNew) row = this.#count++;
    this.#offset[row] = offset;
    this.#length[row] = length;
    this.#type[row] = ids.type;
    this.#role[row] = ids.role;
    this.#flags[row] = flags;
    this.#id[row] = id;
    let parent = -1;
    if ((flags & ROW_NO_PARENT) !== 0) this.#parentId[row] = 0;
    else {
      this.#parentId[row] = parentId;
      const text = (flags & ROW_PARENT_IS_TEXT) >> 1;
      const isItself = parentId === id && text === (flags & ROW_ID_IS_TEXT);
      // Mostly the entry before: no search is needed then.
      const before = isNew ? row - 1 : -1;
      const follows = before >= 0 && this.#id[before] === parentId && (this.#flags[before]! & ROW_ID_IS_TEXT) === text;
      if (follows) parent = before;
      else if (!isItself) parent = this.#find(parentId, text);
      if (parent > row) this.#hasForward = true;
      if (parent < 0 && !isItself) this.#wait(this.#keyOfParent(row), row);
    }
    this.#parent[row] = parent;
    if (isNew) {
      this.#table[freeSlot] = row;
      if (this.#waiting.size > 0) this.#adopt(this.#keyOfRow(row));
      this.#children.join(row, this.#parent[row]!);
    } else {
      this.#children.forget();
      this.#shape = ++shapes;
      this.#circles.forget(row);
      // What follows it may stand before it: also a parent of a lower row may close a circle.
      this.#hasForward = true;
    }
    if ((flags & ROW_DAMAGED) === 0) {
      this.#lastRow = row;
      this.#leafTarget = undefined;
    }
    return row;
  }

  /** Adds a whole entry, with what its content means for labels, name and position. */
  addEntry(entry: SessionEntry, offset: number, length: number): number {
    const before = this.#lastRow;
    const parentKey = entry.parentId === null ? NO_KEY : this.keyOf(entry.parentId);
    const row = this.add(this.keyOf(entry.id), parentKey, rowFacts(entry), offset, length);
    this.note(entry, before);
    return row;
  }

  /** Takes over what a label, name or leaf entry says; `rowBefore` is the position's row before that entry. */
  note(entry: SessionEntry, rowBefore: number): void {
    if (entry.type === "label") {
      const label = entry.label?.trim() ?? "";
      if (label === "") this.#labels.delete(entry.targetId);
      else this.#labels.set(entry.targetId, label);
    } else if (entry.type === "session_info") {
      const name = cleanName(entry.name ?? "");
      this.#name = name === "" ? undefined : name;
    } else if (entry.type === "leaf") {
      this.#leafTarget = entry.targetId;
      this.#lastRow = rowBefore;
    }
  }

  /** Connects an entry whose parent is not there to the entry before the unreadable lines that stand between. */
  bridge(row: number, to: number): void {
    if (this.#parent[row] !== -1 || (this.#flags[row]! & ROW_NO_PARENT) !== 0 || to === row || to < 0) return;
    this.#parent[row] = to;
    // An entry that was written again keeps its row: what stands before it in the file may come after it here.
    if (to > row) this.#hasForward = true;
    this.#children.forget();
  }

  /** Cuts circles of parents so that every walk ends. Returns all rows that are roots for it. Linear where parents came late. */
  breakCycles(): number[] {
    if (this.#hasForward) {
      this.#hasForward = false;
      if (this.#circles.cut(this.#parent, this.#count)) {
        this.#shape = ++shapes;
        this.#children.forget();
      }
    }
    return this.#circles.rows();
  }

  /** The position that the file's order gives: the last entry, or what a `leaf` entry at the end names. */
  position(): string | null {
    if (this.#leafTarget === null) return null;
    if (this.#leafTarget !== undefined && this.rowOf(this.#leafTarget) >= 0) return this.#leafTarget;
    return this.#lastRow < 0 ? null : this.idOf(this.#lastRow);
  }

  get lastRow(): number {
    return this.#lastRow;
  }
  /** What a `leaf` entry at the end of the file names; undefined where none stands there. */
  get leafTarget(): string | null | undefined {
    return this.#leafTarget;
  }
  /** Sets the position of the file's order: the last entries turned out to be unreadable. */
  setPosition(row: number, leafTarget: string | null | undefined): void {
    this.#lastRow = row;
    this.#leafTarget = leafTarget;
  }

  /** Rows from the end of the file to its beginning, damaged ones left out: nearly their own order. */
  *rowsBackwards(): Iterable<number> {
    const offsets = this.#offset;
    // Entries that were written again stand further on than their rows.
    const late: number[] = [];
    let next = Number.POSITIVE_INFINITY;
    for (let row = this.#count - 1; row >= 0; row--) {
      if (offsets[row]! > next) late.push(row);
      else next = offsets[row]!;
    }
    late.sort((a, b) => offsets[a]! - offsets[b]!);
    const isLate = new Set(late);
    for (let row = this.#count - 1; row >= 0; row--) {
      if (isLate.has(row)) continue;
      for (let last = late.at(-1); last !== undefined && offsets[last]! > offsets[row]!; last = late.at(-1)) {
        late.pop();
        if (!this.isDamaged(last)) yield last;
      }
      if (!this.isDamaged(row)) yield row;
    }
  }

  /** True where the row's entry has this id. */
  hasId(row: number, id: string): boolean {
    const value = this.#id[row];
    if ((this.#flags[row]! & ROW_ID_IS_TEXT) !== 0) return this.#texts[value!] === id;
    return hexValueOf(id) === value;
  }
  idOf(row: number): string {
    const value = this.#id[row]!;
    return (this.#flags[row]! & ROW_ID_IS_TEXT) !== 0
      ? this.#texts[value]!
      : (value >>> 0).toString(16).padStart(8, "0");
  }
  parentOf(row: number): number {
    return this.#parent[row]!;
  }
  /** True where the entry names a parent that is not in the file, or stood in a circle. */
  isOrphan(row: number): boolean {
    return this.#parent[row] === -1 && (this.#flags[row]! & ROW_NO_PARENT) === 0;
  }
  /** Rows whose parent has not been seen, `most` of them. */
  orphans(most: number): number[] {
    const found: number[] = [];
    for (const rows of this.#waiting.values()) {
      for (const row of rows) if (found.length < most && this.#parent[row] === -1) found.push(row);
    }
    return found;
  }
  /** True where an entry names this id as its parent and none has it. */
  isMissed(id: string): boolean {
    if (this.#waiting.size === 0 || this.rowOf(id) >= 0) return false;
    return this.#waiting.has(this.keyOf(id));
  }
  typeOf(row: number): SessionEntryType {
    return ROW_TYPES[this.#type[row]!]!;
  }
  /** The same as its code: for walks over a whole branch. */
  typeCodeOf(row: number): number {
    return this.#type[row]!;
  }
  roleCodeOf(row: number): number {
    return this.#role[row]!;
  }
  roleOf(row: number): RowRole {
    return ROW_ROLES[this.#role[row]!]!;
  }
  hasFlag(row: number, flag: number): boolean {
    return (this.#flags[row]! & flag) !== 0;
  }
  isDamaged(row: number): boolean {
    return this.hasFlag(row, ROW_DAMAGED);
  }
  /** Makes a row a gap: its line turned out to be unreadable. */
  markDamaged(row: number): void {
    if (this.isDamaged(row)) return;
    this.#shape = ++shapes;
    this.#flags[row]! |= ROW_DAMAGED;
    this.#type[row] = 0;
    this.#role[row] = 0;
  }
  offsetOf(row: number): number {
    return this.#offset[row]!;
  }
  lengthOf(row: number): number {
    return this.#length[row]!;
  }
  setPlace(row: number, offset: number, length: number): void {
    this.#offset[row] = offset;
    this.#length[row] = length;
  }
  labelOf(id: string): string | undefined {
    return this.#labels.get(id);
  }
  labels(): ReadonlyMap<string, string> {
    return this.#labels;
  }
  get name(): string | undefined {
    return this.#name;
  }

  /** True for entries that stand in the chain without being a place of the conversation (product.md, markers). */
  isMarker(row: number): boolean {
    const type = this.typeOf(row);
    return type === "label" || type === "session_info" || type === "leaf" || this.hasFlag(row, ROW_POSITION);
  }

  /** Rows from the root to `row`. Linear; ends at circles (seed 1 §7, behaviours §2). */
  pathRows(row: number): Int32Array {
    let depth = 0;
    for (let at = row; at >= 0 && depth <= this.#count; at = this.#parent[at]!) depth++;
    const path = new Int32Array(depth);
    for (let at = row; depth > 0; at = this.#parent[at]!) path[--depth] = at;
    return path;
  }

  /** The nearest row at or above `row` whose type code is marked (1) in `wanted`, or -1. */
  nearest(row: number, wanted: Uint8Array): number {
    const types = this.#type;
    const parents = this.#parent;
    let at = row;
    while (at >= 0 && wanted[types[at]!] !== 1) at = parents[at]!;
    return at;
  }

  /** The deepest row on both paths, or -1. */
  commonAncestor(a: number, b: number): number {
    const pathA = this.pathRows(a);
    const pathB = this.pathRows(b);
    let shared = -1;
    for (let i = 0; i < pathA.length && i < pathB.length && pathA[i] === pathB[i]; i++) shared = pathA[i]!;
    return shared;
  }

  /** Child rows in file order; -1 asks for the roots. */
  childRows(row: number): number[] {
    this.#children.build(this.#parent, this.#count);
    return this.#children.rowsOf(row);
  }
  hasChildren(row: number): boolean {
    this.#children.build(this.#parent, this.#count);
    return this.#children.any(row);
  }

  /** Bytes held by the rows, for the benchmarks. */
  byteSize(): number {
    return this.#capacity * (8 + 4 + 3 + 4 + 4 + 4) + this.#table.byteLength + this.#children.byteSize;
  }

  #growRows(): void {
    const usual = this.#capacity < 4096 ? this.#capacity * 2 : Math.ceil(this.#capacity * 1.5);
    // What a beginning of small lines promises is not believed at once, unless it is little to believe.
    const size = Math.max(usual, Math.min(this.#expected, Math.max(this.#capacity * 8, BELIEVED_ROWS)));
    this.#offset = grow(this.#offset, size);
    this.#length = grow(this.#length, size);
    this.#type = grow(this.#type, size);
    this.#role = grow(this.#role, size);
    this.#flags = grow(this.#flags, size);
    this.#id = grow(this.#id, size);
    this.#parentId = grow(this.#parentId, size);
    this.#parent = grow(this.#parent, size);
    this.#capacity = size;
    this.#children.forget();
    this.#growTable();
  }

  /** Searches stay short while two thirds of the places are taken at most. */
  #growTable(): void {
    let bits = this.#tableBits;
    while (this.#capacity * 3 > 2 ** bits * 2) bits++;
    if (bits === this.#tableBits) return;
    this.#tableBits = bits;
    this.#table = new Int32Array(2 ** bits).fill(-1);
    const mask = this.#table.length - 1;
    for (let row = 0; row < this.#count; row++) {
      let slot = this.#slot(this.#id[row]!, this.#flags[row]! & ROW_ID_IS_TEXT);
      while (this.#table[slot]! >= 0) slot = (slot + 1) & mask;
      this.#table[slot] = row;
    }
  }

  #wait(parentKey: number, row: number): void {
    const rows = this.#waiting.get(parentKey);
    if (rows === undefined) this.#waiting.set(parentKey, [row]);
    else rows.push(row);
  }
  #adopt(idKey: number): void {
    const rows = this.#waiting.get(idKey);
    if (rows === undefined) return;
    const row = this.#count - 1;
    this.#waiting.delete(idKey);
    for (const child of rows) {
      if (this.#keyOfParent(child) !== idKey || child === row) continue;
      this.#parent[child] = row;
      this.#hasForward = true;
      this.#shape = ++shapes;
    }
    this.#children.forget();
  }
  #keyOfParent(row: number): number {
    const flags = this.#flags[row]!;
    if ((flags & ROW_NO_PARENT) !== 0) return NO_KEY;
    return (this.#parentId[row]! >>> 0) + ((flags & ROW_PARENT_IS_TEXT) !== 0 ? TEXT_KEY : 0);
  }
  #keyOfRow(row: number): number {
    return (this.#id[row]! >>> 0) + ((this.#flags[row]! & ROW_ID_IS_TEXT) !== 0 ? TEXT_KEY : 0);
  }

  #slot(value: number, text: number): number {
    const low = text === 0 ? value : value ^ 0x5bd1e995;
    return Math.imul(low ^ (low >>> 15), 0x9e3779b1) >>> (32 - this.#tableBits);
  }
  #find(value: number, text: number): number {
    const table = this.#table;
    const ids = this.#id;
    const mask = table.length - 1;
    for (let slot = this.#slot(value, text); ; slot = (slot + 1) & mask) {
      const row = table[slot]!;
      if (row < 0 || (ids[row] === value && (this.#flags[row]! & ROW_ID_IS_TEXT) === text)) {
        this.#endSlot = slot;
        return row;
      }
    }
  }
}

export { cleanName };
