// The same cases against every adapter, through a strict server on the loopback address.
import { afterEach, describe, expect, it } from "vitest";
import type { AssistantMessage, Message } from "../../src/core/llm/messages.ts";
import { toolCallsOf } from "../../src/core/llm/messages.ts";
import { previewRequest } from "../../src/providers/request-preview.ts";
import { type ModelServer, type ModelServerOptions, startModelServer } from "../support/model-server.ts";
import { collect, contextOf, modelFor, result, textOf, user, WIRES } from "../support/provider-fixture.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

async function serve(options: ModelServerOptions): Promise<ModelServer> {
  server = await startModelServer(options);
  return server;
}

describe.each(WIRES)("%s", (api) => {
  const model = (changes = {}) => modelFor(api, server?.url ?? "", changes);

  it("streams text as deltas that add up to the message", async () => {
    await serve({ script: [{ parts: [{ text: "Grüße aus dem Wald: 🌳🌲 und noch ein Satz." }] }] });
    const { events, message, failure } = await collect(model(), contextOf([user("hello")]));
    expect(failure).toBeUndefined();
    expect(events[0]?.type).toBe("start");
    const deltas = events.flatMap((event) => (event.type === "text_delta" ? [event.delta] : []));
    expect(deltas.length).toBeGreaterThan(2);
    expect(deltas.join("")).toBe("Grüße aus dem Wald: 🌳🌲 und noch ein Satz.");
    expect(textOf(message)).toBe(deltas.join(""));
    expect(message).toMatchObject({
      stopReason: "stop",
      api,
      provider: "test",
      model: "test-model",
      thinkingLevel: "off",
    });
    expect(message.prefixHash).toMatch(/^[0-9a-f]{16}$/);
  });

  it("streams thinking apart from text", async () => {
    await serve({ script: [{ parts: [{ thinking: "Let me think about it." }, { text: "Done." }] }] });
    const { message } = await collect(model(), contextOf([user("hello")]), { thinkingLevel: "medium" });
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Let me think about it." },
      { type: "text", text: "Done." },
    ]);
  });

  it("collects parallel calls with their arguments", async () => {
    const call = (path: string) => ({ call: { name: "read", arguments: { path } } });
    await serve({ script: [{ parts: [{ text: "Reading." }, call("a.ts"), call("b.ts")] }] });
    const { events, message } = await collect(model(), contextOf([user("read both")]));
    expect(message.stopReason).toBe("toolUse");
    const calls = toolCallsOf(message);
    expect(calls.map(({ arguments: args }) => args)).toEqual([{ path: "a.ts" }, { path: "b.ts" }]);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(2);
    expect(events.filter(({ type }) => type === "toolcall_start")).toHaveLength(2);
    expect(events.filter(({ type }) => type === "toolcall_end")).toHaveLength(2);
  });

  it("carries calls and results through several turns", async () => {
    await serve({
      script: [
        {
          parts: [
            { thinking: "First." },
            { text: "Reading." },
            { call: { name: "read", arguments: { path: "a.ts" } } },
          ],
        },
        { parts: [{ thinking: "Second." }, { call: { name: "read", arguments: { path: "b.ts" } } }] },
        { parts: [{ text: "Both read." }] },
        { parts: [{ text: "Bye." }] },
      ],
    });
    const history: Message[] = [user("read both")];
    for (let turn = 0; turn < 4; turn++) {
      const { message, failure } = await collect(model(), contextOf(history), { thinkingLevel: "high" });
      expect(failure).toBeUndefined();
      history.push(message);
      for (const call of toolCallsOf(message))
        history.push(result(call.id, `content of ${String(call.arguments.path)}`));
      if (toolCallsOf(message).length === 0) history.push(user("and now?"));
    }
    expect(server?.requests().map(({ refused }) => refused)).toEqual([undefined, undefined, undefined, undefined]);
    expect(server?.requests().flatMap(({ droppedThinking }) => droppedThinking ?? [])).toEqual([]);
  });

  it("reports what the provider counted, with the cache apart and a price", async () => {
    await serve({
      script: [{ parts: [{ text: "Hi." }], usage: { input: 100, output: 20, cacheRead: 0, cacheWrite: 0 } }],
    });
    const { message } = await collect(model(), contextOf([user("hello ".repeat(60))]));
    expect(message.usage).toMatchObject({ input: 100, output: 20, totalTokens: 120 });
    expect(message.usage.estimated).toBeUndefined();
    expect(message.usage.cost.total).toBeCloseTo((100 * 1 + 20 * 5) / 1e6, 12);
  });

  it("estimates a usage that is missing, zero or absurd, and says so", async () => {
    const odd = { input: 1e12, output: -5, cacheRead: 0, cacheWrite: 0 };
    for (const usage of [null, { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }, odd]) {
      await serve({ script: [{ parts: [{ text: "Hi." }], usage }] });
      const { message } = await collect(model(), contextOf([user("x".repeat(4_000))]));
      expect(message.usage.estimated).toBe(true);
      expect(message.usage.totalTokens).toBeGreaterThan(1_000);
      expect(message.usage.totalTokens).toBeLessThan(1_200);
      await server?.close();
    }
  });

  it("marks a usage as unpriced where no price is known", async () => {
    await serve({ script: [{ parts: [{ text: "Hi." }] }] });
    const { cost: _, ...unpriced } = model();
    const { message } = await collect(unpriced, contextOf([user("hello")]));
    expect(message.usage.unpriced).toBe(true);
  });

  it("ends a reply that hit its limit with `length`, its cut call unusable", async () => {
    await serve({
      script: [
        { parts: [{ text: "Long" }, { call: { name: "read", rawArguments: '{"path":"src/gre' } }], stop: "length" },
      ],
    });
    const { message } = await collect(model(), contextOf([user("hello")]));
    expect(message.stopReason).toBe("length");
    if (api !== "ollama-chat")
      expect(toolCallsOf(message)[0]).toMatchObject({
        arguments: {},
        argumentsError: expect.stringContaining("src/gre"),
      });
  });

  it("tells a full context and the window that the server named", async () => {
    await serve({ contextWindow: 8_192 });
    const { failure, message } = await collect(model(), contextOf([user("word ".repeat(10_000))]));
    expect(failure?.kind).toBe("overflow");
    expect(message.stopReason).toBe("error");
    if (api === "anthropic-messages" || api === "openai-completions") expect(failure?.learnedWindow).toBe(8_192);
  });

  it("treats a refused key as such and never shows it", async () => {
    await serve({ requireKey: "right-key-456" });
    const { failure } = await collect(model(), contextOf([user("hello")]), { apiKey: "sk-wrong-key-789" });
    expect(failure?.kind).toBe("auth");
    expect(JSON.stringify(failure)).not.toContain("wrong-key");
  });

  it("sends the key that it was given and no other header of the environment", async () => {
    await serve({ requireKey: "right-key-456" });
    const poison = {
      ANTHROPIC_API_KEY: "env-key",
      ANTHROPIC_AUTH_TOKEN: "env-token",
      ANTHROPIC_BASE_URL: "http://127.0.0.1:9/stolen",
      ANTHROPIC_CUSTOM_HEADERS: "x-stolen: 1\nauthorization: Bearer env-key",
      OPENAI_API_KEY: "env-key",
      OPENAI_BASE_URL: "http://127.0.0.1:9/stolen",
      OPENAI_ORG_ID: "env-org",
      OPENAI_PROJECT_ID: "env-project",
      OPENAI_CUSTOM_HEADERS: "x-stolen: 1",
      OLLAMA_HOST: "http://127.0.0.1:9",
    };
    const before = { ...process.env };
    Object.assign(process.env, poison);
    try {
      const { failure } = await collect(model(), contextOf([user("hello")]), { apiKey: "right-key-456" });
      expect(failure).toBeUndefined();
    } finally {
      process.env = before;
    }
    const headers = server?.requests()[0]?.headers ?? {};
    expect(JSON.stringify(headers)).not.toMatch(/stolen|env-/);
    expect(headers).not.toHaveProperty("openai-organization");
  });

  it("lets headers of the settings win, in any spelling", async () => {
    await serve({ requireKey: "from-settings" });
    const headers = { Authorization: "Bearer from-settings", "X-Team": "a" };
    const { failure } = await collect(model({ headers }), contextOf([user("hello")]), { headers: { "x-team": "b" } });
    expect(failure).toBeUndefined();
    expect(server?.requests()[0]?.headers["x-team"]).toBe("b");
  });

  it("believes a report above the window, which is how some servers tell of an overflow", async () => {
    await serve({
      script: [{ parts: [{ text: "Hi." }], usage: { input: 250_000, output: 1, cacheRead: 0, cacheWrite: 0 } }],
    });
    const { message } = await collect(model(), contextOf([user("hello")]));
    expect(message.usage).toMatchObject({ input: 250_000 });
  });

  it("lets a hook see and replace the body and see the answer's status", async () => {
    await serve({});
    const seen: unknown[] = [];
    await collect(model(), contextOf([user("hello")]), {
      onPayload: (body) => ({ ...(body as object), extra: "from the hook" }),
      onResponse: ({ status }) => void seen.push(status),
    });
    expect(server?.requests()[0]?.body).toMatchObject({ extra: "from the hook" });
    expect(seen).toEqual([200]);
  });

  it("previews exactly what it then sends", async () => {
    await serve({
      script: [
        { parts: [{ text: "Reading." }, { call: { name: "read", arguments: { path: "a" } } }] },
        { parts: [{ text: "ok" }] },
      ],
    });
    const first = await collect(model(), contextOf([user("hello")]), { thinkingLevel: "high" });
    const context = contextOf([user("hello"), first.message, result(toolCallsOf(first.message)[0]?.id ?? "", "x")]);
    const { body } = previewRequest(model(), context, { thinkingLevel: "high", routingId: "session-1" });
    await collect(model(), context, { thinkingLevel: "high" });
    expect(server?.requests()[1]?.body).toEqual(JSON.parse(JSON.stringify(body)));
  });

  it("can send on what came with broken characters", async () => {
    await serve({
      script: [
        { parts: [{ text: "half a tree: \ud83c" }, { call: { name: "read", arguments: { path: "\udf33" } } }] },
        { parts: [{ text: "ok" }] },
      ],
    });
    const { message } = await collect(model(), contextOf([user("hello")]));
    const second = await collect(
      model(),
      contextOf([user("hello"), message, result(toolCallsOf(message)[0]?.id ?? "", "\ud800")]),
    );
    expect(second.failure).toBeUndefined();
  });

  it("stops before it has begun", async () => {
    await serve({});
    const abort = new AbortController();
    abort.abort();
    const { failure, message } = await collect(model(), contextOf([user("hello")]), { signal: abort.signal });
    expect(failure?.kind).toBe("aborted");
    expect(message.stopReason).toBe("aborted");
    expect(server?.requests()).toHaveLength(0);
  });

  it("asks for thinking at the level that was chosen", async () => {
    await serve({});
    const compat = { thinkingFormat: "openai" };
    await collect(model({ compat }), contextOf([user("hello")]), { thinkingLevel: "high" });
    await collect(model({ compat }), contextOf([user("hello")]), { thinkingLevel: "off" });
    const bodies = server?.requests().map(({ body }) => body as Record<string, unknown>) ?? [];
    const asked = bodies.map(({ thinking, output_config, reasoning, reasoning_effort, think }) =>
      JSON.stringify({ thinking, output_config, reasoning, reasoning_effort, think }),
    );
    expect(asked[0]).toMatch(/high|true/);
    expect(asked[1]).toMatch(/disabled|none|false/);
  });

  it("sends what other models wrote without their thinking", async () => {
    await serve({});
    const foreign: AssistantMessage = {
      role: "assistant",
      content: [
        { type: "thinking", thinking: "secret thoughts", thinkingSignature: "sig.foreign.x" },
        { type: "text", text: "Reading.", textSignature: '{"v":1,"id":"msg_9"}' },
        { type: "toolCall", id: "call_x|fc_y", name: "read", arguments: { path: "a.ts" }, thoughtSignature: "sig" },
      ],
      api: "openai-responses",
      provider: "other",
      model: "other-model",
      usage: {
        input: 0,
        output: 0,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 0,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      },
      stopReason: "toolUse",
      timestamp: 1,
    };
    const { failure } = await collect(model(), contextOf([user("read"), foreign, result("call_x|fc_y", "text")]));
    expect(failure).toBeUndefined();
    const body = JSON.stringify(server?.requests()[0]?.body);
    expect(body).not.toMatch(/secret thoughts|sig\.foreign|msg_9|fc_y/);
  });
});
