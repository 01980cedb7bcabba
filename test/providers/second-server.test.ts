// The same adapters against an independent mock server, so that our own server's reading of the wires is not the only one.
import { LLMock } from "@copilotkit/aimock";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Message, toolCallsOf } from "../../src/core/llm/messages.ts";
import { collect, contextOf, modelFor, result, textOf, user, WIRES } from "../support/provider-fixture.ts";

const mock = new LLMock({ port: 0, logLevel: "silent" });

beforeAll(async () => {
  mock.onMessage("think first", { content: "The answer — schön 🌳 — is 42.", reasoning: "Let me see." });
  mock.onMessage("plain", { content: "The answer — schön 🌳 — is 42, in several pieces of text." });
  mock.addFixture({
    match: { userMessage: "read both", hasToolResult: true },
    response: { content: "Both are read." },
  });
  mock.addFixture({
    match: { userMessage: "read both", hasToolResult: false },
    response: {
      toolCalls: [
        { name: "read", arguments: '{"path":"a.ts"}' },
        { name: "read", arguments: '{"path":"ä 🌳.ts"}' },
      ],
    },
  });
  mock.onMessage("be busy", {
    error: { message: "Rate limit reached", type: "rate_limit_error", code: "rate_limit_exceeded" },
    status: 429,
  });
  await mock.start();
});
afterAll(() => mock.stop());

describe.each(WIRES)("%s", (api) => {
  const ask = (messages: Message[], thinkingLevel: "off" | "high" = "off") =>
    collect(modelFor(api, mock.url), contextOf(messages), { thinkingLevel });

  it("streams text", async () => {
    const { message, failure, events } = await ask([user("plain")]);
    expect(failure).toBeUndefined();
    expect(textOf(message)).toBe("The answer — schön 🌳 — is 42, in several pieces of text.");
    expect(events.filter(({ type }) => type === "text_delta").length).toBeGreaterThan(1);
    expect(message.stopReason).toBe("stop");
  });

  it("streams thinking apart from it", async () => {
    const { message } = await ask([user("think first")], "high");
    expect(textOf(message)).toBe("The answer — schön 🌳 — is 42.");
    expect(message.content.flatMap((part) => (part.type === "thinking" ? [part.thinking] : [])).join("")).toBe(
      "Let me see.",
    );
  });

  it("calls tools in parallel and sends their results", async () => {
    const history = [user("read both")];
    const { message } = await ask(history);
    const calls = toolCallsOf(message);
    expect(message.stopReason).toBe("toolUse");
    expect(calls.map(({ arguments: args }) => args)).toEqual([{ path: "a.ts" }, { path: "ä 🌳.ts" }]);
    const second = await ask([...history, message, ...calls.map(({ id }) => result(id, "content"))]);
    expect(second.failure).toBeUndefined();
    expect(textOf(second.message)).toBe("Both are read.");
  });

  it("tells a rate limit", async () => {
    expect((await ask([user("be busy")])).failure).toMatchObject({ kind: "rateLimit", status: 429 });
  });
});
