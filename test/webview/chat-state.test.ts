import { describe, expect, it } from "vitest";
import type { ToWebview, ViewOp } from "../../src/protocol/to-webview.ts";
import type { TranscriptItem } from "../../src/protocol/view-state.ts";
import { initialState, type PageState, reduce } from "../../src/webview/chat-state.ts";
import { emptyChat, reply, tool, user } from "./support/chat-samples.ts";

function begin(items: TranscriptItem[], seq = 1): PageState {
  return reduce(initialState, { type: "state.snapshot", seq, state: emptyChat({ items }), strings: {} }).state;
}

function frame(state: PageState, ...ops: ViewOp[]): PageState {
  return reduce(state, { type: "state.frame", seq: state.seq! + 1, ops }).state;
}

const ids = (state: PageState) => state.chat!.items.map((item) => item.id);

describe("the chat state", () => {
  it("shows what a snapshot says", () => {
    expect(ids(begin([user("u1", "a"), reply("a1", "b")]))).toEqual(["u1", "a1"]);
  });

  it("is the same after the same snapshot twice", () => {
    const once = begin([user("u1", "a")]);
    const twice = reduce(once, {
      type: "state.snapshot",
      seq: 1,
      state: emptyChat({ items: [user("u1", "a")] }),
      strings: {},
    });
    expect(twice.state).toEqual(once);
  });

  it("keeps one item per id where a snapshot holds doubles", () => {
    const state = begin([user("u1", "first"), reply("a1", "b"), user("u1", "second")]);
    expect(ids(state)).toEqual(["u1", "a1"]);
    expect(state.chat!.items[0]).toMatchObject({ text: "second" });
  });

  it("ignores a frame that was already applied", () => {
    const state = frame(begin([reply("a1", "x")]), {
      op: "text.append",
      id: "a1",
      block: 0,
      blockType: "text",
      text: "y",
    });
    const again = reduce(state, {
      type: "state.frame",
      seq: state.seq!,
      ops: [{ op: "text.append", id: "a1", block: 0, blockType: "text", text: "y" }],
    });
    expect(again.state).toBe(state);
    expect(again.gap).toBe(false);
  });

  it("asks for a snapshot once when a number is missing, and changes nothing until it comes", () => {
    const state = begin([user("u1", "a")], 5);
    const late: ToWebview = { type: "state.frame", seq: 7, ops: [{ op: "item.removed", id: "u1" }] };
    const gap = reduce(state, late);
    expect(gap.gap).toBe(true);
    expect(ids(gap.state)).toEqual(["u1"]);
    const next = reduce(gap.state, { ...late, seq: 8 });
    expect(next.gap).toBe(false);
    expect(ids(next.state)).toEqual(["u1"]);
    const healed = reduce(next.state, { type: "state.snapshot", seq: 8, state: emptyChat(), strings: {} });
    expect(healed.state).toMatchObject({ seq: 8, stale: false });
    expect(reduce(healed.state, { type: "state.frame", seq: 9, ops: [] }).gap).toBe(false);
  });

  it("sees a gap in a page of older items and before any snapshot", () => {
    const page: ToWebview = { type: "page.items", seq: 9, items: [], hasOlder: false };
    expect(reduce(begin([], 1), page).gap).toBe(true);
    expect(reduce(initialState, page).gap).toBe(true);
  });

  it("accepts a snapshot with a smaller number, because the host may have started again", () => {
    const state = reduce(begin([user("u1", "a")], 90), {
      type: "state.snapshot",
      seq: 1,
      state: emptyChat({ items: [user("u2", "b")] }),
      strings: {},
    }).state;
    expect(ids(state)).toEqual(["u2"]);
    expect(state.seq).toBe(1);
  });

  it("inserts at the start, after an item, and at the end", () => {
    let state = begin([user("u1", "a"), user("u2", "b")]);
    state = frame(
      state,
      { op: "item.upsert", item: user("first", ""), afterId: null },
      { op: "item.upsert", item: user("middle", ""), afterId: "u1" },
      { op: "item.upsert", item: user("last", "") },
      { op: "item.upsert", item: user("lost", ""), afterId: "nowhere" },
    );
    expect(ids(state)).toEqual(["first", "u1", "middle", "u2", "last", "lost"]);
  });

  it("replaces in place an item that it knows", () => {
    const state = frame(begin([user("u1", "a"), user("u2", "b")]), { op: "item.upsert", item: user("u1", "new") });
    expect(ids(state)).toEqual(["u1", "u2"]);
    expect(state.chat!.items[0]).toMatchObject({ text: "new" });
  });

  it("tells which item got a new id", () => {
    const reduced = reduce(begin([user("tmp", "a")]), {
      type: "state.frame",
      seq: 2,
      ops: [{ op: "item.renamed", id: "tmp", newId: "e1" }],
    });
    expect(reduced.renames).toEqual([["tmp", "e1"]]);
    expect(ids(reduced.state)).toEqual(["e1"]);
  });

  it("appends text to a block and makes the block where there is none", () => {
    const state = frame(
      begin([reply("a1", "", { blocks: [], streaming: true })]),
      { op: "text.append", id: "a1", block: 0, blockType: "thinking", text: "hm" },
      { op: "text.append", id: "a1", block: 1, blockType: "text", text: "He" },
      { op: "text.append", id: "a1", block: 1, blockType: "text", text: "llo" },
    );
    expect(state.chat!.items[0]).toMatchObject({
      blocks: [
        { type: "thinking", text: "hm" },
        { type: "text", text: "Hello" },
      ],
    });
  });

  it("leaves every other item the same object", () => {
    const before = begin([user("u1", "a"), reply("a1", "b"), tool("t1", "bash", "ls", { status: "running" })]);
    const after = frame(before, { op: "output.append", id: "t1", text: "line\n" });
    expect(after.chat!.items[0]).toBe(before.chat!.items[0]);
    expect(after.chat!.items[1]).toBe(before.chat!.items[1]);
    expect(after.chat!.items[2]).toMatchObject({ output: "line\n" });
  });

  it("does not lose the items to a patch", () => {
    const patch = { phase: "turn", items: [] } as unknown as { phase: "turn" };
    const state = frame(begin([user("u1", "a")]), { op: "state.patch", patch });
    expect(ids(state)).toEqual(["u1"]);
    expect(state.chat!.phase).toBe("turn");
  });

  it("puts older items before, once each", () => {
    const state = reduce(begin([user("u2", "b")]), {
      type: "page.items",
      seq: 2,
      items: [user("u1", "a"), user("u2", "old b")],
      hasOlder: false,
    }).state;
    expect(ids(state)).toEqual(["u1", "u2"]);
    expect(state.chat!.items[1]).toMatchObject({ text: "b" });
    expect(state.chat!.hasOlder).toBe(false);
  });

  it("ignores ops on items that are not there", () => {
    const before = begin([user("u1", "a")]);
    const after = frame(
      before,
      { op: "item.removed", id: "x" },
      { op: "item.renamed", id: "x", newId: "y" },
      { op: "text.append", id: "u1", block: 0, blockType: "text", text: "?" },
    );
    expect(after.chat!.items).toEqual(before.chat!.items);
  });
});
