// From the entries of a branch to what the model would be sent (seed 1 §3; behaviours §3).
import type { AgentMessage } from "../llm/messages.ts";
import type { CompactionEntry, ContextEditEntry, CustomEntry, SessionEntry } from "./entries.ts";
import type { ContextItem, SessionContext } from "./session.ts";

/** Turns `custom` entries of one `customType` into messages; without one they are not part of the context. */
export type EntryProjector = (entry: CustomEntry) => AgentMessage[];
export interface ContextOptions {
  projectors?: ReadonlyMap<string, EntryProjector>;
}

/** Roles that may reach a model. Others, `system` above all, are data of a file and never forwarded (security §1 52). */
function isContextRole(role: string): boolean {
  switch (role) {
    case "user":
    case "assistant":
    case "toolResult":
    case "bashExecution":
    case "custom":
    case "branchSummary":
    case "compactionSummary":
      return true;
    default:
      return false;
  }
}

function epochMs(iso: string): number {
  const ms = Date.parse(iso);
  return Number.isNaN(ms) ? 0 : ms;
}

/** The newest compaction on a path, or undefined. */
export function latestCompaction(path: readonly SessionEntry[]): CompactionEntry | undefined {
  for (let i = path.length - 1; i >= 0; i--) {
    const entry = path[i]!;
    if (entry.type === "compaction") return entry;
  }
  return undefined;
}

/**
 * The entries of a root-to-leaf path that make the context: the newest compaction, what it keeps, what follows it
 * (seed 1 §3). A kept entry that is not found keeps nothing; older compactions inside the kept range stay in the list
 * and yield no message.
 */
export function defaultContextEntryTransform(path: readonly SessionEntry[]): SessionEntry[] {
  const compaction = latestCompaction(path);
  if (compaction === undefined) return [...path];
  const at = path.lastIndexOf(compaction);
  let kept: readonly SessionEntry[] = [];
  if (compaction.retainedTail === undefined && compaction.firstKeptEntryId !== undefined) {
    const from = path.findIndex((entry, i) => i < at && entry.id === compaction.firstKeptEntryId);
    if (from >= 0) kept = path.slice(from, at);
  }
  return [compaction, ...kept, ...path.slice(at + 1)];
}

/** What one entry says to the model; nothing for settings, labels, names, markers and unknown types (seed 1 §6). */
export function sessionEntryToContextMessages(entry: SessionEntry, options: ContextOptions = {}): AgentMessage[] {
  switch (entry.type) {
    case "message":
      return isContextRole(entry.message.role) ? [entry.message] : [];
    case "custom_message":
      return [
        {
          role: "custom",
          customType: entry.customType,
          content: entry.content,
          display: entry.display,
          ...(entry.details === undefined ? {} : { details: entry.details }),
          timestamp: epochMs(entry.timestamp),
        },
      ];
    case "compaction":
      return [
        {
          role: "compactionSummary",
          summary: entry.summary,
          tokensBefore: entry.tokensBefore,
          timestamp: epochMs(entry.timestamp),
        },
        ...(entry.retainedTail ?? []).filter((message) => isContextRole(message.role)),
      ];
    case "branch_summary":
      if (entry.summary === "") return [];
      return [
        {
          role: "branchSummary",
          summary: entry.summary,
          fromId: entry.fromId,
          timestamp: epochMs(entry.timestamp),
        },
      ];
    case "custom":
      return options.projectors?.get(entry.customType)?.(entry) ?? [];
    default:
      return [];
  }
}

/** Messages as a `context_edit` of their entry makes them: left out, or with other content. */
export function applyContextEdit(messages: AgentMessage[], edit: ContextEditEntry): AgentMessage[] {
  const { replacement } = edit;
  if (replacement === null) return [];
  return messages.map((message): AgentMessage => {
    switch (message.role) {
      case "user":
      case "custom":
        return { ...message, content: replacement.content } as AgentMessage;
      case "assistant":
      case "toolResult": {
        const content =
          typeof replacement.content === "string"
            ? [{ type: "text" as const, text: replacement.content }]
            : replacement.content;
        return { ...message, content } as unknown as AgentMessage;
      }
      default:
        return message;
    }
  });
}

/** The `context_edit` entries among some, by target; the latest counts. */
export function contextEdits(entries: readonly SessionEntry[]): Map<string, ContextEditEntry> {
  const edits = new Map<string, ContextEditEntry>();
  for (const entry of entries) if (entry.type === "context_edit") edits.set(entry.targetId, entry);
  return edits;
}

/** What one entry of the context gives; undefined where that is nothing. Only the first may be a compaction. */
export function projectContextEntry(
  entry: SessionEntry,
  isFirst: boolean,
  edits: ReadonlyMap<string, ContextEditEntry>,
  options: ContextOptions,
): ContextItem | undefined {
  if (entry.type === "compaction" && !isFirst) return undefined;
  let messages = sessionEntryToContextMessages(entry, options);
  const edit = edits.size > 0 ? edits.get(entry.id) : undefined;
  if (edit !== undefined) messages = applyContextEdit(messages, edit);
  return messages.length > 0 ? { entry, messages } : undefined;
}

/** Projects the entries that `defaultContextEntryTransform` chose; `context_edit` entries among them apply, latest last. */
export function projectContextEntries(entries: readonly SessionEntry[], options: ContextOptions = {}): ContextItem[] {
  const edits = contextEdits(entries);
  const items = entries.map((entry, i) => projectContextEntry(entry, i === 0, edits, options));
  return items.filter((item) => item !== undefined);
}

/**
 * Model, thinking level and tools at the end of a root-to-leaf path: the last change of each, the model also from any
 * assistant message (behaviours §3 and §9, 9). Needs the whole path: a compaction does not reset them.
 */
export function deriveSessionContextState(
  path: readonly SessionEntry[],
): Pick<SessionContext, "thinkingLevel" | "model" | "activeToolNames"> {
  let thinkingLevel = "off";
  let model: SessionContext["model"] = null;
  let activeToolNames: string[] | null = null;
  for (const entry of path) {
    if (entry.type === "thinking_level_change") thinkingLevel = entry.thinkingLevel;
    else if (entry.type === "model_change") model = { provider: entry.provider, modelId: entry.modelId };
    else if (entry.type === "active_tools_change") activeToolNames = [...entry.activeToolNames];
    else if (entry.type === "message" && entry.message.role === "assistant") {
      model = { provider: entry.message.provider, modelId: entry.message.model };
    }
  }
  return { thinkingLevel, model, activeToolNames };
}

/** The context of a root-to-leaf path (seed 1 §3). */
export function buildContext(path: readonly SessionEntry[], options: ContextOptions = {}): SessionContext {
  const items = projectContextEntries(defaultContextEntryTransform(path), options);
  return { items, messages: items.flatMap((item) => item.messages), ...deriveSessionContextState(path) };
}
