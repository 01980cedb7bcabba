import { describe, expect, it } from "vitest";
import { PAGE_ROWS, TreePages } from "../../src/vscode/tree-pages.ts";

describe("the pages of a run", () => {
  it("begins at the end of the position's run and follows it", () => {
    const pages = new TreePages();
    expect(pages.of(null, 20_000, 19_999)).toEqual({ from: 19_800, to: undefined });
    expect(pages.of("branch", 20_000)).toEqual({ from: 0, to: PAGE_ROWS });
    expect(pages.of("short", 3)).toEqual({ from: 0, to: undefined });
  });

  it("goes to a far row by another page, not by all that lies between", () => {
    const pages = new TreePages();
    pages.of(null, 20_000, 19_999);
    expect(pages.include(null, 20_000, 50)).toBe(true);
    const page = { ...pages.of(null, 20_000) };
    expect(page.from).toBe(0);
    expect(page.to).toBe(PAGE_ROWS);
    expect(pages.include(null, 20_000, 60)).toBe(false);
    expect(pages.include(null, 20_000, 19_999)).toBe(true);
    expect(pages.of(null, 20_000)).toEqual({ from: 19_800, to: undefined });
  });

  it("goes to a near row by a longer page", () => {
    const pages = new TreePages();
    pages.of(null, 20_000, 19_999);
    expect(pages.include(null, 20_000, 19_700)).toBe(true);
    expect(pages.of(null, 20_000)).toEqual({ from: 19_660, to: undefined });
  });

  it("has every row on its page after it was asked for, whatever was asked for before, and stays bounded", () => {
    const pages = new TreePages();
    const count = 5000;
    for (let i = 0; i < 400; i++) {
      const index = (i * 2654435761) % count;
      pages.include(null, count, index);
      const { from, to = count } = pages.of(null, count);
      expect(index >= from && index < to).toBe(true);
      expect(to - from).toBeLessThanOrEqual(3 * PAGE_ROWS);
    }
  });

  it("gets short again while the reader goes along with the end, and stands still where not", () => {
    const pages = new TreePages();
    pages.of(null, 1000, 999);
    for (let n = 0; n < 4; n++) pages.more(null, 1000, "earlier");
    expect(pages.of(null, 1000)).toEqual({ from: 0, to: undefined });
    pages.beforeGrowth(null, 1000, false);
    expect(pages.of(null, 1001)).toEqual({ from: 0, to: 1000 });
    pages.more(null, 1001, "later");
    expect(pages.of(null, 1001)).toEqual({ from: 0, to: undefined });
    pages.beforeGrowth(null, 1001, true);
    expect(pages.of(null, 1002)).toEqual({ from: 801, to: undefined });
  });
});
