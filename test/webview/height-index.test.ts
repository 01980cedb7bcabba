import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HeightIndex } from "../../src/webview/height-index.ts";

describe("the index of heights", () => {
  it("knows where rows begin and which row covers an offset", () => {
    const index = new HeightIndex();
    index.replaceFrom(0, [10, 0, 30]);
    expect([0, 1, 2, 3].map((i) => index.top(i))).toEqual([0, 10, 10, 40]);
    expect([-5, 0, 9, 10, 39, 40, 999].map((offset) => index.at(offset))).toEqual([0, 0, 0, 2, 2, 2, 2]);
    expect(index.total).toBe(40);
  });

  it("is empty without rows", () => {
    const index = new HeightIndex();
    expect([index.total, index.at(0), index.top(0)]).toEqual([0, 0, 0]);
  });

  it("agrees with plain sums after any changes", () => {
    const heights = fc.array(fc.integer({ min: 0, max: 500 }), { maxLength: 60 });
    const change = fc.oneof(
      fc.record({ from: fc.nat(70), list: heights }),
      fc.record({ at: fc.nat(80), height: fc.integer({ min: 0, max: 500 }) }),
    );
    fc.assert(
      fc.property(fc.array(change, { maxLength: 12 }), (changes) => {
        const index = new HeightIndex();
        let plain: number[] = [];
        for (const one of changes) {
          if ("list" in one) {
            const from = Math.min(one.from, plain.length);
            plain = [...plain.slice(0, from), ...one.list];
            index.replaceFrom(from, one.list);
          } else {
            index.set(one.at, one.height);
            if (one.at < plain.length) plain[one.at] = one.height;
          }
          const sum = plain.reduce((a, b) => a + b, 0);
          expect(index.total).toBe(sum);
          expect(index.top(3)).toBe(plain.slice(0, 3).reduce((a, b) => a + b, 0));
        }
      }),
    );
  });
});
