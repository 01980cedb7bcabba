import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { PathIds } from "../../../src/core/session/path-ids.ts";
import { SessionTree } from "../../../src/core/session/session-tree.ts";

const facts = { type: 0, role: 0, flags: 0 };
const idOf = (n: number) => n.toString(16).padStart(8, "0");

describe("the ids of paths", () => {
  it("are those of the rows, whatever paths were asked for before and whatever joined in between", () => {
    fc.assert(
      fc.property(fc.array(fc.record({ parent: fc.nat(), ask: fc.nat() }), { maxLength: 60 }), (steps) => {
        const tree = new SessionTree();
        const paths = new PathIds();
        const parents: number[] = [];
        steps.forEach(({ parent, ask }, row) => {
          const above = row === 0 ? -1 : (parent % (row + 1)) - 1;
          parents.push(above);
          tree.add(row, above, facts, 0, 0);
          const asked = ask % (row + 1);
          const expected: string[] = [];
          for (let at = asked; at >= 0; at = parents[at]!) expected.unshift(idOf(at));
          expect(paths.idsTo(tree, asked)).toEqual(expected);
        });
        expect(paths.idsTo(tree, -1)).toEqual([]);
      }),
    );
  });

  it("are the same list while nothing on the path changed", () => {
    const tree = new SessionTree();
    const paths = new PathIds();
    for (let row = 0; row < 4; row++) tree.add(row, row - 1, facts, 0, 0);
    const long = paths.idsTo(tree, 3);
    const short = paths.idsTo(tree, 1);
    tree.add(9, 3, facts, 0, 0);
    expect(paths.idsTo(tree, 3)).toBe(long);
    expect(paths.idsTo(tree, 1)).toBe(short);
  });

  it("are not taken from another tree", () => {
    const paths = new PathIds();
    const trees = [5, 7].map((first) => {
      const tree = new SessionTree();
      tree.add(first, -1, facts, 0, 0);
      return tree;
    });
    expect(trees.map((tree) => paths.idsTo(tree, 0))).toEqual([[idOf(5)], [idOf(7)]]);
  });
});
