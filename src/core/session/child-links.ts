// Which rows follow which, in file order: made when first asked for, kept up to date by appends.

export class ChildLinks {
  #firstChild: Int32Array | undefined;
  #lastChild = new Int32Array(0);
  #nextSibling = new Int32Array(0);
  #firstRoot = -1;
  #lastRoot = -1;

  get byteSize(): number {
    return this.#nextSibling.byteLength * 3;
  }

  /** Parents changed: the links are made anew when they are asked for again. */
  forget(): void {
    this.#firstChild = undefined;
  }

  /** Makes the links of `count` rows from their parents (-1: none), unless they are there. */
  build(parents: Int32Array, count: number): void {
    if (this.#firstChild !== undefined) return;
    this.#firstChild = new Int32Array(parents.length).fill(-1);
    this.#lastChild = new Int32Array(parents.length).fill(-1);
    this.#nextSibling = new Int32Array(parents.length).fill(-1);
    this.#firstRoot = -1;
    this.#lastRoot = -1;
    for (let row = 0; row < count; row++) this.#link(row, parents[row]!);
  }

  /** Adds the newest row, where the links are there; one that does not fit any more makes them anew. */
  join(row: number, parent: number): void {
    if (this.#firstChild === undefined) return;
    if (row >= this.#nextSibling.length) this.forget();
    else this.#link(row, parent);
  }

  /** Child rows; -1 asks for the roots. */
  rowsOf(row: number): number[] {
    const rows: number[] = [];
    for (let at = row < 0 ? this.#firstRoot : this.#firstChild![row]!; at >= 0; at = this.#nextSibling[at]!) {
      rows.push(at);
    }
    return rows;
  }

  any(row: number): boolean {
    return this.#firstChild![row]! >= 0;
  }

  #link(row: number, parent: number): void {
    const first = this.#firstChild!;
    const last = parent < 0 ? this.#lastRoot : this.#lastChild[parent]!;
    if (last >= 0) this.#nextSibling[last] = row;
    else if (parent < 0) this.#firstRoot = row;
    else first[parent] = row;
    if (parent < 0) this.#lastRoot = row;
    else this.#lastChild[parent] = row;
  }
}
