// Reads type, id, parent and role from the first bytes of a line, where they stand in the usual order.
import { POSITION_CUSTOM_TYPE } from "./entries.ts";
import { ROW_POSITION, ROW_ROLES, ROW_TYPES, typeCode } from "./row-facts.ts";
import { NO_KEY, type SessionTree } from "./session-tree.ts";

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

/** Filled by `readPrefix`; one object, because a large file has a million lines. */
export class Prefix {
  type = 0;
  role = 0;
  flags = 0;
  idKey = 0;
  parentKey = NO_KEY;
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

/** The value of eight hex digits that a quote follows, or -1. */
function hexKey(bytes: Uint8Array, start: number): number {
  if (bytes[start + 8] !== QUOTE) return -1;
  let value = 0;
  for (let at = start; at < start + 8; at++) {
    const digit = HEX[bytes[at]!]!;
    if (digit < 0) return -1;
    value = value * 16 + digit;
  }
  return value;
}

function textKey(bytes: Uint8Array, start: number, end: number, tree: SessionTree): number {
  return tree.keyOf(String.fromCharCode(...bytes.subarray(start, end)));
}

/**
 * False where the line has another key order or needs a full parse. `[start, end)` may be the beginning of a line only;
 * what stands after the prefix is not looked at.
 */
export function readPrefix(bytes: Uint8Array, start: number, end: number, tree: SessionTree, out: Prefix): boolean {
  if (!matches(bytes, start, TYPE)) return false;
  let at = start + TYPE.length;
  let close = textEnd(bytes, at, end);
  if (close - at < 3) return false;
  const type = byShape.get(shapeOf(close - at, bytes[at]!, bytes[at + 2]!));
  if (type === undefined || !matches(bytes, at, type.bytes) || WHOLE_LINE.has(type.code)) return false;
  if (!matches(bytes, close + 1, ID)) return false;
  at = close + 1 + ID.length;
  let idKey = at + 8 < end ? hexKey(bytes, at) : -1;
  close = idKey >= 0 ? at + 8 : textEnd(bytes, at, end);
  if (close <= at) return false;
  const idStart = at;
  const idEnd = close;
  if (!matches(bytes, close + 1, PARENT)) return false;
  at = close + 1 + PARENT.length;
  let parentKey = NO_KEY;
  let parentStart = -1;
  let parentEnd = -1;
  if (matches(bytes, at, NULL)) at += 4;
  else {
    if (bytes[at] !== QUOTE) return false;
    parentStart = at + 1;
    parentKey = at + 9 < end ? hexKey(bytes, parentStart) : -1;
    parentEnd = parentKey >= 0 ? parentStart + 8 : textEnd(bytes, parentStart, end);
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
  if (idKey < 0) idKey = textKey(bytes, idStart, idEnd, tree);
  if (parentStart >= 0 && parentKey < 0) parentKey = textKey(bytes, parentStart, parentEnd, tree);
  out.idKey = idKey;
  out.parentKey = parentKey;
  return true;
}
