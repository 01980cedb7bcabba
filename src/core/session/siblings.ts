// Branches as a reader sees them: siblings of the nearest visible ancestor, whatever markers stand between (product.md).
import type { Session, SessionNode } from "./session.ts";

/** True for entries that have a place in the conversation; settings, markers and custom data are transparent. */
export function isVisible(node: SessionNode): boolean {
  switch (node.type) {
    case "message":
      return node.role !== "other";
    case "compaction":
    case "branch_summary":
    case "custom_message":
      return true;
    default:
      return false;
  }
}

/** The nearest entry above with a place in the conversation, or null. */
export function visibleParent(session: Session, id: string): string | null {
  const seen = new Set<string>([id]);
  let parentId = session.node(id)?.parentId ?? null;
  while (parentId !== null && !seen.has(parentId)) {
    seen.add(parentId);
    const node = session.node(parentId);
    if (node === undefined) return null;
    if (isVisible(node)) return parentId;
    parentId = node.parentId;
  }
  return null;
}

/** The nearest entries below that are wanted, in file order, through those that are not. */
export function nearestBelow(session: Session, id: string | null, wanted: (id: string) => boolean): string[] {
  const found: string[] = [];
  const seen = new Set<string>();
  const stack: string[] = [];
  // One by one: there may be more than a call takes arguments.
  const add = (parent: string | null) => {
    for (const child of [...session.childrenOf(parent)].reverse()) stack.push(child);
  };
  add(id);
  for (let child = stack.pop(); child !== undefined; child = stack.pop()) {
    if (seen.has(child)) continue;
    seen.add(child);
    if (wanted(child)) found.push(child);
    else add(child);
  }
  return found;
}

/** The first visible entries below, in file order. */
export function visibleChildren(session: Session, id: string | null): string[] {
  return nearestBelow(session, id, (child) => {
    const node = session.node(child);
    return node !== undefined && isVisible(node);
  });
}

/** The entry and those beside it; one element where it stands alone. */
export function siblingsOf(session: Session, id: string): string[] {
  return visibleChildren(session, visibleParent(session, id));
}

/** The leaf to show for the branch through an entry: the position's, where that lies below, else the newest one. */
export function leafThrough(session: Session, id: string): string {
  const position = session.getLeafId();
  if (position !== null && session.pathTo(position).includes(id)) return position;
  const seen = new Set<string>();
  let leaf = id;
  while (!seen.has(leaf)) {
    seen.add(leaf);
    const children = session.childrenOf(leaf);
    const next = children.at(-1);
    if (next === undefined) break;
    leaf = next;
  }
  return leaf;
}

/** The leaf for looking at exactly this point: the entry, with the results of its calls where it has such. */
export function leafAt(session: Session, id: string): string {
  const seen = new Set<string>();
  let leaf = id;
  while (!seen.has(leaf)) {
    seen.add(leaf);
    const next = session.childrenOf(leaf).find((child) => session.node(child)?.role === "toolResult");
    if (next === undefined) break;
    leaf = next;
  }
  return leaf;
}

/** True where nothing that a reader sees lies between two places: markers and settings are transparent. */
export function samePlace(session: Session, a: string | null, b: string | null): boolean {
  const visible = (id: string | null): string | null => {
    const node = id === null ? undefined : session.node(id);
    return node === undefined || isVisible(node) ? id : visibleParent(session, node.id);
  };
  return visible(a) === visible(b);
}
