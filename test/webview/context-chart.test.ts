import { describe, expect, it } from "vitest";
import { captionOf, stepsOf } from "../../src/webview/context-chart.ts";

const reply = (tokens: number) => ({ entryId: "", kind: "reply" as const, tokens, title: "" });
const compaction = { entryId: "", kind: "compaction" as const, tokens: 900, title: "" };

describe("the caption of the inspector's chart", () => {
  it("tells between which sizes the replies lie, wherever they stand", () => {
    expect(captionOf([reply(947), reply(2300), compaction, reply(1200)])).toBe(
      "3 replies, between 947 and 2.3k tokens · 1 compaction, at 900 tokens",
    );
    expect(captionOf([reply(10), reply(20)])).toBe("2 replies, between 10 and 20 tokens · no compaction");
    expect(captionOf([compaction, compaction])).toBe("2 compactions, at 900, 900 tokens");
  });
});

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
