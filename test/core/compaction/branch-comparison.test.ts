import { describe, expect, it } from "vitest";
import { compareBranches } from "../../../src/core/compaction/branch-comparison.ts";
import { tokensAfterCompaction } from "../../../src/core/compaction/compaction-size.ts";
import { estimateTokens } from "../../../src/core/compaction/token-estimation.ts";
import { emptyUsage } from "../../../src/core/llm/messages.ts";
import { createMemorySession } from "../../../src/core/session/stored-session.ts";
import { assistant, countingClock, countingIds, toolCall, toolResult, user } from "../../support/session-builder.ts";

const memory = () => createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });
const usage = (input: number, output: number, cost: number) => ({
  ...emptyUsage(),
  input,
  output,
  totalTokens: input + output,
  cost: { ...emptyUsage().cost, total: cost },
});

describe("two branches side by side", () => {
  it("tells where they part, what each changed, and counts what they share once", async () => {
    const session = memory();
    await session.appendMessage(user("q"));
    const common = await session.appendMessage(assistant("a", { usage: usage(100, 10, 0.5) }));
    await session.appendMessage(user("left"));
    await session.appendMessage({ ...toolCall("1", "edit", { path: "a.ts" }), usage: usage(200, 20, 0.25) });
    const left = await session.appendMessage(toolResult("1", "done"));
    await session.moveTo(common);
    const asked = await session.appendMessage(user("right"));
    const right = await session.appendMessage({
      ...toolCall("2", "read", { path: "b.ts" }),
      usage: { ...usage(300, 30, 0), unpriced: true },
    });
    const found = await compareBranches(session, left, right);
    expect(found).toMatchObject({
      commonId: common,
      shared: 2,
      sharedSpending: { requests: 1, input: 100, costUsd: 0.5 },
    });
    const [a, b] = found.sides;
    expect(a.files).toEqual({ readFiles: [], modifiedFiles: ["a.ts"] });
    expect(a.spending).toEqual({ requests: 1, input: 200, output: 20, costUsd: 0.25, unpriced: false });
    expect(b.files).toEqual({ readFiles: ["b.ts"], modifiedFiles: [] });
    expect(b.spending).toMatchObject({ costUsd: 0, unpriced: true });
    expect(b.entries.map((entry) => entry.id)).toEqual([asked, right]);
  });

  it("compares branches that begin apart, and one that ends where the other goes on", async () => {
    const session = memory();
    const first = await session.appendMessage(user("one"));
    const longer = await session.appendMessage(assistant("more"));
    await session.moveTo(null);
    const second = await session.appendMessage(user("two"));
    expect(await compareBranches(session, first, second)).toMatchObject({ commonId: null, shared: 0 });
    const inner = await compareBranches(session, first, longer);
    expect(inner.sides.map((side) => side.entries.length)).toEqual([0, 1]);
  });
});

it("counts summary and what stayed as the size behind a compaction", async () => {
  const session = memory();
  await session.appendMessage(user("a long time ago"));
  const kept = await session.appendMessage(user("x".repeat(400)));
  const id = await session.appendCompaction({ summary: "s".repeat(40), firstKeptEntryId: kept, tokensBefore: 1000 });
  const entry = await session.getEntry(id);
  if (entry?.type !== "compaction") throw new Error("no compaction");
  const { messages } = await session.buildContext(id);
  const expected = messages.reduce((sum, message) => sum + estimateTokens(message), 0);
  expect(expected).toBe(110);
  expect(await tokensAfterCompaction(session, entry)).toBe(expected);
  // What was noted with it was counted as its size before was.
  expect(await tokensAfterCompaction(session, { ...entry, details: { tokensAfter: 700 } })).toBe(700);
});
