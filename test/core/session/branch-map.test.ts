import { describe, expect, it } from "vitest";
import { TurnSizes } from "../../../src/core/compaction/turn-sizes.ts";
import { branchMap, growLane, type MapLane } from "../../../src/core/session/branch-map.ts";
import { BranchOutline } from "../../../src/core/session/branch-outline.ts";
import type { Session } from "../../../src/core/session/session.ts";
import { createMemorySession } from "../../../src/core/session/stored-session.ts";
import { assistant, countingClock, countingIds, toolCall, toolResult, user } from "../../support/session-builder.ts";

function memory(): Session {
  return createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });
}
const mapOf = (session: Session) => branchMap(session, new BranchOutline(session, "default"));
const shape = (lanes: readonly MapLane[]) =>
  lanes.map(({ parent, parentColumn, column, turns }) => [parent, parentColumn, column, turns.length]);

/** `turns` turns at the position; returns the ids of their replies. */
async function talk(session: Session, turns: number): Promise<string[]> {
  const replies: string[] = [];
  for (let n = 0; n < turns; n++) {
    await session.appendMessage(user("q"));
    replies.push(await session.appendMessage(assistant("a")));
  }
  return replies;
}

describe("the branch map", () => {
  it("has no lane before anything was said", async () => {
    expect(await mapOf(memory())).toEqual([]);
  });

  it("is one lane of turns for a straight conversation, whatever tools a turn calls", async () => {
    const session = memory();
    const asked = await session.appendMessage(user("q"));
    await session.appendMessage(toolCall("1"));
    await session.appendMessage(toolResult("1", "text"));
    const reply = await session.appendMessage(assistant("a"));
    await talk(session, 1);
    const lanes = await mapOf(session);
    expect(shape(lanes)).toEqual([[-1, 0, 1, 2]]);
    expect(lanes[0]).toMatchObject({ id: asked, active: true });
    expect(lanes[0]!.turns[0]).toEqual({ firstId: asked, lastId: reply, replyId: reply, marks: [] });
  });

  it("puts each branch below the lane that it parts from, the latest first, its own branches right below it", async () => {
    const session = memory();
    const replies = await talk(session, 4);
    const position = replies[3]!;
    await session.moveTo(replies[0]!);
    await talk(session, 2);
    await session.moveTo(replies[2]!);
    const other = await talk(session, 5);
    await session.moveTo(other[1]!);
    await talk(session, 1);
    await session.moveTo(position);
    const lanes = await mapOf(session);
    expect(shape(lanes)).toEqual([
      [-1, 0, 1, 4],
      [0, 3, 4, 5],
      [1, 5, 6, 1],
      [0, 1, 2, 2],
    ]);
    expect(lanes.map((lane) => lane.active)).toEqual([true, false, false, false]);
  });

  it("begins a branch within a turn in the column of that turn", async () => {
    const session = memory();
    const [first] = await talk(session, 1);
    const asked = await session.appendMessage(user("q"));
    await session.appendMessage(assistant("one answer"));
    await session.moveTo(asked);
    await session.appendMessage(assistant("another"));
    expect(first).toBeDefined();
    expect(shape(await mapOf(session))).toEqual([
      [-1, 0, 1, 2],
      [0, 2, 2, 1],
    ]);
  });

  it("lets branches that begin with the session part from nothing", async () => {
    const session = memory();
    await talk(session, 2);
    await session.moveTo(null);
    await talk(session, 1);
    expect(shape(await mapOf(session))).toEqual([
      [-1, 0, 1, 1],
      [-1, 0, 1, 2],
    ]);
    await session.moveTo(null);
    expect((await mapOf(session)).map((lane) => lane.active)).toEqual([false, false]);
  });

  it("marks turns with compactions, summaries of branches and labels", async () => {
    const session = memory();
    const replies = await talk(session, 2);
    const kept = (await session.getBranch())[2]!.id;
    await session.appendCompaction({ summary: "s", firstKeptEntryId: kept, tokensBefore: 10 });
    await session.moveTo(replies[0]!, { summary: "left", fromId: replies[1]! });
    await session.appendLabel(replies[0]!, "here");
    const [active, left] = await mapOf(session);
    expect(active!.turns.map((turn) => turn.marks)).toEqual([[{ kind: "label", label: "here" }, { kind: "summary" }]]);
    expect(left!.turns.map((turn) => turn.marks)).toEqual([[{ kind: "compaction" }]]);
  });

  it("grows at the end of a lane to what it would be if it were made anew", async () => {
    const session = memory();
    await talk(session, 2);
    const outline = new BranchOutline(session, "default");
    const [before] = await branchMap(session, outline);
    const appended: string[] = [];
    session.onDidChange((change) => appended.push(...change.appended));
    await session.appendMessage(toolCall("1"));
    await session.appendMessage(toolResult("1", "text"));
    await session.appendMessage(assistant("a"));
    const kept = (await session.getBranch())[2]!.id;
    await session.appendCompaction({ summary: "s", firstKeptEntryId: kept, tokensBefore: 10 });
    await talk(session, 2);
    const copy = structuredClone(before);
    const grown = growLane(session, before!, outline.update(appended).added);
    expect(grown).toEqual((await mapOf(session))[0]);
    expect(before).toEqual(copy);
  });

  it("has every turn of 300 branches of 20,000 entries on one lane", async () => {
    const session = memory();
    let ids: string[] = [];
    for (let branch = 0; branch < 300; branch++) {
      const entries = Array.from({ length: 66 }, (_, n) => ({
        type: "message" as const,
        message: n % 2 === 0 ? user("q") : assistant("a"),
      }));
      const behind = ids[((branch * 31) % 33) * 2 + 1] ?? null;
      ids = await session.appendEntries(entries, behind);
    }
    const lanes = await mapOf(session);
    expect(lanes.reduce((sum, lane) => sum + lane.turns.length, 0)).toBe(300 * 33);
    expect(new Set(lanes.flatMap((lane) => lane.turns.map((turn) => turn.firstId))).size).toBe(300 * 33);
    expect(lanes.every((lane, index) => lane.parent < index)).toBe(true);
  });
});

describe("the sizes of turns", () => {
  it("reads each reply once and tells which lanes know more", async () => {
    const session = memory();
    const usage = { input: 70, output: 30, cacheRead: 0, cacheWrite: 0, totalTokens: 100 };
    const reply = { ...assistant("a"), usage: { ...assistant("a").usage, ...usage } };
    await session.appendMessage(user("q"));
    const counted = await session.appendMessage(reply);
    await session.appendMessage(user("q"));
    const lanes = await mapOf(session);
    const sizes = new TurnSizes(session);
    expect(sizes.of(counted)).toBeUndefined();
    const told: number[] = [];
    const read = () => sizes.read(lanes, (some) => told.push(...some), new AbortController().signal);
    await read();
    expect(told).toEqual([0]);
    expect(sizes.of(counted)).toBe(100);
    expect(sizes.of(undefined)).toBe(0);
    await read();
    expect(told).toEqual([0]);
  });

  it("stops reading when it is no longer wanted", async () => {
    const session = memory();
    await talk(session, 3);
    const sizes = new TurnSizes(session);
    await sizes.read(await mapOf(session), () => {}, AbortSignal.abort());
    expect(sizes.of(session.getLeafId() ?? undefined)).toBeUndefined();
  });
});
