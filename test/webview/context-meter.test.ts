import { describe, expect, it } from "vitest";
import { shortCost, shortDecimal, shortTokens } from "../../src/protocol/short-numbers.ts";
import { readMeter } from "../../src/webview/context-meter.ts";
import { formatCost, formatDuration, formatTokens } from "../../src/webview/format-numbers.ts";
import { emptyChat } from "./support/chat-samples.ts";

const context = emptyChat().context!;

describe("the context meter", () => {
  it("says the number, the window, the share and when compaction starts", () => {
    const reading = readMeter(context);
    expect(reading.text).toBe("45,210 of 200,000 tokens (23%). Compaction above 183,616 tokens");
    expect(reading.level).toBe("calm");
  });

  it("marks an estimate as one", () => {
    expect(readMeter({ ...context, estimated: true }).text).toContain("~45,210");
  });

  it("does not invent a number right after a compaction", () => {
    const reading = readMeter({ ...context, tokens: null });
    expect(reading.short).toBe("–");
    expect(reading.share).toBeNull();
    expect(reading.text).toContain("unknown");
  });

  it("says first that it is about the point that is shown, and of what nobody counted that", () => {
    expect(readMeter({ ...context, ofShown: true }).text).toContain("At the point that is shown. 45,210 of");
    expect(readMeter({ ...context, ofShown: true }).details).toContain("At the point that is shown\n45,210 of");
    expect(readMeter({ ...context, ofShown: true, tokens: null }).text).toContain("not counted here");
  });

  it("warns near the threshold and above it", () => {
    expect(readMeter({ ...context, tokens: 165_255 }).level).toBe("near");
    expect(readMeter({ ...context, tokens: 165_254 }).level).toBe("calm");
    expect(readMeter({ ...context, tokens: 183_617 }).level).toBe("over");
  });

  it("measures against the window where automatic compaction is off", () => {
    const reading = readMeter({ ...context, threshold: null, tokens: 190_000 });
    expect(reading.text).toContain("Automatic compaction is off");
    expect(reading.level).toBe("near");
  });

  it("survives a window of nothing", () => {
    expect(readMeter({ ...context, window: 0, threshold: 0 }).share).toBeNull();
  });
});

describe("numbers in a narrow column", () => {
  it.each([
    [0, "0"],
    [999, "999"],
    [1000, "1k"],
    [1250, "1.3k"],
    [45_210, "45k"],
    [999_499, "999k"],
    [1_300_000, "1.3M"],
  ])("%d tokens are %s", (tokens, text) => {
    expect(formatTokens(tokens)).toBe(text);
  });

  it("writes durations and costs", () => {
    expect([240, 3200, 60_000, 125_000].map(formatDuration)).toEqual(["240 ms", "3.2 s", "1 m 0 s", "2 m 5 s"]);
    expect([0.0042, 0.13, 12.4, 0].map(formatCost)).toEqual(["$0.0042", "$0.13", "$12.40", "$0.00"]);
  });

  it("follows the language", () => {
    expect([shortTokens(1234, "de"), shortDecimal(3.21, "de"), shortCost(0.13, "de")]).toEqual([
      "1,2k",
      "3,2",
      "0,13\u00a0$",
    ]);
  });
});
