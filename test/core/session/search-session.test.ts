import { describe, expect, it } from "vitest";
import { searchSession, snippetAt } from "../../../src/core/session/search-session.ts";
import type { Session } from "../../../src/core/session/session.ts";
import { createMemorySession } from "../../../src/core/session/stored-session.ts";
import { assistant, countingClock, countingIds, toolCall, toolResult, user } from "../../support/session-builder.ts";

const memory = () => createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });

async function found(session: Session, text: string, signal = new AbortController().signal): Promise<string[]> {
  const hits: string[] = [];
  for await (const hit of searchSession(session, text, signal)) hits.push(hit.entryId);
  return hits;
}

describe("searching a session", () => {
  it("finds text on branches that the position is not on, newest first, whatever the case", async () => {
    const session = memory();
    const first = await session.appendMessage(user("Where is the Needle?"));
    const other = await session.appendMessage(assistant("a NEEDLE in a stack"));
    await session.moveTo(first);
    await session.appendMessage(assistant("nothing here"));
    expect(await found(session, " needle ")).toEqual([other, first]);
  });

  it("finds summaries, tool results and labels, and no settings", async () => {
    const session = memory();
    const question = await session.appendMessage(user("q"));
    await session.appendMessage(toolCall("1"));
    const result = await session.appendMessage(toolResult("1", "needle"));
    const compaction = await session.appendCompaction({ summary: "the needle", tokensBefore: 1 });
    await session.appendSessionName("needle");
    await session.appendLabel(question, "needle point");
    expect(await found(session, "needle")).toEqual([compaction, result, question]);
  });

  it("finds nothing for an empty text and stops when it is cancelled", async () => {
    const session = memory();
    for (let i = 0; i < 450; i++) await session.appendMessage(user("needle"));
    expect(await found(session, "  ")).toEqual([]);
    const stop = new AbortController();
    let count = 0;
    for await (const _hit of searchSession(session, "needle", stop.signal)) if (++count === 5) stop.abort();
    expect(count).toBe(5);
  });

  it("shows the words around a hit in one line and halves no character", () => {
    const text = `${"😀".repeat(100)} needle\n\nnext line`;
    const snippet = snippetAt(text, text.indexOf("needle"), 6);
    expect(snippet).toMatch(/^…/);
    expect(snippet).toContain("needle next line");
    expect(snippet.isWellFormed()).toBe(true);
  });
});
