// What the index keeps of an entry in single bytes: type, role, flags.
import { POSITION_CUSTOM_TYPE, type SessionEntry, type SessionEntryType } from "./entries.ts";

/** Entry types by code; `unknown` is 0. */
export const ROW_TYPES: readonly SessionEntryType[] = [
  "unknown",
  "message",
  "thinking_level_change",
  "model_change",
  "active_tools_change",
  "compaction",
  "branch_summary",
  "custom",
  "custom_message",
  "label",
  "session_info",
  "leaf",
  "usage",
  "context_edit",
];
/** Message roles by code; 0 where the entry is no message, `other` for a role that is never sent. */
export const ROW_ROLES = ["", "user", "assistant", "toolResult", "bashExecution", "custom", "other"] as const;
export type RowRole = (typeof ROW_ROLES)[number];

const TYPE_CODES = new Map<string, number>(ROW_TYPES.map((type, code) => [type, code]));
const ROLE_CODES = new Map<string, number>(ROW_ROLES.map((role, code) => [role, code]));

/** The row's id is kept as text: it is not eight hex digits. */
export const ROW_ID_IS_TEXT = 1;
export const ROW_PARENT_IS_TEXT = 2;
export const ROW_NO_PARENT = 4;
/** The line cannot be read as an entry, but names its id and parent: a gap that keeps both sides connected. */
export const ROW_DAMAGED = 8;
/** A `coppice.position` marker. */
export const ROW_POSITION = 16;

export function typeCode(type: string): number {
  return TYPE_CODES.get(type) ?? 0;
}
export function roleCode(role: unknown): number {
  return (typeof role === "string" ? ROLE_CODES.get(role) : undefined) ?? 6;
}
/** Flags and role of an entry as the index keeps them. */
export function rowFacts(entry: SessionEntry): { type: number; role: number; flags: number } {
  return {
    type: typeCode(entry.type),
    role: entry.type === "message" ? roleCode(entry.message.role) : 0,
    flags: entry.type === "custom" && entry.customType === POSITION_CUSTOM_TYPE ? ROW_POSITION : 0,
  };
}
