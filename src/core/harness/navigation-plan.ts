// What a move would leave behind and where an edit goes, without doing it; apart from the move, which brings the summaries.
import { collectEntriesForBranchSummary } from "../compaction/branch-collection.ts";
import { SessionError } from "../errors.ts";
import { contentText } from "../llm/messages.ts";
import type { Session } from "../session/session.ts";

/** What would be summarised by a move to a target, without doing anything. Markers of earlier moves say nothing. */
export function planNavigation(session: Session, targetId: string | null) {
  const plan = collectEntriesForBranchSummary(session.pathTo(session.getLeafId()), session.pathTo(targetId));
  return { ...plan, ids: plan.ids.filter((id) => session.node(id)?.marker !== true) };
}

/** Where Edit and resend goes, and what it puts into the composer. */
export async function editTarget(session: Session, entryId: string) {
  const entry = await session.getEntry(entryId);
  if (entry === undefined) throw new SessionError("not_found", `There is no entry ${entryId} in this session.`);
  const content =
    entry.type === "custom_message"
      ? entry.content
      : entry.type === "message" && entry.message.role === "user"
        ? entry.message.content
        : undefined;
  if (content === undefined) {
    throw new SessionError("invalid_argument", "Only a message of yours can be edited and sent again.");
  }
  const images = typeof content === "string" ? [] : content.filter((part) => part.type === "image");
  return { targetId: entry.parentId, editorText: contentText(content), editorImages: images };
}
