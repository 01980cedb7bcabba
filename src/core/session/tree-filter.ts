// What the tree shows of a session under each filter (behaviours §8 `treeFilterMode`).
import type { Session, SessionNode } from "./session.ts";
import { isVisible } from "./siblings.ts";

export const TREE_FILTERS = ["default", "no-tools", "user-only", "labeled-only", "all"] as const;
/** What the tree shows (behaviours §8 `treeFilterMode`). */
export type TreeFilter = (typeof TREE_FILTERS)[number];

/** A filter by its name; an unknown name is `default`. */
export function treeFilterOf(name: string): TreeFilter {
  return TREE_FILTERS.find((filter) => filter === name) ?? "default";
}

/** True where the filter shows the entry, by structure alone; contents are read for rows on the screen only. */
export function shows(session: Session, node: SessionNode, filter: TreeFilter): boolean {
  if (filter === "all") return true;
  if (session.getLabel(node.id) !== undefined && node.marker !== true) return true;
  switch (filter) {
    case "labeled-only":
      return false;
    case "user-only":
      return node.role === "user";
    case "no-tools":
      return isVisible(node) && node.role !== "toolResult" && node.role !== "bashExecution";
    default:
      // A result stands with its call.
      return isVisible(node) && node.role !== "toolResult";
  }
}
