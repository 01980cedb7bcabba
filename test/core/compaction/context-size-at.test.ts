import { describe, expect, it } from "vitest";
import { contextSizeAt } from "../../../src/core/compaction/context-size-at.ts";
import { estimateContextTokens } from "../../../src/core/compaction/token-estimation.ts";
import { emptyUsage } from "../../../src/core/llm/messages.ts";
import { createMemorySession } from "../../../src/core/session/stored-session.ts";
import { assistant, countingClock, countingIds, user } from "../../support/session-builder.ts";

const open = () => createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });
const counted = (text: string, totalTokens: number) =>
  assistant(text, { usage: { ...emptyUsage(), totalTokens, input: totalTokens } });

describe("the size of the context at a point that is looked at", () => {
  it("is what the trigger would count there: the last counted reply and an estimate of what follows", async () => {
    const session = open();
    const ids = [
      await session.appendMessage(user("x".repeat(40))),
      await session.appendMessage(counted("y".repeat(80), 5000)),
      await session.appendMessage(user("z".repeat(120))),
      await session.appendMessage(assistant("failed", { stopReason: "error" })),
      await session.appendMessage(user("w".repeat(8))),
    ];
    for (const id of ids.slice(1)) {
      const { messages } = await session.buildContext(id);
      expect(await contextSizeAt(session, id, 900)).toEqual({
        tokens: estimateContextTokens(messages).tokens,
        estimated: false,
      });
    }
    expect(await contextSizeAt(session, ids[0]!, 900)).toEqual({ tokens: 910, estimated: true });
    expect(await contextSizeAt(session, null, 900)).toEqual({ tokens: 0, estimated: true });
  });

  it("begins at a compaction's own number, and is unknown where that or an edit stands in the way", async () => {
    const session = open();
    const first = await session.appendMessage(user("Go"));
    await session.appendMessage(counted("Done", 9000));
    const noted = { summary: "s", firstKeptEntryId: first, tokensBefore: 9000, details: { tokensAfter: 300 } };
    const compaction = await session.appendCompaction(noted);
    const after = await session.appendMessage(user("x".repeat(40)));
    expect(await contextSizeAt(session, compaction, 900)).toEqual({ tokens: 300, estimated: true });
    expect(await contextSizeAt(session, after, 900)).toEqual({ tokens: 310, estimated: true });
    const edit = await session.appendContextEdit(after, null);
    expect(await contextSizeAt(session, edit, 900)).toEqual({ tokens: null, estimated: true });
    const bare = await session.appendCompaction({ summary: "s", firstKeptEntryId: first, tokensBefore: 9000 });
    expect(await contextSizeAt(session, bare, 900)).toEqual({ tokens: null, estimated: true });
  });

  it("is given up rather than read through a long stretch that nobody counted", async () => {
    const session = open();
    for (let at = 0; at < 210; at++) await session.appendMessage(user(`Message ${at}`));
    expect(await contextSizeAt(session, session.getLeafId(), 0)).toEqual({ tokens: null, estimated: true });
  });
});
