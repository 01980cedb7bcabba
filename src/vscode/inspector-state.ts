// What the context inspector shows of a session (pure but for the words: the editor is asked for nothing else).
import {
  calculateContextTokens,
  estimateTextTokens,
  estimateTokens,
  usableUsage,
} from "../core/compaction/token-estimation.ts";
import { entryText, pinnedIds } from "../core/harness/session-memory.ts";
import { sendsAnything } from "../core/llm/never-sent.ts";
import type { SessionEntry } from "../core/session/entries.ts";
import type { ContextItem, Session, SessionContext } from "../core/session/session.ts";
import type { InspectorItem, InspectorPart, InspectorState } from "../protocol/inspector.ts";
import { kindName } from "./tree-labels.ts";
import { rowContent } from "./tree-row.ts";

const MAX_TEXT = 1500;
/** Replies that the chart goes back. */
const MAX_HISTORY = 2000;

function beginning(text: string): string {
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT).toWellFormed()}…` : text;
}

/** The system prompt cut at its own marks: instructions of files are parts of their own. */
export function systemParts(prompt: string): InspectorPart[] {
  const parts: InspectorPart[] = [];
  const add = (title: string, text: string) => {
    if (text.trim() !== "") parts.push({ title, tokens: estimateTextTokens(text), text: beginning(text.trim()) });
  };
  let at = 0;
  for (const found of prompt.matchAll(/<instructions path="([^"\n]*)">\n[\s\S]*?\n<\/instructions>/g)) {
    add("System prompt", prompt.slice(at, found.index));
    add(found[1] ?? "", found[0]);
    at = found.index + found[0].length;
  }
  add("System prompt", prompt.slice(at));
  return parts;
}

/** A tool's definition as a part. */
export function toolPart(tool: { name: string; description?: string }): InspectorPart {
  const text = JSON.stringify(tool, undefined, 2);
  return { title: tool.name, tokens: estimateTextTokens(JSON.stringify(tool)), text: beginning(text) };
}

/** The messages of a context with what each costs. */
export async function inspectorItems(session: Session, context: SessionContext): Promise<InspectorItem[]> {
  const pinned = new Set(await pinnedIds(session, session.getLeafId()));
  return context.items.map((item) => inspectorItem(item, pinned.has(item.entry.id)));
}

function inspectorItem(item: ContextItem, pinned: boolean): InspectorItem {
  const { entry } = item;
  const content = rowContent(entry);
  const message = entry.type === "message" ? entry.message : undefined;
  const unsent = message?.role === "assistant" && !sendsAnything(message);
  const reported = usableUsage(message) > 0 && message?.role === "assistant" ? message.usage.output : 0;
  const estimated = unsent ? 0 : item.messages.reduce((sum, each) => sum + estimateTokens(each), 0);
  const text = entryText(entry).trim();
  return {
    entryId: entry.id,
    kind: content.kind,
    kindName: kindName(content.kind),
    title: content.title,
    text: beginning(text === "" ? callsText(entry) : text),
    size: reported > 0 && !unsent ? { tokens: reported, reported: true } : { tokens: estimated, reported: false },
    ...(unsent ? { unsent } : {}),
    ...(content.costUsd === undefined ? {} : { costUsd: content.costUsd }),
    pinned,
    droppable: message !== undefined,
  };
}

function callsText(entry: SessionEntry): string {
  if (entry.type !== "message" || entry.message.role !== "assistant") return "";
  return entry.message.content
    .filter((part) => part.type === "toolCall")
    .map((part) => `${part.name} ${JSON.stringify(part.arguments)}`)
    .join("\n");
}

/** The last reply that a provider's cache stands behind: everything before it was in that request. */
export function cacheBoundary(context: SessionContext): { cachedThrough: string | null; cachedTokens: number } {
  for (let at = context.items.length - 1; at >= 0; at--) {
    const { entry } = context.items[at]!;
    if (entry.type !== "message" || entry.message.role !== "assistant" || usableUsage(entry.message) === 0) continue;
    const { cacheRead, cacheWrite } = entry.message.usage;
    const before = context.items[at - 1]?.entry.id;
    if (cacheRead + cacheWrite === 0 || before === undefined) break;
    return { cachedThrough: before, cachedTokens: cacheRead + cacheWrite };
  }
  return { cachedThrough: null, cachedTokens: 0 };
}

/** Entries of the position's branch that are left out of the context by hand. */
export async function droppedEntries(session: Session): Promise<InspectorState["dropped"]> {
  const edits = session.pathTo(session.getLeafId()).filter((id) => session.node(id)?.type === "context_edit");
  const out = new Map<string, boolean>();
  for (const entry of await session.getEntries(edits)) {
    if (entry.type === "context_edit") out.set(entry.targetId, entry.replacement === null);
  }
  const ids = [...out].filter(([, gone]) => gone).map(([id]) => id);
  return (await session.getEntries(ids)).map((entry) => {
    const content = rowContent(entry);
    return { entryId: entry.id, kindName: kindName(content.kind), title: content.title };
  });
}

/** How large the context was at each reply on the way to the position, and before each compaction. */
export async function contextHistory(session: Session): Promise<InspectorState["history"]> {
  const ids = session.pathTo(session.getLeafId()).filter((id) => {
    const node = session.node(id);
    return node?.role === "assistant" || node?.type === "compaction";
  });
  const points: InspectorState["history"] = [];
  for (const entry of await session.getEntries(ids.slice(-MAX_HISTORY))) {
    const { title } = rowContent(entry);
    if (entry.type === "compaction") {
      points.push({ entryId: entry.id, kind: "compaction", tokens: entry.tokensBefore, title });
    } else if (entry.type === "message") {
      const { message } = entry;
      const reported = usableUsage(message);
      const estimated = message.role === "assistant" && message.usage.estimated === true;
      const tokens = reported > 0 || !estimated ? reported : calculateContextTokens(message.usage);
      if (tokens > 0) points.push({ entryId: entry.id, kind: "reply", tokens, title });
    }
  }
  return points;
}

const MESSAGE_KEYS = ["messages", "input"];

/** A sent request in its own form: what stands beside the messages, and each message. */
export function sentParts(payload: unknown): {
  messages: number;
  parts: { title: string; tokens: number; text: string }[];
} {
  const parts: { title: string; tokens: number; text: string }[] = [];
  let messages = 0;
  if (typeof payload !== "object" || payload === null) return { messages, parts };
  const add = (title: string, value: unknown) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value, undefined, 2) ?? "");
    const plain = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
    parts.push({ title, tokens: estimateTextTokens(plain), text: beginning(text) });
  };
  for (const [key, value] of Object.entries(payload)) {
    if (MESSAGE_KEYS.includes(key) && Array.isArray(value)) {
      for (const message of value) {
        messages++;
        const { role, type } = (message ?? {}) as { role?: unknown; type?: unknown };
        add(`${messages}. ${String(role ?? type ?? "message")}`, message);
      }
    } else add(key, value);
  }
  return { messages, parts };
}
