import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/llm/messages.ts";
import { estimateRequestTokens } from "../../src/providers/cost.ts";

describe("the estimate of a request", () => {
  it("counts text, thinking and calls, and passes over kinds of parts that it does not know", () => {
    const content = [
      { type: "text", text: "12345678" },
      { type: "thinking", thinking: "1234" },
      { type: "toolCall", id: "c", name: "read", arguments: {} },
      { type: "from the future", payload: "x".repeat(1000) },
      { type: "toolCall", id: "d", name: "ls" },
    ];
    const messages = [{ role: "assistant", content } as unknown as Message];
    expect(estimateRequestTokens({ systemPrompt: "1234", tools: [], messages })).toBe(
      Math.ceil((4 + 8 + 4 + 4 + 2 + 2 + 2) / 4),
    );
  });
});
