// Reads type, id, parent and role from the first bytes of a line, where they stand in the usual order.
import { POSITION_CUSTOM_TYPE } from "./entries.ts";
import {
  ROW_ID_IS_TEXT,
  ROW_NO_PARENT,
  ROW_PARENT_IS_TEXT,
  ROW_POSITION,
  ROW_ROLES,
  ROW_TYPES,
  roleCode,
  typeCode,
} from "./row-facts.ts";
import type { RowIds, SessionTree } from "./session-tree.ts";

const ascii = (text: string): Uint8Array => new TextEncoder().encode(text);
const TYPE = ascii('{"type":"');
const ID = ascii(',"id":"');
const PARENT = ascii(',"parentId":');
const TIMESTAMP = ascii(',"timestamp":"');
const ROLE = ascii(',"message":{"role":"');
const POSITION = ascii(`,"customType":"${POSITION_CUSTOM_TYPE}"`);
const NULL = ascii("null");
const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const ZULU = 0x5a;
const TEE = 0x54;
/** Ids and names longer than this are left to the full parse. */
const MAX_TEXT = 64;

/** Types whose content the index needs as well. */
const WHOLE_LINE = new Set(["label", "session_info", "leaf", "unknown"].map(typeCode));

const byShape = new Map<number, { bytes: Uint8Array; code: number }>();
const shapeOf = (length: number, first: number, third: number) => (length << 16) | (first << 8) | third;
ROW_TYPES.forEach((type, code) => {
  const bytes = ascii(type);
  if (code > 0) byShape.set(shapeOf(bytes.length, bytes[0]!, bytes[2]!), { bytes, code });
});
const roleByShape = new Map<number, { bytes: Uint8Array; code: number }>();
ROW_ROLES.forEach((role, code) => {
  const bytes = ascii(role);
  if (code > 0 && role !== "other") roleByShape.set(shapeOf(bytes.length, bytes[0]!, bytes[2]!), { bytes, code });
});

const HEX = new Int8Array(256).fill(-1);
for (let i = 0; i < 16; i++) HEX["0123456789abcdef".charCodeAt(i)] = i;

/** The line of nearly every entry, up to its role: only the places of `-` differ. */
const USUAL = ascii(
  '{"type":"message","id":"--------","parentId":"--------","timestamp":"----------T------------Z","message":{"role":"',
);
const USUAL_ID = USUAL.indexOf(0x2d);
const USUAL_PARENT = USUAL_ID + 8 + PARENT.length + 2;
const USUAL_TEE = USUAL.indexOf(TEE, USUAL_PARENT + 8);
/** Where its fixed parts are, four bytes at a time; the last four of a part may overlap those before. */
const wordPlaces: number[] = [];
for (let from = 0; from < USUAL.length; ) {
  let to = from;
  while (to < USUAL.length && USUAL[to] !== 0x2d) to++;
  for (let at = from; to - from >= 4 && at < to; at += 4) wordPlaces.push(Math.min(at, to - 4));
  from = to + 1;
}
const USUAL_WORDS = new Int32Array(wordPlaces.length);
const USUAL_PLACES = Uint8Array.from(wordPlaces);
const usualView = new DataView(USUAL.buffer);
wordPlaces.forEach((at, i) => {
  USUAL_WORDS[i] = usualView.getInt32(at);
});
/** Longer than the usual beginning with its role. */
const USUAL_BYTES = USUAL.length + 16;
const USUAL_ROLES = ["user", "assistant", "toolResult"].map((role) => ({
  bytes: ascii(`${role}"`),
  code: roleCode(role),
}));

/** Filled by `readPrefix`; one object, because a large file has a million lines. */
export class Prefix implements RowIds {
  id = 0;
  parent = 0;
  type = 0;
  role = 0;
  flags = 0;
  #bytes: Uint8Array | undefined;
  #view = usualView;

  /** The bytes as words. */
  viewOf(bytes: Uint8Array): DataView {
    if (this.#bytes !== bytes) {
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    }
    return this.#view;
  }
}

function matches(bytes: Uint8Array, at: number, wanted: Uint8Array): boolean {
  for (let i = 0; i < wanted.length; i++) if (bytes[at + i] !== wanted[i]) return false;
  return true;
}

/** Index of the closing quote of a short text without escapes or bytes beyond ASCII, or -1. */
function textEnd(bytes: Uint8Array, start: number, end: number): number {
  const limit = Math.min(end, start + MAX_TEXT);
  for (let at = start; at < limit; at++) {
    const byte = bytes[at]!;
    if (byte === QUOTE) return at;
    if (byte === BACKSLASH || byte < 0x20 || byte > 0x7e) return -1;
  }
  return -1;
}

/** True where eight hex digits and a quote stand there. */
function isHex(bytes: Uint8Array, start: number): boolean {
  if (bytes[start + 8] !== QUOTE) return false;
  for (let at = start; at < start + 8; at++) if (HEX[bytes[at]!]! < 0) return false;
  return true;
}
/** Their 32 bits. */
function hexValue(bytes: Uint8Array, start: number): number {
  let value = 0;
  for (let at = start; at < start + 8; at++) value = (value << 4) | HEX[bytes[at]!]!;
  return value;
}

/** The number of a text that is no eight hex digits. */
function textValue(bytes: Uint8Array, start: number, end: number, tree: SessionTree): number {
  return tree.keyOf(String.fromCharCode(...bytes.subarray(start, end))) | 0;
}

/** Reads the usual line of a message; false for any other, which `readPrefix` may read yet. */
function readUsual(bytes: Uint8Array, start: number, view: DataView, out: Prefix): boolean {
  for (let i = 0; i < USUAL_WORDS.length; i++) {
    if (view.getInt32(start + USUAL_PLACES[i]!) !== USUAL_WORDS[i]) return false;
  }
  if (bytes[start + USUAL_TEE] !== TEE) return false;
  if (!isHex(bytes, start + USUAL_ID) || !isHex(bytes, start + USUAL_PARENT)) return false;
  for (const role of USUAL_ROLES) {
    if (!matches(bytes, start + USUAL.length, role.bytes)) continue;
    out.type = 1;
    out.role = role.code;
    out.flags = 0;
    out.id = hexValue(bytes, start + USUAL_ID);
    out.parent = hexValue(bytes, start + USUAL_PARENT);
    return true;
  }
  return false;
}

/**
 * False where the line has another key order or needs a full parse. `[start, end)` may be the beginning of a line only;
 * what stands after the prefix is not looked at.
 */
export function readPrefix(bytes: Uint8Array, start: number, end: number, tree: SessionTree, out: Prefix): boolean {
  if (start + USUAL_BYTES <= end && readUsual(bytes, start, out.viewOf(bytes), out)) return true;
  if (!matches(bytes, start, TYPE)) return false;
  let at = start + TYPE.length;
  let close = textEnd(bytes, at, end);
  if (close - at < 3) return false;
  const type = byShape.get(shapeOf(close - at, bytes[at]!, bytes[at + 2]!));
  if (type === undefined || !matches(bytes, at, type.bytes) || WHOLE_LINE.has(type.code)) return false;
  if (!matches(bytes, close + 1, ID)) return false;
  at = close + 1 + ID.length;
  const idIsHex = at + 8 < end && isHex(bytes, at);
  close = idIsHex ? at + 8 : textEnd(bytes, at, end);
  if (close <= at) return false;
  const idStart = at;
  const idEnd = close;
  if (!matches(bytes, close + 1, PARENT)) return false;
  at = close + 1 + PARENT.length;
  let parentIsHex = false;
  let parentStart = -1;
  let parentEnd = -1;
  if (matches(bytes, at, NULL)) at += 4;
  else {
    if (bytes[at] !== QUOTE) return false;
    parentStart = at + 1;
    parentIsHex = at + 9 < end && isHex(bytes, parentStart);
    parentEnd = parentIsHex ? parentStart + 8 : textEnd(bytes, parentStart, end);
    if (parentEnd <= parentStart) return false;
    at = parentEnd + 1;
  }
  if (!matches(bytes, at, TIMESTAMP)) return false;
  at += TIMESTAMP.length;
  // `2026-01-01T00:00:00.000Z"`: the usual length needs no search for its end.
  const usual = at + 24 < end && bytes[at + 24] === QUOTE && bytes[at + 23] === ZULU && bytes[at + 10] === TEE;
  close = usual ? at + 24 : textEnd(bytes, at, end);
  if (close < 0) return false;
  out.role = 0;
  out.flags = 0;
  if (type.code === 1) {
    if (!matches(bytes, close + 1, ROLE)) return false;
    at = close + 1 + ROLE.length;
    close = textEnd(bytes, at, end);
    if (close - at < 3) return false;
    const role = roleByShape.get(shapeOf(close - at, bytes[at]!, bytes[at + 2]!));
    if (role === undefined || !matches(bytes, at, role.bytes)) return false;
    out.role = role.code;
  } else if (type.code === 7) {
    // The custom type decides whether the entry is a marker: it must be in sight.
    if (close + 1 + POSITION.length > end) return false;
    if (matches(bytes, close + 1, POSITION)) out.flags = ROW_POSITION;
    else if (!matches(bytes, close + 1, POSITION.subarray(0, 15))) return false;
  }
  out.type = type.code;
  out.id = idIsHex ? hexValue(bytes, idStart) : textValue(bytes, idStart, idEnd, tree);
  if (!idIsHex) out.flags |= ROW_ID_IS_TEXT;
  if (parentStart < 0) out.flags |= ROW_NO_PARENT;
  else if (!parentIsHex) out.flags |= ROW_PARENT_IS_TEXT;
  out.parent = 0;
  if (parentIsHex) out.parent = hexValue(bytes, parentStart);
  else if (parentStart >= 0) out.parent = textValue(bytes, parentStart, parentEnd, tree);
  return true;
}
