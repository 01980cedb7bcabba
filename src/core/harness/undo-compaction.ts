// Taking a compaction back by appending: the full path goes on from before it (product.md "Undo").
import { SessionError } from "../errors.ts";
import { emptyUsage } from "../llm/messages.ts";
import type { CustomEntry, LateEntry, NewEntry, SessionEntry } from "../session/entries.ts";
import type { Session } from "../session/session.ts";
import { PIN_CUSTOM_TYPE, UNDO_CUSTOM_TYPE } from "./session-memory.ts";

/** The entry that an edit of the context or a pin is about; undefined for all others. */
function targetOf(entry: SessionEntry): string | undefined {
  if (entry.type === "context_edit") return entry.targetId;
  if (entry.type !== "custom" || entry.customType !== PIN_CUSTOM_TYPE) return undefined;
  const { targetId } = (entry.data ?? {}) as { targetId?: unknown };
  return typeof targetId === "string" ? targetId : undefined;
}

/** An edit or a pin, about this entry. */
function about(targetId: string, entry: SessionEntry): NewEntry {
  if (entry.type === "context_edit") return { type: "context_edit", targetId, replacement: entry.replacement };
  const { customType, data } = entry as CustomEntry;
  return { type: "custom", customType, data: { ...(data as object), targetId } };
}

/** Entries that say something of the conversation or its settings; markers and positions are not copied. */
function copyOf(entry: SessionEntry): NewEntry | undefined {
  switch (entry.type) {
    case "message":
      // What a reply cost is counted where it was made; measured on the compacted context, it says nothing of this one.
      return {
        type: "message",
        message: entry.message.role === "assistant" ? { ...entry.message, usage: emptyUsage() } : entry.message,
      };
    case "custom_message":
    case "branch_summary":
    case "thinking_level_change":
    case "model_change":
    case "active_tools_change": {
      const { id: _id, parentId: _parentId, timestamp: _timestamp, ...rest } = entry;
      return rest;
    }
    case "custom":
      return entry.customType.startsWith("coppice.")
        ? undefined
        : { type: "custom", customType: entry.customType, ...(entry.data === undefined ? {} : { data: entry.data }) };
    default:
      return undefined;
  }
}

/** The newest compaction on the way to a leaf: the one that can be undone. */
export function newestCompaction(session: Session, leafId: string | null): string | undefined {
  return session.nearestOfType("compaction", leafId);
}

/**
 * Continues the full path from before a compaction: what was said after it is appended there as copies, in one write; the
 * compacted branch stays as a sibling. Only the newest compaction of the position's branch can be undone.
 * Throws SessionError `invalid_argument`. Returns the new position.
 */
export async function undoCompaction(session: Session, compactionId: string): Promise<string | null> {
  const mustBeNewest = () => {
    if (newestCompaction(session, session.getLeafId()) === compactionId) return;
    throw new SessionError(
      "invalid_argument",
      "Only the newest compaction of the current branch can be undone. Go to the branch that it is on, or undo the newer one first.",
    );
  };
  mustBeNewest();
  const leafId = session.getLeafId();
  const path = session.pathTo(leafId);
  const after = path.slice(path.indexOf(compactionId) + 1);
  const parentId = session.node(compactionId)?.parentId ?? null;
  const undo = (): NewEntry => {
    // The file may have been replaced since: copies of what it does not hold any more would have no place in it.
    mustBeNewest();
    return { type: "custom", customType: UNDO_CUSTOM_TYPE, data: { compactionId } };
  };
  const batch: (NewEntry | LateEntry)[] = [undo];
  /** Where the copies stand in the write, by the id of what they copy. */
  const places = new Map<string, number>();
  for (const entry of await session.getEntries(after)) {
    const targetId = targetOf(entry);
    const place = places.get(targetId ?? "");
    let copy: NewEntry | LateEntry | undefined;
    if (targetId === undefined) copy = copyOf(entry);
    else copy = place === undefined ? about(targetId, entry) : (ids) => about(ids[place]!, entry);
    if (copy === undefined) continue;
    places.set(entry.id, batch.length);
    batch.push(copy);
  }
  for (const [id, place] of places) {
    const label = session.getLabel(id);
    if (label !== undefined) batch.push((ids) => ({ type: "label", targetId: ids[place]!, label }));
  }
  await session.appendEntries(batch, parentId);
  return session.getLeafId();
}
