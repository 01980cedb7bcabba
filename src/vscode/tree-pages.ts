// Which rows of a run are on the screen: a page that follows the end of the run, goes to what is asked for and stays small.

/** Rows that one run shows at a time; more come when asked for. */
export const PAGE_ROWS = 200;
/** Rows that are asked for again with every row that joins: what is more than these does not follow the end. */
const MAX_LIVE_ROWS = 2 * PAGE_ROWS;
/** Rows behind the position that the first page shows. */
const ROWS_BEHIND = 40;

export interface Page {
  from: number;
  /** Undefined follows the end of the run. */
  to: number | undefined;
}

export class TreePages {
  readonly #pages = new Map<string | null, Page>();

  /** The page of a run of `count` rows; the first one of the position's run (null) has row `at` in it. */
  of(run: string | null, count: number, at = 0): Page {
    let page = this.#pages.get(run);
    if (page === undefined) {
      const end = Math.max(PAGE_ROWS, at + ROWS_BEHIND);
      page = {
        from: run === null ? Math.max(0, Math.min(end, count) - PAGE_ROWS) : 0,
        to: end >= count ? undefined : end,
      };
      this.#pages.set(run, page);
    }
    return page;
  }

  /** One page more towards the beginning or the end. */
  more(run: string | null, count: number, direction: "earlier" | "later"): void {
    const page = this.of(run, count);
    if (direction === "earlier") page.from = Math.max(0, page.from - PAGE_ROWS);
    else this.#end(page, (page.to ?? count) + PAGE_ROWS, count);
  }

  /** Brings a row onto the page: a near one by a longer page, a far one by another page. True where it was not on it. */
  include(run: string | null, count: number, index: number): boolean {
    const page = this.of(run, count);
    const to = page.to ?? count;
    if (index >= page.from && index < to) return false;
    const near = index >= page.from - PAGE_ROWS && index < to + PAGE_ROWS && to - page.from <= PAGE_ROWS;
    if (near && index < page.from) page.from = Math.max(0, index - ROWS_BEHIND);
    else if (near) this.#end(page, index + ROWS_BEHIND, count);
    else {
      page.from = Math.max(0, Math.min(index - PAGE_ROWS / 2, count - PAGE_ROWS));
      this.#end(page, page.from + PAGE_ROWS, count);
    }
    return true;
  }

  /**
   * Before rows join a run of `count`: a long page gets short where the reader goes along with the end, and stays as it is
   * where not, so that a row that joins costs a page and not all that was ever loaded.
   */
  beforeGrowth(run: string | null, count: number, follows: boolean): void {
    const page = this.#pages.get(run);
    if (page === undefined || page.to !== undefined || count - page.from < MAX_LIVE_ROWS) return;
    if (follows) page.from = count - PAGE_ROWS;
    else page.to = count;
  }

  #end(page: Page, to: number, count: number): void {
    page.to = to >= count ? undefined : to;
  }

  forget(run: string | null): void {
    this.#pages.delete(run);
  }
}
