import { afterEach, describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

import * as vscode from "vscode";
import { undoCompaction } from "../../src/core/harness/undo-compaction.ts";
import { createMemorySession } from "../../src/core/session/stored-session.ts";
import type { EntryActions } from "../../src/vscode/entry-actions.ts";
import type { OpenSession } from "../../src/vscode/open-session.ts";
import { redoCompaction } from "../../src/vscode/redo-compaction.ts";
import { assistant, EPOCH, user } from "../support/session-builder.ts";

afterEach(() => void vi.restoreAllMocks());

/** A session whose compaction was undone after one more turn; `say` goes on a second later. */
async function world(answer?: string) {
  let now = EPOCH;
  const ids = { sessionId: () => "s", entryId: () => (++now).toString(16).padStart(8, "0").slice(-8) };
  const session = createMemorySession({ clock: { now: () => (now += 1000) }, ids, cwd: "/w" });
  const say = async (text: string) => {
    await session.appendMessage(user(text, now + 1));
    return await session.appendMessage(assistant(`About ${text}`));
  };
  await say("roses");
  const kept = session.getLeafId()!;
  const compactionId = await session.appendCompaction({
    summary: "## Goal",
    firstKeptEntryId: kept,
    tokensBefore: 100,
  });
  const compacted = await say("tulips");
  await undoCompaction(session, compactionId);
  const told: string[] = [];
  vi.spyOn(vscode.window, "showInformationMessage").mockImplementation((async (text: string) => {
    told.push(text);
    return answer;
  }) as never);
  const moves: string[] = [];
  const moveTo = async (_open: unknown, id: string) => {
    moves.push(id);
    await session.moveTo(id);
    return true;
  };
  const redo = () => redoCompaction({ session } as unknown as OpenSession, { moveTo } as unknown as EntryActions);
  return { say, compacted, moves, told, redo };
}

describe("redoing a compaction", () => {
  it("goes back to its branch, and asks nothing where nothing was said since", async () => {
    const { compacted, moves, told, redo } = await world();
    const inPassing = vi.spyOn(vscode.window, "setStatusBarMessage");
    await redo();
    expect(moves).toEqual([compacted]);
    expect(told).toEqual([]);
    expect(inPassing).toHaveBeenCalledWith("The compaction is back.", expect.any(Number));
  });

  it("says how much of what was said since stays on a branch of its own", async () => {
    const one = await world();
    await one.say("violets");
    await one.redo();
    expect(one.moves).toEqual([one.compacted]);
    expect(one.told).toEqual([
      "The compaction is back. Your message since it was undone stays on a branch of its own.",
    ]);
    const two = await world();
    await two.say("violets");
    await two.say("daisies");
    await two.redo();
    expect(two.told[0]).toContain("Your 2 messages since it was undone stay");
  });

  it("offers the way back to them", async () => {
    const { say, compacted, moves, redo } = await world("Go Back");
    const last = await say("violets");
    await redo();
    expect(moves).toEqual([compacted, last]);
  });
});
