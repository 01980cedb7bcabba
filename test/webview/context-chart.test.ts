import { describe, expect, it } from "vitest";
import { stepsOf } from "../../src/webview/context-chart.ts";

const reply = (tokens: number) => ({ entryId: "", kind: "reply" as const, tokens, title: "" });
const compaction = { entryId: "", kind: "compaction" as const, tokens: 900, title: "" };

describe("the line of the inspector's chart", () => {
  it("goes from reply to reply", () => {
    expect(stepsOf([reply(10), reply(20)])).toEqual([
      [0, 10],
      [1, 20],
    ]);
  });

  it("steps at a compaction to what the next reply counted, and does not slope", () => {
    expect(stepsOf([reply(10), reply(80), compaction, reply(30)])).toEqual([
      [0, 10],
      [1, 80],
      [2, 80],
      [2, 30],
      [3, 30],
    ]);
  });

  it("stays where it was up to a compaction at the end, and begins with the first reply behind one at the start", () => {
    expect(stepsOf([reply(80), compaction, compaction])).toEqual([
      [0, 80],
      [1, 80],
      [2, 80],
    ]);
    expect(stepsOf([compaction, compaction, reply(30)])).toEqual([
      [0, 30],
      [2, 30],
    ]);
  });
});
