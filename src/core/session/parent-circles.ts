// Circles of parents: where they are cut so that every walk ends, and how they grow together again before the next look.

export class ParentCircles {
  /** The rows that are roots because they stood in a circle, and the parents that they name. */
  readonly #cut = new Map<number, number>();

  rows(): number[] {
    return [...this.#cut.keys()];
  }

  /** The row's entry was written again: what it names now is looked at anew. */
  forget(row: number): void {
    this.#cut.delete(row);
  }

  /**
   * Cuts every circle at the entry that stands first in the file. What was cut before is joined first, so that a file that
   * grew is cut where the whole of it would be. True where a parent changed. Linear.
   */
  cut(parents: Int32Array, count: number): boolean {
    const before = new Map(this.#cut);
    for (const [row, parent] of before) if (parents[row] === -1) parents[row] = parent;
    this.#cut.clear();
    const done = new Uint8Array(count);
    const trail: number[] = [];
    for (let start = 0; start < count; start++) {
      let row = start;
      while (row >= 0 && done[row] === 0) {
        done[row] = 1;
        trail.push(row);
        row = parents[row]!;
      }
      if (row >= 0 && done[row] === 1) {
        // The circle runs from `row` to the end of the trail.
        let first = row;
        for (let i = trail.length - 1; trail[i] !== row; i--) first = Math.min(first, trail[i]!);
        this.#cut.set(first, parents[first]!);
        parents[first] = -1;
      }
      for (const seen of trail) done[seen] = 2;
      trail.length = 0;
    }
    return this.#cut.size !== before.size || [...this.#cut].some(([row, parent]) => before.get(row) !== parent);
  }
}
