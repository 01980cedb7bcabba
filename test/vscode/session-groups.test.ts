import { describe, expect, it } from "vitest";
import type { ListedSession } from "../../src/vscode/session-actions.ts";
import { groupByDay, threadsOf } from "../../src/vscode/session-groups.ts";

const NOON = new Date(2026, 2, 15, 12).getTime();
const DAY = 86_400_000;

function session(path: string, activeMs: number, parentSession?: string): ListedSession {
  return {
    path,
    id: path,
    cwd: "/w",
    created: "",
    activeMs,
    messages: 1,
    size: 1,
    version: 3,
    fromPi: false,
    ...(parentSession === undefined ? {} : { parentSession }),
  };
}

describe("sessions in a list", () => {
  it("stand by the day of their last activity, newest first, and by month when they are old", () => {
    const groups = groupByDay(
      [session("a", NOON), session("b", NOON - DAY), session("c", NOON - 1000), session("d", NOON - 60 * DAY)],
      NOON,
      "en",
    );
    expect(groups.map((group) => [group.key, group.daysAgo])).toEqual([
      ["2026-03-15", 0],
      ["2026-03-14", 1],
      ["2026-01", 60],
    ]);
    expect(groups[0]!.threads.map((thread) => thread.session.path)).toEqual(["a", "c"]);
    expect(groups[2]!.title).toBe("January 2026");
  });

  it("count days by the calendar and not by hours", () => {
    const lateEvening = new Date(2026, 2, 14, 23, 59).getTime();
    const earlyMorning = new Date(2026, 2, 15, 0, 1).getTime();
    expect(groupByDay([session("a", lateEvening)], earlyMorning, "en")[0]!.daysAgo).toBe(1);
  });

  it("stand under today where another clock was ahead", () => {
    const groups = groupByDay([session("a", NOON + 9 * DAY), session("b", NOON)], NOON, "en");
    expect(groups.map((group) => group.daysAgo)).toEqual([0]);
  });

  it("stand below what they were forked from, in the group of the newest of them", () => {
    const list = [session("parent", NOON - 3 * DAY), session("fork", NOON, "parent"), session("orphan", NOON, "gone")];
    const [today, ...others] = groupByDay(list, NOON, "en");
    expect(others).toEqual([]);
    const parent = today!.threads.find((thread) => thread.session.path === "parent");
    expect(parent?.forks.map((fork) => fork.session.path)).toEqual(["fork"]);
    expect(today!.threads.map((thread) => thread.session.path).sort()).toEqual(["orphan", "parent"]);
  });

  it("are all shown where files name each other as parents", () => {
    const threads = threadsOf([session("a", 1, "b"), session("b", 2, "a"), session("c", 3, "c")]);
    const all = (list: typeof threads): string[] => list.flatMap((one) => [one.session.path, ...all(one.forks)]);
    expect(all(threads).sort()).toEqual(["a", "b", "c"]);
  });
});
