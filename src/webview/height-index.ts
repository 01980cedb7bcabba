// Knows where each row of the transcript begins, from measured and estimated heights in CSS pixels.

/** Heights of a list and their running sums; sums are computed again only from the first change on. */
export class HeightIndex {
  #heights: number[] = [];
  #tops = new Float64Array(1);
  #clean = 0;

  /** Replaces the heights from `index` on; those before it stay. */
  replaceFrom(index: number, heights: readonly number[]): void {
    this.#heights.length = Math.min(index, this.#heights.length);
    for (const height of heights) this.#heights.push(height);
    this.#clean = Math.min(this.#clean, index);
  }

  /** @returns the difference to the height before, in pixels */
  set(index: number, height: number): number {
    const before = this.#heights[index];
    if (before === undefined || before === height) return 0;
    this.#heights[index] = height;
    this.#clean = Math.min(this.#clean, index);
    return height - before;
  }

  /** Where the row begins; for `length`, where the list ends. */
  top(index: number): number {
    this.#sum();
    return this.#tops[Math.max(0, Math.min(index, this.#heights.length))]!;
  }

  get total(): number {
    return this.top(this.#heights.length);
  }

  /** The row that covers this offset; the last one beyond the end, 0 for an empty list. */
  at(offset: number): number {
    this.#sum();
    let low = 0;
    let high = this.#heights.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.#tops[middle + 1]! > offset) high = middle;
      else low = middle + 1;
    }
    return Math.max(0, low);
  }

  #sum(): void {
    const count = this.#heights.length;
    if (this.#tops.length < count + 1) {
      const grown = new Float64Array(Math.max(count + 1, this.#tops.length * 2));
      grown.set(this.#tops);
      this.#tops = grown;
    }
    for (let i = this.#clean; i < count; i++) this.#tops[i + 1] = this.#tops[i]! + this.#heights[i]!;
    this.#clean = count;
  }
}
