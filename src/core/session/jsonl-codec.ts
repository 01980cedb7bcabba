// One line of a session file to an entry and back; reading is tolerant, writing is strict (behaviours §2, Damage).
import { SessionError } from "../errors.ts";
import type { SessionEntry, SessionHeader } from "./entries.ts";
import { normaliseContent, normaliseMessage } from "./message-normalisation.ts";

/** Lines longer than this are not read (bytes); security §1 51. */
export const MAX_LINE_BYTES = 32 * 1024 * 1024;
/** JSON nested deeper than this is not read: code further on may recurse. */
export const MAX_DEPTH = 64;
/** Lines of an append that is longer (characters) are encoded one by one. */
const TOGETHER_CHARS = 256 * 1024;
const NEWLINE = 0x0a;

export interface Salvage {
  id: string;
  parentId: string | null;
}
export type Decoded =
  /** `damage`: readable, but not as written. */
  | { kind: "entry"; entry: SessionEntry; damage?: string }
  | { kind: "header"; header: SessionHeader }
  | { kind: "blank" }
  | { kind: "bad"; reason: string; salvage?: Salvage };

const lenient = new TextDecoder("utf-8", { ignoreBOM: true });
const strict = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });
const encoder = new TextEncoder();

/**
 * The line of an entry or header, with its newline. Throws `invalid_entry` for what our own reader would not take.
 */
export function encodeLine(value: SessionEntry | SessionHeader): Uint8Array {
  return encodeLines([{ entry: value, json: JSON.stringify(value) }])[0]!;
}

/** The lines of entries whose JSON is known, the same way; those of a short append are encoded together. */
export function encodeLines(entries: readonly { entry: SessionEntry | SessionHeader; json: string }[]): Uint8Array[] {
  let chars = 0;
  for (const { entry, json } of entries) {
    if (!withinDepth(entry)) {
      throw new SessionError(
        "invalid_entry",
        `An entry of type ${entry.type} is nested more than ${MAX_DEPTH} levels.`,
      );
    }
    chars += json.length;
  }
  if (chars > TOGETHER_CHARS) return entries.map(encodeLong);
  const bytes = encoder.encode(`${entries.map(({ json }) => json).join("\n")}\n`);
  // JSON has no newline of its own.
  let from = 0;
  return entries.map(() => {
    const end = bytes.indexOf(NEWLINE, from) + 1;
    const line = bytes.subarray(from, end);
    from = end;
    return line;
  });
}

function encodeLong({ entry, json }: { entry: SessionEntry | SessionHeader; json: string }): Uint8Array {
  const bytes = encoder.encode(`${json}\n`);
  if (bytes.length > MAX_LINE_BYTES) {
    throw new SessionError("invalid_entry", `An entry of type ${entry.type} is larger than 32 MB.`);
  }
  return bytes;
}

/** Text of a line's bytes; bytes that are no UTF-8 become replacement characters. */
export function lineText(bytes: Uint8Array): { text: string; damage?: string } {
  const text = lenient.decode(bytes);
  // Only a replacement character, which may also be written as such, calls for the strict look.
  if (!text.includes("\ufffd")) return { text };
  try {
    return { text: strict.decode(bytes) };
  } catch {
    return { text, damage: "invalid UTF-8, shown with replacement characters" };
  }
}

/**
 * Decodes one line (without its newline), given as bytes or, where they are UTF-8 throughout, as text. Never throws.
 * `isPlain`: the text is cut out of one that is plain ASCII; pieces of others would take twice the memory.
 */
export function decodeLine(line: Uint8Array | string, isPlain = false): Decoded {
  if (line.length > MAX_LINE_BYTES) return { kind: "bad", reason: "longer than 32 MB" };
  if (typeof line !== "string") {
    const { text, damage } = lineText(line);
    return decodeText(text, damage);
  }
  const usual = isPlain ? usualMessage(line) : undefined;
  return usual === undefined ? decodeText(line) : decodeValue(usual);
}

function decodeText(text: string, damage?: string): Decoded {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return decodeOddText(text, damage);
  }
  const decoded = decodeValue(value);
  return damage !== undefined && decoded.kind === "entry" ? { ...decoded, damage } : decoded;
}

/** What is no JSON as it stands: nothing at all, behind a byte order mark, or with holes in it that a crash left. */
function decodeOddText(text: string, damage?: string): Decoded {
  if (text.charCodeAt(0) === 0xfeff) return decodeText(text.slice(1), damage);
  if (text.includes("\0")) {
    // What stands around a hole is still a line.
    const rest = text.replaceAll("\0", "");
    return rest.trim() === "" ? { kind: "bad", reason: "only NUL bytes" } : decodeText(rest, "NUL bytes, left out");
  }
  if (text.trim() === "") return { kind: "blank" };
  return bad(damage === undefined ? "not valid JSON" : `not valid JSON; ${damage}`, salvageFromText(text));
}

/** How nearly every line begins, in the very order that Pi and we write; each part has its place. */
const USUAL =
  /^\{"type":"message","id":"[0-9a-f]{8}","parentId":"[0-9a-f]{8}","timestamp":"[0-9T:.-]{23}Z","message":(?=\{)/;
const ID_AT = 24;
const PARENT_AT = ID_AT + 8 + '","parentId":"'.length;
const TIME_AT = PARENT_AT + 8 + '","timestamp":"'.length;
const MESSAGE_AT = TIME_AT + 24 + '","message":'.length;

/** Mostly an entry follows the one before it, on the same day: both then share these texts. */
let lastId = "--------";
let lastDay = "------------";

/**
 * What parsing the line would give, from its message alone: a third of the work where messages are short. Undefined where
 * the line does not begin as usual, or something stands behind its message.
 */
function usualMessage(line: string): object | undefined {
  if (!USUAL.test(line) || !line.endsWith("}") || line.includes("\0")) return undefined;
  try {
    const message: unknown = JSON.parse(line.slice(MESSAGE_AT, -1));
    const parentId = line.startsWith(lastId, PARENT_AT) ? lastId : line.slice(PARENT_AT, PARENT_AT + 8);
    const id = line.slice(ID_AT, ID_AT + 8);
    lastId = id;
    // In two halves, each short enough to be a copy: a longer piece would keep all the text around it in memory.
    if (!line.startsWith(lastDay, TIME_AT)) lastDay = line.slice(TIME_AT, TIME_AT + 12);
    return { type: "message", id, parentId, timestamp: lastDay + line.slice(TIME_AT + 12, TIME_AT + 24), message };
  } catch {
    return undefined;
  }
}

/** Decodes a parsed line. Never throws. */
export function decodeValue(value: unknown): Decoded {
  if (!isRecord(value)) return { kind: "bad", reason: "not an object" };
  if (typeof value.type !== "string") return { kind: "bad", reason: "no type" };
  if (value.type === "session") return decodeHeader(value);
  const { id } = value;
  if (typeof id !== "string" || id === "") return { kind: "bad", reason: `a ${shown(value.type)} entry without an id` };
  const parentId = typeof value.parentId === "string" && value.parentId !== "" ? value.parentId : null;
  if (!withinDepth(value)) return bad(`nested more than ${MAX_DEPTH} levels`, { id, parentId });
  if (value.parentId !== undefined && value.parentId !== null && typeof value.parentId !== "string") {
    return bad("the parent id is no text", { id, parentId });
  }
  // The parsed object is ours: it is set right in place.
  const base = value as Base;
  base.parentId = parentId;
  if (typeof base.timestamp !== "string") base.timestamp = isoTime(base.timestamp);
  const entry = decodeEntry(value.type, base);
  return typeof entry === "string" ? bad(entry, { id, parentId }) : { kind: "entry", entry };
}

function bad(reason: string, salvage?: Salvage): Decoded {
  return salvage === undefined ? { kind: "bad", reason } : { kind: "bad", reason, salvage };
}

type Base = Record<string, unknown> & { id: string; parentId: string | null; timestamp: string };

/** The reason why a text field is missing, or undefined. */
function textOf(type: string, base: Base, first: string, second = first): string | undefined {
  if (typeof base[first] === "string" && typeof base[second] === "string") return undefined;
  return `a ${type} entry without ${typeof base[first] === "string" ? second : first}`;
}

function set(base: Base, extra?: Record<string, unknown>): SessionEntry {
  if (extra !== undefined) Object.assign(base, extra);
  return base as unknown as SessionEntry;
}

/** The entry, or the reason why it is none. */
function decodeEntry(type: string, base: Base): SessionEntry | string {
  switch (type) {
    case "message": {
      const message = normaliseMessage(base.message, base.timestamp);
      if (message === undefined) return "a message entry without a message";
      base.message = message;
      return set(base);
    }
    case "thinking_level_change":
      return textOf(type, base, "thinkingLevel") ?? set(base);
    case "model_change":
      return textOf(type, base, "provider", "modelId") ?? set(base);
    case "active_tools_change": {
      if (!Array.isArray(base.activeToolNames)) return "an active_tools_change entry without activeToolNames";
      return set(base, { activeToolNames: base.activeToolNames.filter((name) => typeof name === "string") });
    }
    case "compaction":
      return textOf(type, base, "summary") ?? set(base, decodeCompaction(base));
    case "branch_summary":
      return (
        textOf(type, base, "summary") ?? set(base, { fromId: typeof base.fromId === "string" ? base.fromId : "root" })
      );
    case "custom":
      return textOf(type, base, "customType") ?? set(base);
    case "custom_message":
      return (
        textOf(type, base, "customType") ??
        set(base, { content: normaliseContent(base.content) ?? [], display: base.display !== false })
      );
    case "label":
      return (
        textOf(type, base, "targetId") ?? set(base, { label: typeof base.label === "string" ? base.label : undefined })
      );
    case "session_info":
      return set(base, { name: typeof base.name === "string" ? base.name : undefined });
    case "leaf":
      return base.targetId === null || typeof base.targetId === "string" ? set(base) : "a leaf entry without targetId";
    case "usage":
      return isRecord(base.usage) ? set(base) : "a usage entry without usage";
    case "context_edit": {
      const missing = textOf(type, base, "targetId");
      if (missing !== undefined) return missing;
      if (base.replacement === null) return set(base);
      const content = isRecord(base.replacement) ? normaliseContent(base.replacement.content) : undefined;
      return content === undefined
        ? "a context_edit entry without a replacement"
        : set(base, { replacement: { ...(base.replacement as object), content } });
    }
    default:
      return { type: "unknown", originalType: type, id: base.id, parentId: base.parentId, timestamp: base.timestamp };
  }
}

function decodeCompaction(base: Base): Record<string, unknown> {
  const tail = Array.isArray(base.retainedTail)
    ? base.retainedTail.map((message) => normaliseMessage(message)).filter((message) => message !== undefined)
    : undefined;
  const extra: Record<string, unknown> = {
    tokensBefore: typeof base.tokensBefore === "number" && base.tokensBefore >= 0 ? base.tokensBefore : 0,
  };
  if (base.retainedTail !== undefined) extra.retainedTail = tail;
  if (typeof base.firstKeptEntryId !== "string") extra.firstKeptEntryId = undefined;
  return extra;
}

function decodeHeader(value: Record<string, unknown>): Decoded {
  if (typeof value.id !== "string" || value.id === "") return { kind: "bad", reason: "a session header without an id" };
  // No version is version 1; newer formats may count in `v`. A version that is no number cannot be known to be old.
  const version = value.version ?? value.v ?? 1;
  return {
    kind: "header",
    header: {
      ...value,
      type: "session",
      version: typeof version === "number" ? version : Number.POSITIVE_INFINITY,
      id: value.id,
      timestamp: isoTime(value.timestamp),
      cwd: typeof value.cwd === "string" ? value.cwd : "",
    },
  };
}

/** Id and parent of a line that is no JSON any more but still begins like an entry. */
function salvageFromText(text: string): Salvage | undefined {
  const match = /^\s*\{"type":"[a-z_]{1,40}","id":"([^"\\]{1,100})","parentId":(null|"([^"\\]{1,100})"),/.exec(text);
  if (match === null) return undefined;
  // Two lines glued together name two ids: neither can be told to be the line's.
  if (/\{"type":"[a-z_]{1,40}","id":"/.test(text.slice(match[0].length))) return undefined;
  return { id: match[1]!, parentId: match[3] ?? null };
}

function isoTime(value: unknown): string {
  if (typeof value === "string") return value;
  return new Date(typeof value === "number" && Math.abs(value) < 8.64e15 ? value : 0).toISOString();
}

function shown(type: string): string {
  return JSON.stringify(type.slice(0, 40));
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Recursion is safe here: it ends at the limit that it checks. */
function withinDepth(value: unknown, levels = MAX_DEPTH): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (levels === 0) return false;
  if (Array.isArray(value)) {
    for (const child of value) if (typeof child === "object" && !withinDepth(child, levels - 1)) return false;
    return true;
  }
  for (const key in value) {
    const child = (value as Record<string, unknown>)[key];
    if (typeof child === "object" && !withinDepth(child, levels - 1)) return false;
  }
  return true;
}
