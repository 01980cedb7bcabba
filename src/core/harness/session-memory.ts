// What a harness keeps in the session beside the conversation: custom entries of Coppice, and how they are found again.
import type { AgentMessage } from "../llm/messages.ts";
import { contentText } from "../llm/messages.ts";
import type { SessionEntry } from "../session/entries.ts";
import type { Session } from "../session/session.ts";

/** The compaction named in `data.compactionId` was undone on this branch. */
export const UNDO_CUSTOM_TYPE = "coppice.compaction_undone";
/** `data.targetId` is carried verbatim by every later summary while `data.pinned` is true. */
export const PIN_CUSTOM_TYPE = "coppice.pin";
/** Automatic compaction may work again on a branch whose compaction was undone. */
export const RESUME_CUSTOM_TYPE = "coppice.compaction_resumed";

/**
 * True where a compaction was undone on the branch and none came after it: automatic compaction waits until the person
 * agrees or the provider refuses (product.md "Compaction").
 */
export async function compactionSuspended(session: Session, leafId: string | null): Promise<boolean> {
  const customs: string[] = [];
  const seen = new Set<string>();
  let id = leafId;
  while (id !== null && !seen.has(id)) {
    seen.add(id);
    const node = session.node(id);
    if (node === undefined || node.type === "compaction") break;
    if (node.type === "custom") customs.push(id);
    id = node.parentId;
  }
  if (customs.length === 0) return false;
  for (const entry of await session.getEntries(customs)) {
    if (entry.type !== "custom") continue;
    if (entry.customType === RESUME_CUSTOM_TYPE) return false;
    if (entry.customType === UNDO_CUSTOM_TYPE) return true;
  }
  return false;
}

/** Ids of the entries that are pinned at a leaf, in the order in which they were pinned. */
export async function pinnedIds(session: Session, leafId: string | null): Promise<string[]> {
  const path = session.pathTo(leafId);
  const customs = path.filter((id) => session.node(id)?.type === "custom");
  const pinned = new Set<string>();
  for (const entry of await session.getEntries(customs)) {
    if (entry.type !== "custom" || entry.customType !== PIN_CUSTOM_TYPE) continue;
    const data = entry.data as { targetId?: unknown; pinned?: unknown } | undefined;
    if (typeof data?.targetId !== "string") continue;
    if (data.pinned === true) pinned.add(data.targetId);
    else pinned.delete(data.targetId);
  }
  return [...pinned];
}

/** The text of an entry, for summaries and for copying; empty where it has none. */
export function entryText(entry: SessionEntry): string {
  switch (entry.type) {
    case "message":
      return messageText(entry.message);
    case "custom_message":
      return contentText(entry.content);
    case "compaction":
    case "branch_summary":
      return entry.summary;
    default:
      return "";
  }
}

/** The text of a message; images count for nothing. */
export function messageText(message: AgentMessage): string {
  switch (message.role) {
    case "user":
    case "assistant":
    case "toolResult":
    case "custom":
      return contentText(message.content as string | { type: string; text?: string }[]);
    case "bashExecution":
      return `${message.command}\n${message.output}`;
    default:
      return "summary" in message ? message.summary : "";
  }
}

/** Texts of pinned entries that a compaction would take out of the context. */
export async function pinnedTexts(
  session: Session,
  leafId: string | null,
  keptIds: ReadonlySet<string>,
): Promise<string[]> {
  const ids = (await pinnedIds(session, leafId)).filter((id) => !keptIds.has(id));
  return (await session.getEntries(ids)).map(entryText).filter((text) => text.trim() !== "");
}
