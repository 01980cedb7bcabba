// Full contexts behind a status of success.
import { describe, expect, it } from "vitest";
import { type AssistantMessage, emptyUsage } from "../../../src/core/llm/messages.ts";
import { detectSilentOverflow } from "../../../src/core/llm/silent-overflow.ts";

const reply = (
  usage: Partial<AssistantMessage["usage"]>,
  stopReason: AssistantMessage["stopReason"] = "stop",
): AssistantMessage => ({
  role: "assistant",
  content: [],
  api: "openai-completions",
  provider: "p",
  model: "m",
  usage: { ...emptyUsage(), ...usage },
  stopReason,
  timestamp: 1,
});

describe("detectSilentOverflow", () => {
  it("counts what was written to the cache as well, for every good stop reason", () => {
    expect(detectSilentOverflow(reply({ input: 60, cacheRead: 30, cacheWrite: 20 }), 100)).toBe("overflow");
    expect(detectSilentOverflow(reply({ input: 60, cacheRead: 30, cacheWrite: 20 }, "toolUse"), 100)).toBe("overflow");
    expect(detectSilentOverflow(reply({ input: 60, cacheRead: 30, cacheWrite: 10 }), 100)).toBeUndefined();
  });

  it("knows a length stop without output at a full window", () => {
    expect(detectSilentOverflow(reply({ input: 99, output: 0 }, "length"), 100)).toBe("overflow");
    expect(detectSilentOverflow(reply({ input: 98, output: 0 }, "length"), 100)).toBeUndefined();
    expect(detectSilentOverflow(reply({ input: 99, output: 1 }, "length"), 100)).toBeUndefined();
  });

  it("notices that less than half was read", () => {
    expect(detectSilentOverflow(reply({ input: 4_096 }), 131_072, 20_000)).toBe("truncated");
    expect(detectSilentOverflow(reply({ input: 12_000 }), 131_072, 20_000)).toBeUndefined();
  });

  it("says nothing of failures and of estimates", () => {
    expect(detectSilentOverflow(reply({ input: 200 }, "error"), 100)).toBeUndefined();
    expect(detectSilentOverflow(reply({ input: 200, estimated: true }), 100)).toBeUndefined();
  });
});
