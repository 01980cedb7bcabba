// The ids along a path: paths that were asked for lately lend theirs, so that only what they do not share is made anew.
import type { SessionTree } from "./session-tree.ts";

/** The position's path and those that are looked at beside it. */
const KEPT = 3;
/** A longer path is not kept: its ids would be more than what they save. */
const LONGEST = 100_000;

interface Known {
  rows: Int32Array;
  ids: readonly string[];
}

export class PathIds {
  #tree: SessionTree | undefined;
  /** The one that was asked for last comes first. */
  #known: Known[] = [];

  /** Ids from the root to a row; empty for -1. The list must not be changed. */
  idsTo(tree: SessionTree, row: number): readonly string[] {
    // Rows of another tree are other entries.
    if (tree !== this.#tree) this.#known = [];
    this.#tree = tree;
    const rows = tree.pathRows(row);
    let best: Known | undefined;
    let shared = 0;
    for (const known of this.#known) {
      const count = sharedRows(known.rows, rows);
      if (count === rows.length && count === known.rows.length) return this.#keep(known);
      if (count <= shared) continue;
      shared = count;
      best = known;
    }
    const ids = best === undefined ? [] : best.ids.slice(0, shared);
    for (let at = shared; at < rows.length; at++) ids.push(tree.idOf(rows[at]!));
    return this.#keep({ rows, ids });
  }

  #keep(found: Known): readonly string[] {
    if (found.rows.length > LONGEST) return found.ids;
    this.#known = [found, ...this.#known.filter((known) => known !== found)].slice(0, KEPT);
    return found.ids;
  }
}

/** How many rows two paths have in common from the root. */
function sharedRows(a: Int32Array, b: Int32Array): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a[at] === b[at]) at++;
  return at;
}
