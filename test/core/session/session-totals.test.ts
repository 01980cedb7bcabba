import { describe, expect, it } from "vitest";
import { emptyUsage, type Usage } from "../../../src/core/llm/messages.ts";
import { SessionTotals } from "../../../src/core/session/session-totals.ts";
import { createMemorySession } from "../../../src/core/session/stored-session.ts";
import { testHarness } from "../../support/scripted-model.ts";
import { assistant, countingClock, countingIds, toolResult, user } from "../../support/session-builder.ts";

const usage = (total: number, extra: Partial<Usage> = {}): Usage => ({
  ...emptyUsage(),
  output: 10,
  totalTokens: 10,
  ...extra,
  cost: { ...emptyUsage().cost, total },
});
const session = () => createMemorySession({ cwd: "/w", clock: countingClock(), ids: countingIds() });

describe("the totals of a session", () => {
  it("count every branch, summaries, tools and usage entries", async () => {
    const s = session();
    const first = await s.appendMessage(user("one"));
    await s.appendMessage(assistant("a", { usage: usage(1), timestamp: 1 }));
    await s.appendMessage({ ...toolResult("c", "r"), usage: usage(2) });
    await s.moveTo(first, { fromId: "x", summary: "b", usage: usage(4) });
    await s.appendMessage(assistant("b", { usage: usage(8), timestamp: 2 }));
    await s.appendCompaction({ summary: "s", firstKeptEntryId: first, tokensBefore: 1, usage: usage(16) });
    await s.appendEntries([{ type: "usage", kind: "x", provider: "p", model: "m", usage: usage(32) }]);
    const totals = await new SessionTotals(s).update();
    expect(totals.usage.cost.total).toBe(63);
    expect(totals).toMatchObject({ unpriced: 0, requests: 6 });
  });

  it("read only what is new", async () => {
    const s = session();
    await s.appendMessage(user("one"));
    await s.appendMessage(assistant("a", { usage: usage(1), timestamp: 1 }));
    const totals = new SessionTotals(s);
    await totals.update();
    expect(totals.isStale).toBe(false);
    const read: string[] = [];
    const getEntries = s.getEntries.bind(s);
    s.getEntries = async (ids) => {
      read.push(...ids);
      return getEntries(ids);
    };
    const fresh = await s.appendMessage(assistant("b", { usage: usage(2), timestamp: 2 }));
    expect(totals.isStale).toBe(true);
    expect((await totals.update()).usage.cost.total).toBe(3);
    expect(read).toEqual([fresh]);
  });

  it("say how many requests have no known price", async () => {
    const s = session();
    await s.appendMessage(user("one"));
    await s.appendMessage(assistant("a", { usage: usage(0, { unpriced: true }), timestamp: 1 }));
    await s.appendMessage(assistant("failed", { usage: emptyUsage(), timestamp: 2 }));
    expect(await new SessionTotals(s).update()).toMatchObject({ unpriced: 1, requests: 1 });
  });

  it("count a reply once though an undone compaction left a copy of it, and numbers that are none as nothing", async () => {
    const { harness, session: s, model } = testHarness();
    model.replies = [{ totalTokens: 5 }, { totalTokens: 7 }, { totalTokens: 11 }];
    await harness.prompt("one");
    await harness.prompt("two");
    const id = await harness.compact({ cut: { kind: "lastTurn" } });
    await harness.prompt("three");
    const before = await new SessionTotals(s).update();
    await harness.undoCompaction(id);
    expect((await new SessionTotals(s).update()).usage.totalTokens).toBe(before.usage.totalTokens);
    await s.appendMessage(assistant("x", { usage: { input: "many" } as never, timestamp: 99 }));
    expect((await new SessionTotals(s).update()).usage.totalTokens).toBe(before.usage.totalTokens);
  });
});
