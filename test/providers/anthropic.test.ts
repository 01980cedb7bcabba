// What only the Messages wire has.
import { afterEach, describe, expect, it } from "vitest";
import { toolCallsOf } from "../../src/core/llm/messages.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { collect, contextOf, modelFor, textOf, user } from "../support/provider-fixture.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const model = (changes = {}) => modelFor("anthropic-messages", server?.url ?? "", changes);
const bodyOf = (index: number) => server?.requests()[index]?.body as Record<string, unknown>;

describe("anthropic", () => {
  it("keeps redacted thinking as it came and sends it again", async () => {
    server = await startModelServer({
      script: [{ parts: [{ redacted: "b3BhcXVl" }, { text: "ok" }] }, { parts: [{ text: "bye" }] }],
    });
    const { message } = await collect(model(), contextOf([user("a")]), { thinkingLevel: "high" });
    expect(message.content[0]).toEqual({
      type: "thinking",
      thinking: "",
      thinkingSignature: "b3BhcXVl",
      redacted: true,
    });
    await collect(model(), contextOf([user("a"), message, user("b")]), { thinkingLevel: "high" });
    expect(JSON.stringify(bodyOf(1))).toContain('{"type":"redacted_thinking","data":"b3BhcXVl"}');
  });

  it("asks older models for a budget, below the limit of the reply", async () => {
    server = await startModelServer({});
    const compat = { thinking: "budget" };
    await collect(model({ compat }), contextOf([user("a")]), { thinkingLevel: "high" });
    await collect(model({ compat }), contextOf([user("a")]), { thinkingLevel: "off" });
    await collect(model({ compat, maxTokens: 1_500 }), contextOf([user("a")]), { thinkingLevel: "high" });
    const { thinking, max_tokens } = bodyOf(0) as { thinking: { budget_tokens: number }; max_tokens: number };
    expect(thinking.budget_tokens).toBeLessThan(max_tokens);
    expect(bodyOf(1)).not.toHaveProperty("thinking");
    expect(bodyOf(2)).not.toHaveProperty("thinking");
  });

  it("never sends `disabled` to a model that refuses it", async () => {
    server = await startModelServer({});
    await collect(model({ thinkingLevels: ["low", "medium", "high", "xhigh"] }), contextOf([user("a")]), {
      thinkingLevel: "off",
    });
    expect(bodyOf(0)).toMatchObject({
      thinking: { type: "adaptive", display: "summarized" },
      output_config: { effort: "low" },
    });
  });

  it("sends the key in the older header where the server wants it, and only there", async () => {
    server = await startModelServer({ requireKey: "the-key" });
    const { failure } = await collect(model({ compat: { apiKeyHeader: "x-api-key" } }), contextOf([user("a")]), {
      apiKey: "the-key",
    });
    expect(failure).toBeUndefined();
    const headers = server.requests()[0]?.headers ?? {};
    expect(headers).toHaveProperty("x-api-key");
    expect(headers).not.toHaveProperty("authorization");
  });

  it("works with a base URL that ends in /v1 or in a slash", async () => {
    server = await startModelServer({});
    for (const suffix of ["", "/", "/v1", "/v1/"]) {
      const { failure } = await collect(model({ baseUrl: server.url + suffix }), contextOf([user("a")]));
      expect(failure).toBeUndefined();
    }
  });

  it("takes a full window in the middle of a reply for its length", async () => {
    server = await startModelServer({ script: [{ parts: [{ text: "half" }], stop: "model_context_window_exceeded" }] });
    expect((await collect(model(), contextOf([user("a")]))).message.stopReason).toBe("length");
  });

  it("keeps the text of a reply that ends for an unknown reason, as a failure", async () => {
    server = await startModelServer({ script: [{ parts: [{ text: "half" }], stop: "pause_turn" }] });
    const { failure, message } = await collect(model(), contextOf([user("a")]));
    expect(failure).toMatchObject({ kind: "unknown", message: expect.stringContaining("pause_turn") });
    expect(textOf(message)).toBe("half");
  });

  it("asks for no more than fits beside the input", async () => {
    server = await startModelServer({});
    await collect(model({ contextWindow: 20_000, maxTokens: 16_000 }), contextOf([user("x".repeat(40_000))]));
    expect(bodyOf(0).max_tokens).toBeLessThan(20_000 - 10_000 - 4_096);
    expect(bodyOf(0).max_tokens).toBeGreaterThanOrEqual(1_024);
  });

  it("gives calls back under the names that the tools have here", async () => {
    server = await startModelServer({ script: [{ parts: [{ call: { name: "mcp_server_read", arguments: {} } }] }] });
    const tools = [
      {
        name: "mcp.server/read",
        description: "",
        parameters: { anyOf: [{ properties: { a: {} }, required: ["a"] }, { properties: { b: {} } }] },
      },
    ];
    const { message, failure } = await collect(model(), contextOf([user("a")], { tools }));
    expect(failure).toBeUndefined();
    expect(toolCallsOf(message)[0]?.name).toBe("mcp.server/read");
  });
});
