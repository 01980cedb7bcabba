import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { NO_KEY, SessionTree } from "../../../src/core/session/session-tree.ts";

const MESSAGE = { type: 1, role: 1, flags: 0 };
function tree(...entries: [id: string, parent: string | null][]): SessionTree {
  const built = new SessionTree();
  entries.forEach(([id, parent], i) => {
    built.add(built.keyOf(id), parent === null ? NO_KEY : built.keyOf(parent), MESSAGE, i, 0);
  });
  built.breakCycles();
  return built;
}
const names = (built: SessionTree, rows: ArrayLike<number>) => Array.from(rows, (row) => built.idOf(row));

describe("the tree", () => {
  it("finds the deepest entry on two paths", () => {
    const built = tree(["A", null], ["B", "A"], ["C", "B"], ["D", "C"], ["E", "A"], ["F", "E"]);
    const ancestor = (a: string, b: string) => built.commonAncestor(built.rowOf(a), built.rowOf(b));
    expect(built.idOf(ancestor("D", "F"))).toBe("A");
    expect(built.idOf(ancestor("D", "C"))).toBe("C");
    expect(tree(["A", null], ["B", null]).commonAncestor(0, 1)).toBe(-1);
  });

  it("keeps children in file order, also of entries that come before their parent", () => {
    const built = tree(["x", "root"], ["y", "root"], ["root", null], ["z", "root"]);
    expect(names(built, built.childRows(built.rowOf("root")))).toEqual(["x", "y", "z"]);
    expect(names(built, built.childRows(-1))).toEqual(["root"]);
  });

  it("tells 0000000a from a and 10 from 00000010", () => {
    const built = tree(
      ["0000000a", null],
      ["a", "0000000a"],
      ["00000010", "a"],
      ["10", "00000010"],
      ["0000000A", "10"],
    );
    expect(names(built, built.pathRows(built.rowOf("0000000A")))).toEqual([
      "0000000a",
      "a",
      "00000010",
      "10",
      "0000000A",
    ]);
  });

  it("lets every walk end, whatever names what as its parent", () => {
    const id = fc.integer({ min: 0, max: 12 }).map(String);
    fc.assert(
      fc.property(fc.array(fc.tuple(id, fc.option(id, { nil: null })), { maxLength: 40 }), (entries) => {
        const built = tree(...entries);
        const last = new Map(entries);
        expect(built.count).toBe(last.size);
        const reached = new Set<number>();
        const pending = built.childRows(-1);
        for (let row = pending.pop(); row !== undefined; row = pending.pop()) {
          expect(reached.has(row)).toBe(false);
          reached.add(row);
          pending.push(...built.childRows(row));
        }
        expect(reached.size).toBe(built.count);
        for (const [name, parent] of last) {
          const row = built.rowOf(name);
          const path = built.pathRows(row);
          expect(new Set(path).size).toBe(path.length);
          const above = built.parentOf(row);
          if (above >= 0) expect(built.idOf(above)).toBe(parent);
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("finds every one of 50,000 random ids and holds less than 100 bytes for each", () => {
    const built = new SessionTree();
    let state = 7;
    const ids: string[] = [];
    for (let i = 0; i < 50_000; i++) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
      const id = state.toString(16).padStart(8, "0");
      built.add(built.keyOf(id), ids.length === 0 ? NO_KEY : built.keyOf(ids.at(-1)!), MESSAGE, i, 0);
      ids.push(id);
    }
    expect(ids.every((id, i) => built.rowOf(id) === i && built.parentOf(i) === i - 1)).toBe(true);
    expect(built.rowOf("zzzz")).toBe(-1);
    built.childRows(-1);
    expect(built.byteSize() / built.count).toBeLessThan(100);
  });
});
