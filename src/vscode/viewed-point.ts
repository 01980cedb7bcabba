// What the chat shows while it does not show the position: which point of which branch, and in whose words.
import { planNavigation } from "../core/harness/navigation-plan.ts";
import type { Session } from "../core/session/session.ts";
import { isVisible, visibleChildren } from "../core/session/siblings.ts";
import type { ViewedPointView } from "../protocol/view-state.ts";
import { rowContent } from "./tree-row.ts";

/** The point that ends at `leafId` (null is the beginning), seen from the position. */
export async function viewedPoint(session: Session, leafId: string | null): Promise<ViewedPointView> {
  const { ids: left, commonAncestorId } = planNavigation(session, leafId);
  const seen = (id: string) => {
    const node = session.node(id);
    return node !== undefined && isVisible(node);
  };
  const path = session.pathTo(leafId);
  const own = path.slice(commonAncestorId === null ? 0 : path.indexOf(commonAncestorId) + 1).filter(seen);
  const abandonedEntries = left.filter(seen).length;
  const isEnd = visibleChildren(session, leafId).length === 0;
  const kind =
    own.length === 0 ? "earlier" : abandonedEntries === 0 ? "later" : isEnd ? "otherBranch" : "otherBranchPoint";
  const titled = kind === "otherBranch" ? branchTitle(session, own) : pointTitle(session, path.filter(seen));
  const label = titled === undefined ? undefined : session.getLabel(titled);
  const entry = titled === undefined || label !== undefined ? undefined : await session.getEntry(titled);
  return {
    leafId,
    kind,
    title: label ?? (entry === undefined ? "" : rowContent(entry).title),
    labelled: label !== undefined,
    abandonedEntries,
  };
}

/** A branch goes by its newest label, else by what the person said first on it. */
function branchTitle(session: Session, own: readonly string[]): string | undefined {
  return (
    own.findLast((id) => session.getLabel(id) !== undefined) ??
    own.find((id) => session.node(id)?.role === "user") ??
    own[0]
  );
}

/** A point goes by the entry that stands last, or by the calls that its results are of. */
function pointTitle(session: Session, path: readonly string[]): string | undefined {
  return path.findLast((id) => session.node(id)?.role !== "toolResult");
}
