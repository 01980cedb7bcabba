// What a move would leave behind, without doing it; apart from the move, which brings the summaries along.
import { collectEntriesForBranchSummary } from "../compaction/branch-collection.ts";
import type { Session } from "../session/session.ts";

/** What would be summarised by a move to a target, without doing anything. Markers of earlier moves say nothing. */
export function planNavigation(session: Session, targetId: string | null) {
  const plan = collectEntriesForBranchSummary(session.pathTo(session.getLeafId()), session.pathTo(targetId));
  return { ...plan, ids: plan.ids.filter((id) => session.node(id)?.marker !== true) };
}
