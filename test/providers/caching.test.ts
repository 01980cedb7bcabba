// A long session stays cached and its thinking stays valid, as the checking server sees it.
import { afterEach, describe, expect, it } from "vitest";
import { type Message, toolCallsOf } from "../../src/core/llm/messages.ts";
import { type ModelServer, startModelServer } from "../support/model-server.ts";
import { collect, contextOf, modelFor, result, user, WIRES } from "../support/provider-fixture.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const SYSTEM = "You are a coding agent. ".repeat(200);
const script = (turns: number) =>
  Array.from({ length: turns }, (_, turn) => ({
    parts: [
      { thinking: `Thought ${turn}` },
      { text: `Step ${turn}.` },
      ...(turn % 3 === 2 ? [] : [{ call: { name: "read", arguments: { path: `file-${turn}.ts` } } }]),
    ],
  }));

async function session(url: string, api: (typeof WIRES)[number], turns: number, compat: Record<string, unknown> = {}) {
  const model = modelFor(api, url, { compat });
  const history: Message[] = [user("Begin.")];
  for (let turn = 0; turn < turns; turn++) {
    const { message, failure } = await collect(model, contextOf(history, { systemPrompt: SYSTEM }), {
      thinkingLevel: "high",
    });
    expect(failure).toBeUndefined();
    history.push(message);
    const calls = toolCallsOf(message);
    for (const call of calls) history.push(result(call.id, `line of file ${turn}\n`.repeat(10)));
    if (calls.length === 0) history.push(user(`Go on, part ${turn}.`));
  }
  return { model, history };
}

describe.each(WIRES)("%s", (api) => {
  it("reads at least 95 % of the input after the first request from the cache, over 20 turns", async () => {
    server = await startModelServer({ script: script(20) });
    await session(server.url, api, 20);
    const usages = server
      .requests()
      .slice(1)
      .map(({ usage }) => usage);
    expect(usages).toHaveLength(19);
    const sum = (key: "input" | "cacheRead" | "cacheWrite") =>
      usages.reduce((total, usage) => total + (usage?.[key] ?? 0), 0);
    const whole = sum("input") + sum("cacheRead") + sum("cacheWrite");
    expect(sum("cacheRead") / whole).toBeGreaterThanOrEqual(0.95);
  });

  it("writes and marks nothing for a summary", async () => {
    server = await startModelServer();
    const model = modelFor(api, server.url);
    await collect(model, contextOf([user("<conversation>\n[User]: x\n</conversation>")], { tools: [] }), {
      cacheRetention: "none",
      routingId: "fresh",
    });
    const body = JSON.stringify(server.requests()[0]?.body);
    expect(body).not.toMatch(/cache_control|prompt_cache_key|"tools"/);
  });
});

describe("Messages", () => {
  it("marks tools, system and two blocks, never more than four", async () => {
    server = await startModelServer({ script: script(20) });
    await session(server.url, "anthropic-messages", 20);
    const marks = server.requests().map(({ body }) => JSON.stringify(body).split("cache_control").length - 1);
    expect(marks[0]).toBe(3);
    expect(Math.max(...marks)).toBe(4);
  });
});

describe("thinking", () => {
  const wires = ["anthropic-messages", "openai-responses"] as const;
  const sent = (body: unknown) => JSON.stringify(body).split(/"type":"(?:thinking|reasoning)"/).length - 1;

  it.each(wires)("is replayed by %s as long as nothing before it changed, and the server agrees", async (api) => {
    server = await startModelServer({ script: script(8), binding: "refuse" });
    await session(server.url, api, 8);
    const last = server.requests().at(-1);
    expect(sent(last?.body)).toBe(7);
    expect(server.requests().flatMap(({ droppedThinking }) => droppedThinking ?? [])).toEqual([]);
  });

  it.each(wires)("is dropped by %s after a compaction, and grows again behind it", async (api) => {
    server = await startModelServer({ script: script(12), binding: "refuse" });
    const { model, history } = await session(server.url, api, 6);
    const compacted: Message[] = [user("<summary>\nWhat came before.\n</summary>"), ...history.slice(-5)];
    for (let turn = 0; turn < 3; turn++) {
      const { message, failure } = await collect(model, contextOf(compacted, { systemPrompt: SYSTEM }), {
        thinkingLevel: "high",
      });
      expect(failure).toBeUndefined();
      compacted.push(message);
      for (const call of toolCallsOf(message)) compacted.push(result(call.id, "ok"));
      if (toolCallsOf(message).length === 0) compacted.push(user("on"));
    }
    const after = server.requests().slice(6);
    expect(after.map(({ body }) => sent(body))).toEqual([0, 1, 2]);
    expect(after.flatMap(({ droppedThinking }) => droppedThinking ?? [])).toEqual([]);
  });

  it("asks the server to drop what is bound elsewhere, for models that bind it", async () => {
    server = await startModelServer({ script: script(2) });
    await session(server.url, "anthropic-messages", 2, { thinkingBinding: true });
    const { body, headers } = server.requests()[0] ?? {};
    expect(body).toMatchObject({
      thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
    });
    expect(headers?.["anthropic-beta"]).toContain("thinking-binding-controls");
  });
});
