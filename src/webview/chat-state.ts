// Reduces the host's messages to what is shown; sees a gap in their numbers and asks for a snapshot.
import type { ToWebview, ViewOp } from "../protocol/to-webview.ts";
import type { AssistantBlock, ChatState, TranscriptItem } from "../protocol/view-state.ts";

export interface PageState {
  /** Number of the last message applied; null before the first snapshot. */
  seq: number | null;
  /** True from a gap until the snapshot that heals it: what comes between is ignored. */
  stale: boolean;
  chat: ChatState | null;
}

export interface Reduced {
  state: PageState;
  /** The page must ask for a snapshot: this message revealed a gap. */
  gap: boolean;
  /** Items that keep their node under a new id, old then new. */
  renames: [string, string][];
}

export const initialState: PageState = { seq: null, stale: false, chat: null };

/**
 * The next state. Messages already seen change nothing (reports 83); a missing number makes the state stale until the next
 * snapshot. A snapshot always counts, also with a smaller number: the host may have started again.
 */
export function reduce(state: PageState, message: ToWebview): Reduced {
  const same: Reduced = { state, gap: false, renames: [] };
  if (message.type === "state.snapshot") {
    const chat = { ...message.state, items: uniqueById(message.state.items) };
    return { state: { seq: message.seq, stale: false, chat }, gap: false, renames: [] };
  }
  if (message.type !== "state.frame" && message.type !== "page.items") return same;
  if (state.stale) return same;
  if (state.seq === null || state.chat === null || message.seq > state.seq + 1) {
    return { state: { ...state, stale: true }, gap: true, renames: [] };
  }
  if (message.seq <= state.seq) return same;
  if (message.type === "page.items") {
    const items = uniqueById([...message.items, ...state.chat.items]);
    const chat = { ...state.chat, items, hasOlder: message.hasOlder };
    return { state: { seq: message.seq, stale: false, chat }, gap: false, renames: [] };
  }
  const renames: [string, string][] = [];
  const chat = applyOps(state.chat, message.ops, renames);
  return { state: { seq: message.seq, stale: false, chat }, gap: false, renames };
}

function applyOps(chat: ChatState, ops: readonly ViewOp[], renames: [string, string][]): ChatState {
  let next = chat;
  let items: TranscriptItem[] | null = null;
  const own = () => {
    items ??= [...chat.items];
    return items;
  };
  for (const op of ops) {
    if (op.op === "state.patch") {
      // The items are never part of a patch; a host that sends them anyway must not lose what is shown.
      next = { ...next, ...op.patch, items: next.items };
    } else {
      applyItemOp(own(), op, renames);
    }
  }
  return items ? { ...next, items } : next;
}

function applyItemOp(items: TranscriptItem[], op: Exclude<ViewOp, { op: "state.patch" }>, renames: [string, string][]) {
  if (op.op === "item.upsert") return upsert(items, op.item, op.afterId);
  const at = indexOfId(items, op.id);
  const item = items[at];
  if (!item) return;
  switch (op.op) {
    case "item.renamed":
      items[at] = { ...item, id: op.newId };
      renames.push([op.id, op.newId]);
      return;
    case "item.removed":
      items.splice(at, 1);
      return;
    case "text.append":
      if (item.kind === "assistant") items[at] = { ...item, blocks: appendText(item.blocks, op) };
      return;
    case "output.append":
      if (item.kind === "tool") items[at] = { ...item, output: item.output + op.text };
      else if (item.kind === "bash") items[at] = { ...item, output: item.output + op.text };
      return;
  }
}

function upsert(items: TranscriptItem[], item: TranscriptItem, afterId: string | null | undefined): void {
  const at = indexOfId(items, item.id);
  if (at >= 0) {
    items[at] = item;
    return;
  }
  const place = afterId === null ? 0 : afterId === undefined ? -1 : indexOfId(items, afterId) + 1;
  if (place < 0 || (place === 0 && afterId !== null)) items.push(item);
  else items.splice(place, 0, item);
}

function appendText(blocks: readonly AssistantBlock[], op: Extract<ViewOp, { op: "text.append" }>): AssistantBlock[] {
  const next = [...blocks];
  while (next.length < op.block) next.push({ type: "text", text: "" });
  const block = next[op.block];
  if (!block) {
    next.push(op.blockType === "text" ? { type: "text", text: op.text } : thinking(op.text));
  } else if (block.type !== "toolCall") {
    next[op.block] = { ...block, text: block.text + op.text };
  }
  return next;
}

function thinking(text: string): AssistantBlock {
  return { type: "thinking", text, redacted: false };
}

// What changes is nearly always at the end.
function indexOfId(items: readonly TranscriptItem[], id: string): number {
  for (let i = items.length - 1; i >= 0; i--) if (items[i]!.id === id) return i;
  return -1;
}

/** One item per id, the later one at the place of the first. */
function uniqueById(items: readonly TranscriptItem[]): TranscriptItem[] {
  const byId = new Map<string, TranscriptItem>();
  for (const item of items) byId.set(item.id, item);
  return [...byId.values()];
}
