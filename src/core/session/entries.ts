// The header and the entries of a session file, format version 3 (behaviours §2).
import type { AgentMessage, ImageContent, TextContent, Usage } from "../llm/messages.ts";

export const CURRENT_SESSION_VERSION = 3;

export interface SessionHeader {
  type: "session";
  version: number;
  /** UUIDv7, or a custom id of letters, digits and inner `._-`. */
  id: string;
  /** ISO 8601. */
  timestamp: string;
  cwd: string;
  /** Path of the session that this one was forked from. */
  parentSession?: string;
  metadata?: Record<string, unknown>;
}

interface EntryBase {
  id: string;
  /** Null for a root. */
  parentId: string | null;
  /** ISO 8601. */
  timestamp: string;
}

export interface MessageEntry extends EntryBase {
  type: "message";
  message: AgentMessage;
}
export interface ThinkingLevelChangeEntry extends EntryBase {
  type: "thinking_level_change";
  thinkingLevel: string;
}
export interface ModelChangeEntry extends EntryBase {
  type: "model_change";
  provider: string;
  modelId: string;
}
export interface ActiveToolsChangeEntry extends EntryBase {
  type: "active_tools_change";
  activeToolNames: string[];
}
export interface CompactionEntry extends EntryBase {
  type: "compaction";
  summary: string;
  /** First entry that stays verbatim. Equal to the entry's own id: nothing stays. */
  firstKeptEntryId?: string;
  tokensBefore: number;
  /** Messages stored with the entry by pi-agent-core; read, never written. */
  retainedTail?: AgentMessage[];
  details?: unknown;
  usage?: Usage;
  fromHook?: boolean;
}
export interface BranchSummaryEntry extends EntryBase {
  type: "branch_summary";
  /** The leaf that was left, or `root`. */
  fromId: string;
  summary: string;
  details?: unknown;
  usage?: Usage;
  fromHook?: boolean;
}
export interface CustomEntry extends EntryBase {
  type: "custom";
  customType: string;
  data?: unknown;
}
export interface CustomMessageEntry extends EntryBase {
  type: "custom_message";
  customType: string;
  content: string | (TextContent | ImageContent)[];
  display: boolean;
  details?: unknown;
}
export interface LabelEntry extends EntryBase {
  type: "label";
  targetId: string;
  /** Absent or blank: the label is taken away. */
  label?: string;
}
export interface SessionInfoEntry extends EntryBase {
  type: "session_info";
  name?: string;
}
export interface LeafEntry extends EntryBase {
  type: "leaf";
  /** The position, or null for the place before the first entry. */
  targetId: string | null;
}
export interface UsageEntry extends EntryBase {
  type: "usage";
  kind: string;
  provider: string;
  model: string;
  usage: Usage;
  note?: string;
}
export interface ContextEditEntry extends EntryBase {
  type: "context_edit";
  targetId: string;
  /** Null leaves the target out of the context; a value replaces its content. */
  replacement: { content: string | { type: string; [key: string]: unknown }[] } | null;
}
/** A type that this version does not know: a transparent node of the tree, kept byte for byte. */
export interface UnknownEntry extends EntryBase {
  type: "unknown";
  /** The type as the file has it. */
  originalType: string;
}

export type SessionEntry =
  | MessageEntry
  | ThinkingLevelChangeEntry
  | ModelChangeEntry
  | ActiveToolsChangeEntry
  | CompactionEntry
  | BranchSummaryEntry
  | CustomEntry
  | CustomMessageEntry
  | LabelEntry
  | SessionInfoEntry
  | LeafEntry
  | UsageEntry
  | ContextEditEntry
  | UnknownEntry;

export type SessionEntryType = SessionEntry["type"];

type WithoutBase<E> = E extends EntryBase ? Omit<E, keyof EntryBase> : never;
/** An entry before the session gives it id, parent and time. */
export type NewEntry = WithoutBase<Exclude<SessionEntry, UnknownEntry>>;
/** One that names others of the same write: made when these, the entries before it, have their ids. */
export type LateEntry = (ids: readonly string[]) => NewEntry;

/** `customType` of the entry that a move writes on its target, so that Pi, which ignores `leaf`, finds the same position. */
export const POSITION_CUSTOM_TYPE = "coppice.position";
