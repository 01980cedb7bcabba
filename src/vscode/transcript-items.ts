// Entries of a session as rows of the chat (pure: no editor in here).
import { notedTokensAfter } from "../core/compaction/compaction-size.ts";
import { isCutOff } from "../core/llm/cut-off.ts";
import type { AssistantMessage, ToolCall, ToolResultMessage, Usage } from "../core/llm/messages.ts";
import { contentText, toolCallsOf } from "../core/llm/messages.ts";
import type { SessionEntry } from "../core/session/entries.ts";
import type { Session } from "../core/session/session.ts";
import { isVisible, siblingsOf } from "../core/session/siblings.ts";
import type { AssistantBlock, Siblings, ToolStatus, TranscriptItem, UsageView } from "../protocol/view-state.ts";
import { diffView } from "./diff-view.ts";

export type ToolItem = Extract<TranscriptItem, { kind: "tool" }>;

const MAX_OUTPUT = 20_000;
const MAX_ARGS = 20_000;

/** Names for models by provider and id, summaries as they are read, and whether a compaction can be undone now. */
export interface ItemContext {
  session: Session;
  modelName: (provider: string, modelId: string) => string;
  /** A summary as people read it. */
  readable: (summary: string) => string;
  undoableCompaction: string | undefined;
}

export function usageView(usage: Usage): UsageView | undefined {
  if (usage.totalTokens === 0 && usage.input === 0 && usage.output === 0) return undefined;
  return {
    input: usage.input,
    output: usage.output,
    cacheRead: usage.cacheRead,
    cacheWrite: usage.cacheWrite,
    ...(usage.unpriced === true ? {} : { costUsd: usage.cost?.total ?? 0 }),
    estimated: usage.estimated === true,
  };
}

/** The row of a call has the call's id, so that it stays the same row from the first argument to the saved result. */
export function toolItemId(callId: string): string {
  return `tool:${callId}`;
}

function firstLine(text: string): string {
  const line = text.split("\n", 1)[0] ?? "";
  return text.length > line.length ? `${line} …` : line;
}

/** One line that says what a call is about. */
export function toolTitle(name: string, args: Record<string, unknown>): string {
  const text = (key: string) => (typeof args[key] === "string" ? (args[key] as string) : "");
  switch (name) {
    case "bash":
      return firstLine(text("command"));
    case "grep":
    case "find": {
      const where = text("path");
      return where === "" ? text("pattern") : `${text("pattern")} in ${where}`;
    }
    case "ls":
      return text("path") || ".";
    case "recall":
      return text("query") || text("id");
    default:
      return text("path") || firstLine(JSON.stringify(args) ?? "");
  }
}

function pretty(args: unknown): string {
  const text = JSON.stringify(args, undefined, 2) ?? "";
  return text.length > MAX_ARGS ? `${text.slice(0, MAX_ARGS).toWellFormed()}\n…` : text;
}

/** A row for a call that has no result yet. */
export function toolItem(call: ToolCall, status: ToolStatus, timestamp: number, saved: boolean): ToolItem {
  return {
    kind: "tool",
    id: toolItemId(call.id),
    saved,
    timestamp,
    callId: call.id,
    name: call.name,
    title: toolTitle(call.name, call.arguments),
    status,
    args: pretty(call.arguments),
    output: "",
    outputTruncated: false,
  };
}

/** The row with its result. */
export function withResult(
  item: ToolItem,
  result: { content: ToolResultMessage["content"]; details?: unknown; isError: boolean },
  saved: boolean,
): ToolItem {
  const text = contentText(result.content);
  const details = (result.details ?? {}) as { path?: unknown; before?: unknown; after?: unknown };
  const changed = typeof details.before === "string" && typeof details.after === "string";
  const status: ToolStatus = result.isError
    ? text.startsWith("The user denied")
      ? "denied"
      : text.startsWith("The call was aborted")
        ? "aborted"
        : "error"
    : "done";
  return {
    ...item,
    saved,
    status,
    output: text.slice(0, MAX_OUTPUT).toWellFormed(),
    outputTruncated: text.length > MAX_OUTPUT,
    ...(changed ? { diff: diffView(item.title, details.before as string, details.after as string) } : {}),
  };
}

/** The parts of a reply that are shown in it; calls only as references to their rows. */
export function assistantBlocks(message: AssistantMessage): AssistantBlock[] {
  return (message.content ?? []).map((part): AssistantBlock => {
    if (part.type === "text") return { type: "text", text: part.text ?? "" };
    if (part.type === "thinking") {
      return { type: "thinking", text: part.thinking ?? "", redacted: part.redacted === true };
    }
    return { type: "toolCall", callId: part.id };
  });
}

/** True for a reply that shows nothing but its calls' rows. */
export function isBareReply(message: AssistantMessage): boolean {
  if (message.stopReason === "error" || message.stopReason === "aborted" || message.stopReason === "length")
    return false;
  return !(message.content ?? []).some(
    (part) =>
      (part.type === "text" && (part.text ?? "").trim() !== "") ||
      (part.type === "thinking" && ((part.thinking ?? "").trim() !== "" || part.redacted === true)),
  );
}

export function siblingsView(session: Session, id: string): Siblings | undefined {
  const all = siblingsOf(session, id);
  if (all.length < 2) return undefined;
  const index = all.indexOf(id);
  const [previousId, nextId] = [all[index - 1], all[index + 1]];
  return {
    index,
    count: all.length,
    ...(previousId === undefined ? {} : { previousId }),
    ...(nextId === undefined ? {} : { nextId }),
  };
}

function messageItems(entry: Extract<SessionEntry, { type: "message" }>, context: ItemContext): TranscriptItem[] {
  const { message } = entry;
  const { session } = context;
  const label = session.getLabel(entry.id);
  const base = {
    id: entry.id,
    saved: true,
    timestamp: message.timestamp ?? Date.parse(entry.timestamp),
    ...(label === undefined ? {} : { label }),
  };
  const siblings = siblingsView(session, entry.id);
  switch (message.role) {
    case "user": {
      const images = typeof message.content === "string" ? [] : message.content.filter((part) => part.type === "image");
      return [
        {
          ...base,
          kind: "user",
          text: contentText(message.content),
          images: images.map(({ mimeType, data }) => ({ mimeType, data })),
          ...(siblings === undefined ? {} : { siblings }),
        },
      ];
    }
    case "assistant": {
      const usage = usageView(message.usage);
      const calls = toolCallsOf(message).map((call) => toolItem(call, "aborted", base.timestamp, true));
      if (isBareReply(message) && siblings === undefined) return calls;
      return [
        {
          ...base,
          kind: "assistant",
          blocks: assistantBlocks(message),
          streaming: false,
          stopReason: message.stopReason,
          ...(message.errorMessage === undefined ? {} : { errorMessage: message.errorMessage }),
          ...(isCutOff(message) ? { cutOff: true as const } : {}),
          model: context.modelName(message.provider, message.model),
          ...(usage === undefined ? {} : { usage }),
          ...(siblings === undefined ? {} : { siblings }),
        },
        ...calls,
      ];
    }
    case "bashExecution":
      return [
        {
          ...base,
          kind: "bash",
          command: message.command,
          output: message.output.slice(0, MAX_OUTPUT).toWellFormed(),
          ...(message.exitCode === undefined ? {} : { exitCode: message.exitCode }),
        },
      ];
    case "custom":
      return message.display
        ? [{ ...base, kind: "custom", title: message.customType, text: contentText(message.content) }]
        : [];
    default:
      return [];
  }
}

/** Rows of entries in path order; results find the rows of their calls. */
export function itemsOf(entries: readonly SessionEntry[], context: ItemContext): TranscriptItem[] {
  const items: TranscriptItem[] = [];
  const calls = new Map<string, number>();
  for (const entry of entries) {
    const at = items.length;
    if (entry.type === "message" && entry.message.role === "toolResult") {
      const index = calls.get(entry.message.toolCallId);
      if (index !== undefined) items[index] = withResult(items[index] as ToolItem, entry.message, true);
      continue;
    }
    const made = entry.type === "message" ? messageItems(entry, context) : otherItems(entry, context);
    for (const item of made) items.push(item);
    for (let index = at; index < items.length; index++) {
      const item = items[index]!;
      if (item.kind !== "tool") continue;
      // A provider that uses an id twice does not get two rows of one name.
      if (calls.has(item.callId)) items[index] = { ...item, id: `${item.id}#${index}` };
      calls.set(item.callId, index);
    }
  }
  return items;
}

function otherItems(entry: SessionEntry, context: ItemContext): TranscriptItem[] {
  const label = context.session.getLabel(entry.id);
  const base = {
    id: entry.id,
    saved: true,
    timestamp: Date.parse(entry.timestamp),
    ...(label === undefined ? {} : { label }),
  };
  switch (entry.type) {
    case "compaction": {
      const tokensAfter = notedTokensAfter(entry);
      return [
        {
          ...base,
          kind: "compaction",
          summary: context.readable(entry.summary),
          tokensBefore: entry.tokensBefore,
          ...(tokensAfter === undefined ? {} : { tokensAfter }),
          canUndo: entry.id === context.undoableCompaction,
        },
      ];
    }
    case "branch_summary":
      return [{ ...base, kind: "branchSummary", summary: context.readable(entry.summary), fromId: entry.fromId }];
    case "custom_message":
      return entry.display
        ? [{ ...base, kind: "custom", title: entry.customType, text: contentText(entry.content) }]
        : [];
    default:
      return [];
  }
}

export interface TranscriptPage {
  items: TranscriptItem[];
  hasOlder: boolean;
}

/**
 * One page of the path to a leaf: the last entries before `beforeId`, or the last of all. A page never begins between a
 * call and its results.
 */
export async function transcriptPage(
  leafId: string | null,
  context: ItemContext,
  size: number,
  beforeId?: string,
): Promise<TranscriptPage> {
  const { session } = context;
  const path = session.pathTo(leafId);
  const end = beforeId === undefined ? path.length : path.indexOf(beforeId);
  if (end < 0) return { items: [], hasOlder: false };
  const ids: string[] = [];
  let index = end - 1;
  for (; index >= 0; index--) {
    const node = session.node(path[index]!);
    if (node === undefined || !isVisible(node)) continue;
    ids.unshift(node.id);
    if (ids.length >= size && node.role !== "toolResult") break;
  }
  const items = itemsOf(await session.getEntries(ids), context);
  return { items, hasOlder: path.slice(0, Math.max(0, index)).some((id) => isVisible(session.node(id)!)) };
}

/** Items from an entry to the end of its branch: how large a page must be to hold it. */
export function itemsFrom(entryId: string, leafId: string | null, session: Session): number {
  const path = session.pathTo(leafId);
  const at = path.indexOf(entryId);
  return at < 0 ? 0 : path.slice(at).filter((id) => isVisible(session.node(id)!)).length;
}

/** The row that shows an entry: results, and replies without words, are shown by the rows of their calls. */
export async function rowOf(entryId: string, session: Session): Promise<string> {
  const role = session.node(entryId)?.role;
  if (role !== "toolResult" && role !== "assistant") return entryId;
  const entry = await session.getEntry(entryId);
  if (entry?.type !== "message") return entryId;
  if (entry.message.role === "toolResult") return toolItemId(entry.message.toolCallId);
  const isBare = entry.message.role === "assistant" && isBareReply(entry.message);
  return isBare && siblingsView(session, entryId) === undefined ? (rowIdsOf(entry)[1] ?? entryId) : entryId;
}

/** Rows that an entry may have, the first that is there being its first: a reply without words has those of its calls. */
export function rowIdsOf(entry: SessionEntry): string[] {
  if (entry.type !== "message" || entry.message.role !== "assistant") return [entry.id];
  return [entry.id, ...toolCallsOf(entry.message).map((call) => toolItemId(call.id))];
}

/** The entry that a row stands for, or whose call it is: where the page before it ends. */
export function oldestEntryId(items: readonly TranscriptItem[]): string | undefined {
  return items.find((item) => item.kind !== "tool" && item.kind !== "notice")?.id;
}
