// One session: a tree of entries on disk, the position in it, and the context that follows from it.
import type { AgentMessage, BashExecutionMessage, CustomMessage, Message } from "../llm/messages.ts";
import type { LateEntry, NewEntry, SessionEntry, SessionEntryType, SessionHeader } from "./entries.ts";

/** One message of the context and the entry that it comes from. */
export interface ContextItem {
  entry: SessionEntry;
  messages: AgentMessage[];
}

/** What the model would be sent, before hooks (seed 1 §3). */
export interface SessionContext {
  items: ContextItem[];
  messages: AgentMessage[];
  thinkingLevel: string;
  model: { provider: string; modelId: string } | null;
  /** Null: no `active_tools_change` on the path. */
  activeToolNames: string[] | null;
}

export interface SessionChange {
  /** Ids that joined the tree, in file order. */
  appended: readonly string[];
  /** The position after the change. */
  leafId: string | null;
  /** True where another process wrote them. */
  external: boolean;
}

export interface BadLine {
  /** 1-based. */
  line: number;
  reason: string;
}

/** Structure of the tree without contents: cheap at any size. Complete once `ready()` resolved. */
export interface SessionNode {
  id: string;
  /** Null for roots; also where the entry names a parent that is not there. */
  parentId: string | null;
  /** `unknown` also for a line that names its id and parent and cannot be read otherwise. */
  type: SessionEntryType;
  /** Role of a message entry; `other` for roles that are never sent. */
  role?: "user" | "assistant" | "toolResult" | "bashExecution" | "custom" | "other";
  /** True for labels, names, `leaf` and position entries: they stand in the chain and are no place of the conversation. */
  marker?: boolean;
}

export interface Session {
  readonly id: string;
  readonly cwd: string;
  readonly header: SessionHeader;
  /** Absolute path; undefined for a session in memory. The file appears with the first user message. */
  readonly file: string | undefined;
  /** Why the session cannot be written, or undefined. */
  readonly readOnlyReason: string | undefined;

  /** Resolves when the index of the whole file is complete: tree, labels, name and search need it. */
  ready(): Promise<void>;
  /** Lines that could not be read, with reasons; complete after `ready()`. */
  badLines(): readonly BadLine[];
  /** Entries known so far (all of them after `ready()`). */
  size(): number;
  /**
   * Another number once an entry that was known says something else or has another parent (a duplicate id, a parent that
   * came late, a line that turned out to be unreadable, a replaced file). Entries that only join do not change it.
   */
  shape(): number;

  /** The position: the entry that the next one will follow, or null before the first entry. */
  getLeafId(): string | null;
  node(id: string): SessionNode | undefined;
  /** The nearest entry of a type at or above an entry; quick at any depth. */
  nearestOfType(type: SessionEntryType, id: string | null): string | undefined;
  /** Children in file order; null asks for the roots (orphans included). */
  childrenOf(id: string | null): readonly string[];
  /** Ids from the root to `id`; empty for null. Linear, safe against cycles. */
  pathTo(id: string | null): readonly string[];
  /** Every id in file order. */
  allIds(): Iterable<string>;
  getLabel(id: string): string | undefined;
  /** Every label by the entry that it names. */
  labels(): ReadonlyMap<string, string>;
  getName(): string | undefined;

  getEntry(id: string): Promise<SessionEntry | undefined>;
  /** Entries in the order asked for; ids that do not exist are left out. Neighbouring lines are read together. */
  getEntries(ids: readonly string[]): Promise<SessionEntry[]>;
  /** The bytes of the entry's line as the file has them, without the newline. */
  getRawLine(id: string): Promise<string | undefined>;
  /**
   * All entries from the root to the leaf (seed 1 §3), `unknown` ones in place of lines that cannot be read; parses the
   * whole branch, so only for who needs that.
   */
  getBranch(leafId?: string | null): Promise<SessionEntry[]>;
  /** The context at a leaf, by default at the position (seed 1 §3; behaviours §3). */
  buildContext(leafId?: string | null): Promise<SessionContext>;
  /**
   * The context at the position of the file without waiting for the index (performance §7): for showing at once. Its
   * thinking level, model and tools may be older than what `buildContext` finds; never send from it.
   */
  buildTailContext(): Promise<SessionContext>;

  /** Appends to the position, or behind another entry where one is given (null: as a root), in one write and one sync; resolves with the ids when they are on disk. */
  appendEntries(entries: readonly (NewEntry | LateEntry)[], behind?: string | null): Promise<string[]>;
  appendMessage(message: Message | CustomMessage | BashExecutionMessage): Promise<string>;
  appendThinkingLevelChange(thinkingLevel: string): Promise<string>;
  appendModelChange(provider: string, modelId: string): Promise<string>;
  appendActiveToolsChange(activeToolNames: string[]): Promise<string>;
  appendCompaction(entry: Omit<Extract<NewEntry, { type: "compaction" }>, "type">): Promise<string>;
  appendCustomEntry(customType: string, data?: unknown): Promise<string>;
  appendCustomMessageEntry(
    customType: string,
    content: CustomMessage["content"],
    display: boolean,
    details?: unknown,
  ): Promise<string>;
  appendContextEdit(
    targetId: string,
    replacement: Extract<NewEntry, { type: "context_edit" }>["replacement"],
  ): Promise<string>;
  /** Labels an entry; blank or undefined takes the label away. Does not move the position's branch. */
  appendLabel(targetId: string, label: string | undefined): Promise<string>;
  appendSessionName(name: string): Promise<string>;

  /**
   * Moves the position (product.md "Looking is not moving"): the `leaf` entry, the `custom` entry `coppice.position` on the
   * target, and the branch summary on the target where one is given, all in one write. Moving to where the position is
   * writes nothing but a summary. Returns the id of the new leaf.
   */
  moveTo(
    targetId: string | null,
    branchSummary?: Omit<Extract<NewEntry, { type: "branch_summary" }>, "type">,
  ): Promise<string | null>;

  /** Looks for what others appended to the file. */
  refresh(): Promise<void>;
  onDidChange(listener: (change: SessionChange) => void): () => void;
  close(): Promise<void>;
}
