import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { BranchOutline } from "../../../src/core/session/branch-outline.ts";
import type { Session, SessionNode } from "../../../src/core/session/session.ts";
import { createMemorySession } from "../../../src/core/session/stored-session.ts";
import { TREE_FILTERS, type TreeFilter, treeFilterOf } from "../../../src/core/session/tree-filter.ts";
import { assistant, countingClock, countingIds, toolCall, toolResult, user } from "../../support/session-builder.ts";

function memory(): Session {
  return createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });
}

/** A tree by structure alone: node `i` hangs below `parents[i]` (-1: a root). */
function structure(
  parents: readonly number[],
  leaf: number | null,
  role = (_i: number): SessionNode["role"] => "user",
) {
  const children = new Map<string | null, string[]>();
  parents.forEach((parent, i) => {
    const key = parent < 0 ? null : String(parent);
    const known = children.get(key);
    if (known === undefined) children.set(key, [String(i)]);
    else known.push(String(i));
  });
  const session: Partial<Session> = {
    node: (id) => ({
      id,
      parentId: parents[Number(id)]! < 0 ? null : String(parents[Number(id)]),
      type: "message",
      role: role(Number(id)) as NonNullable<SessionNode["role"]>,
    }),
    childrenOf: (id) => children.get(id) ?? [],
    allIds: () => parents.map((_parent, i) => String(i)),
    size: () => parents.length,
    shape: () => 0,
    labels: () => new Map(),
    getLabel: () => undefined,
    getLeafId: () => (leaf === null ? null : String(leaf)),
    pathTo(id) {
      const path: string[] = [];
      for (let at = id === null ? -1 : Number(id); at >= 0; at = parents[at]!) path.push(String(at));
      return path.reverse();
    },
  };
  return session as Session;
}

/** Every row with its depth, all heads open. */
function allRows(outline: BranchOutline): { id: string; depth: number; head: boolean }[] {
  const out: { id: string; depth: number; head: boolean }[] = [];
  const stack = [{ run: null as string | null, depth: 0 }];
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    for (const row of outline.run(next.run)) {
      out.push({ id: row.id, depth: next.depth, head: row.head });
      if (row.head) stack.push({ run: row.id, depth: next.depth + 1 });
    }
  }
  return out;
}

const ids = (outline: BranchOutline, head: string | null = null) => outline.run(head).map((row) => row.id);

describe("the outline of a session", () => {
  it("keeps a straight conversation flat", async () => {
    const session = memory();
    const written: string[] = [];
    for (let turn = 0; turn < 3; turn++) {
      written.push(await session.appendMessage(user(`q${turn}`)), await session.appendMessage(assistant(`a${turn}`)));
    }
    const outline = new BranchOutline(session, "default");
    expect(ids(outline)).toEqual(written);
    expect(outline.run(null).every((row) => row.onPath && !row.head)).toBe(true);
    expect(outline.positionId).toBe(written.at(-1));
  });

  it("shows a branch beside the row after which it parts, and what follows in it one level deeper", async () => {
    const session = memory();
    const q = await session.appendMessage(user("q"));
    const a = await session.appendMessage(assistant("a"));
    const old1 = await session.appendMessage(user("old"));
    const old2 = await session.appendMessage(assistant("old answer"));
    await session.moveTo(a);
    const new1 = await session.appendMessage(user("new"));
    const outline = new BranchOutline(session, "default");
    expect(ids(outline)).toEqual([q, a, old1, new1]);
    expect(ids(outline, old1)).toEqual([old2]);
    const rows = outline.run(null);
    expect(rows.map((row) => row.head)).toEqual([false, false, true, false]);
    expect(rows.map((row) => row.branches)).toEqual([1, 2, 1, 0]);
    expect(rows[2]).toMatchObject({ below: 1, onPath: false });
    expect(outline.placeOf(old2)).toEqual({ run: old1, index: 0 });
    expect(outline.placeOf(new1)).toEqual({ run: null, index: 3 });
  });

  it("puts what was said after the position behind it, as a branch that can be gone back to", async () => {
    const session = memory();
    const q = await session.appendMessage(user("q"));
    const later = await session.appendMessage(assistant("a"));
    await session.moveTo(q);
    const outline = new BranchOutline(session, "default");
    expect(outline.positionId).toBe(q);
    expect(outline.run(null).map((row) => [row.id, row.head])).toEqual([
      [q, false],
      [later, true],
    ]);
  });

  it("hangs branches of entries that are not shown on the nearest shown ancestor", async () => {
    const session = memory();
    const q = await session.appendMessage(user("q"));
    const call = await session.appendMessage(toolCall("1"));
    const result = await session.appendMessage(toolResult("1", "text"));
    const first = await session.appendMessage(user("first"));
    await session.moveTo(result);
    const second = await session.appendMessage(user("second"));
    const shown = (filter: TreeFilter) => new BranchOutline(session, filter);
    expect(ids(shown("user-only"))).toEqual([q, first, second]);
    expect(shown("user-only").run(null)[0]!.branches).toBe(2);
    expect(ids(shown("default"))).toEqual([q, call, first, second]);
    expect(shown("user-only").rowFor(result)).toBe(q);
    expect(ids(shown("labeled-only"))).toEqual([]);
    await session.appendLabel(call, "here");
    expect(ids(shown("labeled-only"))).toEqual([call]);
    expect(ids(shown("user-only"))).toEqual([q, call, first, second]);
  });

  it("shows settings and markers only where all is asked for", async () => {
    const session = memory();
    await session.appendThinkingLevelChange("high");
    const q = await session.appendMessage(user("q"));
    await session.appendSessionName("a name");
    expect(ids(new BranchOutline(session, "default"))).toEqual([q]);
    expect(ids(new BranchOutline(session, "all"))).toHaveLength(3);
  });

  it("has only other branches where the position is before the first entry", async () => {
    const session = memory();
    const q = await session.appendMessage(user("q"));
    await session.moveTo(null);
    const outline = new BranchOutline(session, "default");
    expect(outline.positionId).toBeUndefined();
    expect(outline.run(null)).toMatchObject([{ id: q, head: true }]);
  });

  it("grows at the position without being made anew, and agrees with one that is", async () => {
    const session = memory();
    const appended: string[][] = [];
    session.onDidChange((change) => appended.push([...change.appended]));
    await session.appendMessage(user("q"));
    const outline = new BranchOutline(session, "default");
    outline.run(null);
    appended.length = 0;
    await session.appendMessage(toolCall("1"));
    await session.appendMessage(toolResult("1", "x"));
    await session.appendMessage(assistant("a"));
    expect(outline.update(appended.splice(0).flat())).toMatchObject({ moved: false });
    expect(outline.run(null)).toEqual(new BranchOutline(session, "default").run(null));
    await session.moveTo(session.pathTo(session.getLeafId())[0]!);
    await session.appendMessage(user("other"));
    expect(outline.update(appended.flat())).toMatchObject({ moved: true });
    expect(outline.run(null)).toEqual(new BranchOutline(session, "default").run(null));
  });

  it("agrees with an outline that is made anew after any sequence of appends, moves and labels", async () => {
    const step = fc.record({ kind: fc.nat(5), pick: fc.nat(), flush: fc.boolean() });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), fc.constantFrom(...TREE_FILTERS), async (steps, filter) => {
        const session = memory();
        const appended: string[] = [];
        session.onDidChange((change) => appended.push(...change.appended));
        const outline = new BranchOutline(session, filter);
        for (const { kind, pick, flush } of steps) {
          const all = [...session.allIds()];
          const some = all[pick % Math.max(1, all.length)] ?? null;
          if (kind === 0) await session.appendMessage(user("u"));
          else if (kind === 1) await session.appendMessage(assistant("a"));
          else if (kind === 2) await session.appendMessage(toolCall("1"));
          else if (kind === 3) await session.appendMessage(toolResult("1", "r"));
          else if (kind === 4) await session.moveTo(some);
          else if (some !== null) await session.appendLabel(some, pick % 2 === 0 ? "label" : undefined);
          if (!flush) continue;
          outline.run(null);
          outline.update(appended.splice(0));
          const anew = new BranchOutline(session, filter);
          expect(allRows(outline)).toEqual(allRows(anew));
          expect(outline.run(null)).toEqual(anew.run(null));
          expect(outline.positionId).toBe(anew.positionId);
          for (const id of all) expect(outline.rowFor(id)).toBe(anew.rowFor(id));
        }
      }),
      { numRuns: 150 },
    );
  });

  it("shows every entry exactly once, in any tree and under any filter", () => {
    const trees = fc
      .array(fc.nat(), { minLength: 1, maxLength: 60 })
      .map((picks) => picks.map((n, i) => (n % (i + 1)) - 1));
    fc.assert(
      fc.property(trees, fc.nat(), fc.constantFrom(...TREE_FILTERS), (parents, pick, filter) => {
        const roles = (i: number) => (i % 3 === 0 ? "user" : i % 3 === 1 ? "assistant" : "toolResult");
        const session = structure(parents, pick % parents.length, roles);
        const outline = new BranchOutline(session, filter);
        const rows = allRows(outline).map((row) => row.id);
        expect(new Set(rows).size).toBe(rows.length);
        expect(rows.length).toBe(outline.size);
        for (const id of rows) {
          const place = outline.placeOf(id)!;
          expect(outline.run(place.run)[place.index]!.id).toBe(id);
        }
        if (filter === "all") expect(rows.length).toBe(parents.length);
      }),
    );
  });

  it("takes a chain of 20,000 entries as one flat run", () => {
    const session = structure(
      Array.from({ length: 20_000 }, (_, i) => i - 1),
      19_999,
    );
    const outline = new BranchOutline(session, "default");
    expect(outline.run(null)).toHaveLength(20_000);
    expect(outline.placeOf("19999")).toEqual({ run: null, index: 19_999 });
  });

  it("is the same when it is made slice by slice, also where entries join in between", async () => {
    const session = memory();
    for (let turn = 0; turn < 600; turn++) await session.appendMessage(user(`q${turn}`));
    const appended: string[] = [];
    session.onDidChange((change) => appended.push(...change.appended));
    const making = BranchOutline.create(session, "default");
    for (let n = 0; n < 300; n++) await session.appendMessage(user("in between"));
    const outline = await making;
    outline.update(appended);
    expect(outline.run(null)).toEqual(new BranchOutline(session, "default").run(null));
  });

  it("never goes deeper than the logarithm of a tree of 20,000 entries that forks everywhere", () => {
    const shapes: Record<string, (i: number) => number> = {
      binary: (i) => Math.floor((i - 1) / 2),
      comb: (i) => (i % 2 === 0 ? i - 2 : i - 1),
      star: () => 0,
    };
    for (const [name, parent] of Object.entries(shapes)) {
      const parents = Array.from({ length: 20_000 }, (_, i) => (i === 0 ? -1 : Math.max(0, parent(i))));
      for (const leaf of [null, 19_999, 0]) {
        const rows = allRows(new BranchOutline(structure(parents, leaf), "default"));
        expect(rows.length, name).toBe(20_000);
        expect(Math.max(...rows.map((row) => row.depth)), name).toBeLessThanOrEqual(15);
      }
    }
  });

  it("reads an unknown name of a filter as the default", () => {
    expect(treeFilterOf("no-tools")).toBe("no-tools");
    expect(treeFilterOf("everything")).toBe("default");
  });
});
