import { describe, expect, it } from "vitest";
import { BranchOutline } from "../../src/core/session/branch-outline.ts";
import type { Session } from "../../src/core/session/session.ts";
import { createMemorySession } from "../../src/core/session/stored-session.ts";
import type { TreeFilter } from "../../src/core/session/tree-filter.ts";
import type { TreeNode } from "../../src/vscode/tree-nodes.ts";
import { PAGE_ROWS } from "../../src/vscode/tree-pages.ts";
import { type RowChange, TreeRows } from "../../src/vscode/tree-rows.ts";
import { assistant, countingClock, countingIds, toolCall, toolResult, user } from "../support/session-builder.ts";

/** A session that counts what is asked of it, with the rows of its tree. */
async function world(turns: number, filter: TreeFilter = "default") {
  const session = createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });
  for (let turn = 0; turn < turns; turn++) {
    await session.appendEntries([
      { type: "message", message: user(`q${turn}`) },
      { type: "message", message: assistant(`a${turn}`) },
    ]);
  }
  const asked = { nodes: 0, read: 0, paths: 0 };
  const counting = new Proxy(session, {
    get(target, name: keyof Session) {
      const value = target[name];
      if (typeof value !== "function") return value;
      return (...args: never[]) => {
        if (name === "node") asked.nodes++;
        if (name === "getEntries") asked.read += (args[0] as unknown as readonly string[]).length;
        if (name === "pathTo" || name === "allIds") asked.paths++;
        return (value as (...given: never[]) => unknown).apply(target, args);
      };
    },
  });
  const measured: string[] = [];
  const rows = new TreeRows(counting, new BranchOutline(counting, filter), (ids) => measured.push(...ids));
  const appended: string[] = [];
  session.onDidChange((change) => appended.push(...change.appended));
  const update = (follows = true): Promise<RowChange> => rows.update(appended.splice(0), follows);
  const reset = () => Object.assign(asked, { nodes: 0, read: 0, paths: 0 });
  return { session, rows, asked, reset, update, measured };
}
const keys = (change: RowChange) => (change === "all" ? "all" : change.map((node) => node.key));
const texts = (nodes: readonly TreeNode[], rows: TreeRows) =>
  nodes.map((node) =>
    node.kind === "more" ? `${node.direction} ${node.hidden}` : rows.contentOf(node.entryId)?.title,
  );

describe("the rows of the tree", () => {
  it("takes up a message by reading that message, however long the session is, and asks for one page again", async () => {
    for (const turns of [300, 3000]) {
      const { session, rows, asked, reset, update } = await world(turns);
      expect(await rows.children(null)).toHaveLength(PAGE_ROWS + 1);
      reset();
      const id = await session.appendMessage(user("new"));
      expect(await update()).toBe("all");
      const nodes = await rows.children(null);
      expect(nodes.at(-1)?.key).toBe(id);
      expect(nodes).toHaveLength(PAGE_ROWS + 2);
      expect(asked).toEqual({ nodes: 1, read: 1, paths: 0 });
    }
  });

  it("draws one row again for a step of tools, and none for its result", async () => {
    const { session, rows, update } = await world(300);
    await session.appendMessage(user("go on"));
    const first = await session.appendMessage(toolCall("1"));
    await update();
    await rows.children(null);
    await session.appendMessage(toolResult("1", "text"));
    expect(await update()).toEqual([]);
    const second = await session.appendMessage(toolCall("2"));
    expect(keys(await update())).toEqual([first]);
    expect(rows.nodeOf(second)).toMatchObject({ key: first, entryId: second, folded: [first, second] });
    const nodes = await rows.children(null);
    expect(nodes.at(-1)).toMatchObject({ key: first, folded: [first, second] });
    await session.appendMessage(assistant("done"));
    expect(await update()).toBe("all");
    expect(texts(await rows.children(null), rows).at(-1)).toBe("done");
  });

  it("draws one row again for a label, and takes a labelled step out of the row that it shared", async () => {
    const { session, rows, update } = await world(3);
    const calls = [await session.appendMessage(toolCall("1")), await session.appendMessage(toolCall("2"))];
    await update();
    const nodes = await rows.children(null);
    expect(nodes.at(-1)).toMatchObject({ folded: calls });
    await session.appendLabel(nodes[0]!.key, "here");
    expect(keys(await update())).toEqual([nodes[0]!.key]);
    await session.appendLabel(calls[1]!, "there");
    expect(await update()).toBe("all");
    expect((await rows.children(null)).slice(-2).map((node) => node.key)).toEqual(calls);
  });

  it("gives attempts that failed one after the other one row, and what said something its own", async () => {
    const failed = (text: string, errorMessage: string) =>
      assistant(text, { content: text === "" ? [] : [{ type: "text", text }], stopReason: "error", errorMessage });
    for (const filter of ["default", "no-tools"] as const) {
      const { session, rows, update } = await world(2, filter);
      const ids = [await session.appendMessage(failed("", "busy")), await session.appendMessage(failed("", "gone"))];
      await update();
      const [row] = (await rows.children(null)).slice(-1);
      expect(row).toMatchObject({ entryId: ids[1], folded: ids });
      const third = await session.appendMessage(failed("", "slow"));
      expect(keys(await update())).toEqual([ids[0]]);
      expect(rows.nodeOf(ids[0])).toMatchObject({ entryId: third, folded: [...ids, third] });
      await session.appendMessage(failed("Half a", "cut"));
      await session.appendMessage(assistant("There"));
      await update();
      const shown = texts(await rows.children(null), rows);
      expect(shown.slice(-3)).toEqual(["slow", "Half a", "There"]);
    }
  });

  it("draws only the row that counts later ones again while an earlier page is shown", async () => {
    const { session, rows, update } = await world(300);
    await rows.children(null);
    const first = (await session.getBranch())[0]!.id;
    expect(rows.include(first)).toEqual({ id: first, run: null, paged: null });
    const nodes = await rows.children(null);
    expect(nodes[0]!.key).toBe(first);
    expect(texts(nodes, rows).at(-1)).toBe("later 400");
    await session.appendMessage(user("new"));
    expect(keys(await update())).toEqual(["more:later:"]);
    expect(nodes.at(-1)).toMatchObject({ hidden: 401 });
  });

  it("keeps a branch that stands open as it was when the position grows", async () => {
    const { session, rows, update } = await world(3);
    const leaf = session.getLeafId();
    await session.moveTo((await session.getBranch())[1]!.id);
    const head = await session.appendMessage(user("other"));
    await session.appendMessage(assistant("answer"));
    await session.moveTo(leaf);
    expect(await update()).toBe("all");
    await rows.children(null);
    const before = await rows.children(head);
    expect(texts(before, rows)).toEqual(["answer"]);
    expect(rows.headOf(head)?.key).toBe(`${head}:head`);
    await session.appendMessage(user("new"));
    await update();
    expect((await rows.children(head))[0]).toBe(before[0]);
  });

  it("brings the heads of a far entry onto their pages too", async () => {
    const { session, rows, update } = await world(300);
    const leaf = session.getLeafId();
    await session.moveTo((await session.getBranch())[1]!.id);
    const head = await session.appendMessage(user("other"));
    const deep = await session.appendMessage(assistant("answer"));
    await session.moveTo(leaf);
    await update();
    expect((await rows.children(null)).some((node) => node.key === `${head}:head`)).toBe(false);
    expect(rows.include(deep)).toEqual({ id: deep, run: head, paged: null });
    expect((await rows.children(null)).some((node) => node.key === `${head}:head`)).toBe(true);
    expect(await rows.find(deep, head)).toMatchObject({ run: head });
    expect(rows.include(deep)).toMatchObject({ paged: undefined });
  });

  it("tells how much a compaction left after its row is there", async () => {
    const { session, rows, measured } = await world(2);
    const kept = (await session.getBranch())[2]!.id;
    const id = await session.appendCompaction({ summary: "all of it", firstKeptEntryId: kept, tokensBefore: 1000 });
    await rows.update([id], true);
    await rows.children(null);
    await expect.poll(() => measured).toEqual([id]);
    expect(rows.tokensAfter(id)).toBeGreaterThan(0);
  });
});
