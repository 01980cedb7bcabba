// Cuts the tree of a session into runs without forks: the active branch first, then what each other branch adds.
import type { Session } from "./session.ts";

export interface BranchSegment {
  /** The entry that the run grows from; null for one that begins at the root. */
  from: string | null;
  /** Ids, root side first. */
  ids: string[];
  active: boolean;
}

/** Every entry once. Linear in the size of the session; needs `ready()`. */
export function branchSegments(session: Session): BranchSegment[] {
  const shown = new Set<string>(session.pathTo(session.getLeafId()));
  const segments: BranchSegment[] = [{ from: null, ids: [...shown], active: true }];
  for (const start of session.allIds()) {
    if (shown.has(start)) continue;
    const parentId = session.node(start)?.parentId ?? null;
    // Others begin where their parent is shown: their own turn comes when it is.
    if (parentId !== null && !shown.has(parentId)) continue;
    for (const segment of grow(session, start, parentId, shown)) segments.push(segment);
  }
  return segments;
}

function* grow(session: Session, start: string, from: string | null, shown: Set<string>): Generator<BranchSegment> {
  const pending: { start: string; from: string | null }[] = [{ start, from }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const ids: string[] = [];
    let at: string | undefined = next.start;
    while (at !== undefined && !shown.has(at)) {
      shown.add(at);
      ids.push(at);
      const children: readonly string[] = session.childrenOf(at).filter((id) => !shown.has(id));
      for (const other of children.slice(1).reverse()) pending.push({ start: other, from: at });
      at = children[0];
    }
    if (ids.length > 0) yield { from: next.from, ids, active: false };
  }
}
