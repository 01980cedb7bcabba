// The tree of a session as rows: straight runs are flat, only what parts from them is one level deeper (product.md, tree).
import type { Session, SessionNode } from "./session.ts";
import { isVisible } from "./siblings.ts";

export const TREE_FILTERS = ["default", "no-tools", "user-only", "labeled-only", "all"] as const;
/** What the tree shows (behaviours §8 `treeFilterMode`). */
export type TreeFilter = (typeof TREE_FILTERS)[number];

/** A filter by its name; an unknown name is `default`. */
export function treeFilterOf(name: string): TreeFilter {
  return TREE_FILTERS.find((filter) => filter === name) ?? "default";
}

export interface OutlineRow {
  id: string;
  /** True where another branch than the run's begins: its other rows are the run `id`. */
  head: boolean;
  /** Rows behind a head on all its branches; 0 for the others. */
  below: number;
  /** Branches that go on from here, in shown rows; 1 on a straight run, 0 at a tip. */
  branches: number;
  /** True on the way from the root to the position. */
  onPath: boolean;
}

/** Where an entry is shown: the run and the index in it. */
export interface OutlinePlace {
  /** Id of the head whose run it is; null for the run of the position. */
  run: string | null;
  index: number;
}

const NONE = -1;

/** True where the filter shows the entry, by structure alone; contents are read for rows on the screen only. */
function shows(session: Session, node: SessionNode, filter: TreeFilter): boolean {
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

/**
 * Rows of a session under a filter. The run of the position goes from the root to the position; every other branch is a
 * head beside the row after which it parts, and its run follows the largest branch, so that no depth exceeds the logarithm
 * of the number of rows. An entry that is not shown hands its branches to the nearest shown ancestor. Needs `ready()`.
 */
export class BranchOutline {
  readonly #session: Session;
  readonly filter: TreeFilter;
  #ids: string[] = [];
  #index = new Map<string, number>();
  #parent: number[] = [];
  /** Shown children; for index -1 the first ones. */
  #children: (number[] | undefined)[] = [];
  #roots: number[] = [];
  #below: number[] = [];
  #onPath = new Set<number>();
  #position = NONE;
  #leafId: string | null = null;
  #runs = new Map<string | null, OutlineRow[]>();

  constructor(session: Session, filter: TreeFilter) {
    this.#session = session;
    this.filter = filter;
    this.#build();
  }

  /** Shown rows of all branches. */
  get size(): number {
    return this.#ids.length;
  }
  /** The row of the position: the last one shown on the way to it. */
  get positionId(): string | undefined {
    return this.#ids[this.#position];
  }

  #build(): void {
    const session = this.#session;
    // Depth first, parents before children; file order among siblings.
    const stack: { id: string; above: number }[] = [];
    const push = (ids: readonly string[], above: number) => {
      for (let at = ids.length - 1; at >= 0; at--) stack.push({ id: ids[at]!, above });
    };
    push(session.childrenOf(null), NONE);
    const seen = new Set<string>();
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const { id, above } = next;
      if (seen.has(id)) continue;
      seen.add(id);
      const node = session.node(id);
      if (node === undefined) continue;
      push(session.childrenOf(id), shows(session, node, this.filter) ? this.#add(id, above) : above);
    }
    this.#below = new Array<number>(this.#ids.length).fill(0);
    for (let at = this.#ids.length - 1; at >= 0; at--) {
      const parent = this.#parent[at]!;
      if (parent !== NONE) this.#below[parent]! += this.#below[at]! + 1;
    }
    this.#leafId = session.getLeafId();
    for (const id of session.pathTo(this.#leafId)) {
      const at = this.#index.get(id);
      if (at === undefined) continue;
      this.#onPath.add(at);
      this.#position = at;
    }
  }

  #add(id: string, above: number): number {
    const at = this.#ids.length;
    this.#ids.push(id);
    this.#index.set(id, at);
    this.#parent.push(above);
    if (above === NONE) this.#roots.push(at);
    else {
      this.#children[above] ??= [];
      this.#children[above].push(at);
    }
    return at;
  }

  #childrenOf(at: number): readonly number[] {
    return (at === NONE ? this.#roots : this.#children[at]) ?? [];
  }

  /** The child that goes on in the same run. */
  #next(at: number): number {
    const children = this.#childrenOf(at);
    const active = at === NONE || this.#onPath.has(at);
    if (active) return children.find((child) => this.#onPath.has(child)) ?? NONE;
    let best = NONE;
    for (const child of children) if (best === NONE || this.#below[child]! > this.#below[best]!) best = child;
    return best;
  }

  /** Rows of the position's run (null), or those behind a head; empty where the head is none. Made when first asked for. */
  run(head: string | null): readonly OutlineRow[] {
    const known = this.#runs.get(head);
    if (known !== undefined) return known;
    const rows: OutlineRow[] = [];
    let at = head === null ? NONE : this.#index.get(head);
    if (at === undefined) return rows;
    for (;;) {
      const next = this.#next(at);
      for (const child of this.#childrenOf(at)) if (child !== next) rows.push(this.#row(child, true));
      if (next === NONE) break;
      rows.push(this.#row(next, false));
      at = next;
    }
    this.#runs.set(head, rows);
    return rows;
  }

  #row(at: number, head: boolean): OutlineRow {
    return {
      id: this.#ids[at]!,
      head,
      below: head ? this.#below[at]! : 0,
      branches: this.#childrenOf(at).length,
      onPath: this.#onPath.has(at),
    };
  }

  /** The entry itself where it is shown, else the nearest shown one above it; undefined where there is none. */
  rowFor(id: string | null): string | undefined {
    const seen = new Set<string>();
    while (id !== null && !seen.has(id)) {
      if (this.#index.has(id)) return id;
      seen.add(id);
      id = this.#session.node(id)?.parentId ?? null;
    }
    return undefined;
  }

  /** Where a shown entry stands, or undefined. */
  placeOf(id: string): OutlinePlace | undefined {
    const at = this.#index.get(id);
    if (at === undefined) return undefined;
    let run: string | null = null;
    // A head stands in the run of the row that it parts from.
    let above = this.#parent[at]!;
    while (above !== NONE && !this.#onPath.has(above)) {
      if (this.#isHead(above)) {
        run = this.#ids[above]!;
        break;
      }
      above = this.#parent[above]!;
    }
    const index = this.run(run).findIndex((row) => row.id === id);
    return index < 0 ? undefined : { run, index };
  }

  #isHead(at: number): boolean {
    return this.#next(this.#parent[at]!) !== at;
  }

  /**
   * Takes up what joined the session. True where the rows only grew at the position, so that everything else stands as it
   * was; false where the outline was made anew.
   */
  update(appended: readonly string[]): boolean {
    if (this.#grow(appended)) return true;
    this.#ids = [];
    this.#index.clear();
    this.#parent = [];
    this.#children = [];
    this.#roots = [];
    this.#onPath.clear();
    this.#position = NONE;
    this.#runs.clear();
    this.#build();
    return false;
  }

  #grow(appended: readonly string[]): boolean {
    const session = this.#session;
    const leafId = session.getLeafId();
    if (appended.length === 0 || leafId === null || this.#childrenOf(this.#position).length > 0) return false;
    let last = this.#leafId;
    for (const id of appended) {
      const node = session.node(id);
      // A label changes what is shown elsewhere; a move ends elsewhere.
      if (node === undefined || node.parentId !== last || node.type === "label" || node.type === "leaf") return false;
      last = id;
    }
    if (last !== leafId) return false;
    const run = this.#runs.get(null);
    for (const id of appended) {
      if (!shows(session, session.node(id)!, this.filter)) continue;
      const above = this.#position;
      const at = this.#add(id, above);
      this.#below.push(0);
      this.#onPath.add(at);
      this.#position = at;
      if (run === undefined) continue;
      const before = run.at(-1);
      if (before !== undefined && above !== NONE) before.branches = 1;
      run.push(this.#row(at, false));
    }
    this.#leafId = leafId;
    // `below` counts of rows on the way are never shown: only heads carry one.
    return true;
  }
}
