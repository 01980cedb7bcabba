// How servers that call themselves compatible really answer, and what they want to be sent.
import { afterEach, describe, expect, it } from "vitest";
import { type Message, toolCallsOf } from "../../src/core/llm/messages.ts";
import { quirksOf } from "../../src/providers/server-quirks.ts";
import { collect, contextOf, modelFor, result, textOf, user } from "../support/provider-fixture.ts";
import { type RawAnswer, type RawServer, startRawServer } from "../support/raw-server.ts";

let server: RawServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const delta = (body: object, finish: string | null = null, rest: object = {}) => ({
  choices: [{ index: 0, delta: body, finish_reason: finish }],
  ...rest,
});
const done = "data: [DONE]\n\n";

async function ask(
  answers: RawAnswer[] | unknown[],
  compat: Record<string, unknown> = {},
  messages: Message[] = [user("hello")],
) {
  const list = answers.every((answer) => typeof answer === "object" && answer !== null && "frames" in answer)
    ? (answers as RawAnswer[])
    : [{ frames: answers }];
  server = await startRawServer(list);
  return collect(modelFor("openai-completions", server.url, { compat }), contextOf(messages), {
    thinkingLevel: "high",
  });
}

describe("answers", () => {
  it("with parallel calls that all have index 0 are taken apart by their ids", async () => {
    const call = (id: string, path: string) =>
      delta({
        tool_calls: [
          { index: 0, id, type: "function", function: { name: "read", arguments: JSON.stringify({ path }) } },
        ],
      });
    const { message } = await ask([call("a", "1"), call("b", "2"), delta({}, "tool_calls"), done]);
    expect(toolCallsOf(message).map((part) => [part.id, part.arguments.path])).toEqual([
      ["a", "1"],
      ["b", "2"],
    ]);
  });

  it("with calls lacking id, index, type and role are read, and two of them stay two", async () => {
    const call = (path: string) =>
      delta({ tool_calls: [{ function: { name: "read", arguments: JSON.stringify({ path }) } }] });
    const { message } = await ask([call("1"), call("2"), delta({}, "stop"), done]);
    expect(toolCallsOf(message).map((part) => part.arguments.path)).toEqual(["1", "2"]);
    expect(message.stopReason).toBe("toolUse");
  });

  it("that repeat id and name with every fragment are one call", async () => {
    const part = (text: string) =>
      delta({ tool_calls: [{ index: 0, id: "a", function: { name: "read", arguments: text } }] });
    const { message } = await ask([part('{"pa'), part('th":"x"}'), delta({}, "tool_calls"), done]);
    expect(toolCallsOf(message)).toMatchObject([{ id: "a", arguments: { path: "x" } }]);
  });

  it("with arguments as an object are read", async () => {
    const { message } = await ask([
      delta(
        { tool_calls: [{ index: 0, id: "a", function: { name: "read", arguments: { path: "x" } } }] },
        "tool_calls",
      ),
      done,
    ]);
    expect(toolCallsOf(message)[0]?.arguments).toEqual({ path: "x" });
  });

  it("with null chunks, empty choices and comments between are read", async () => {
    const { message, failure } = await ask([
      "data: null\n\n",
      ": OPENROUTER PROCESSING\n\n",
      { choices: [] },
      delta({ content: "ok" }),
      delta({}, "stop"),
      done,
    ]);
    expect(failure).toBeUndefined();
    expect(textOf(message)).toBe("ok");
  });

  it.each(["reasoning_content", "reasoning", "reasoning_text"])("with thinking in %s are read", async (field) => {
    const { message } = await ask([
      delta({ [field]: "Hm", content: null }),
      delta({ content: "ok" }),
      delta({}, "stop"),
      done,
    ]);
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Hm" },
      { type: "text", text: "ok" },
    ]);
  });

  it("with the usage inside the choice, and cached tokens beside it, are counted", async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 5, cached_tokens: 60 };
    const { message } = await ask([
      delta({ content: "ok" }),
      { choices: [{ delta: {}, finish_reason: "stop", usage }] },
      done,
    ]);
    expect(message.usage).toMatchObject({ input: 40, cacheRead: 60, output: 5 });
  });

  it("with DeepSeek's cache counts and OpenRouter's own cost are counted", async () => {
    const usage = { prompt_tokens: 100, completion_tokens: 5, prompt_cache_hit_tokens: 80, cost: 0.0123 };
    const { message } = await ask([delta({ content: "ok" }, "stop"), { choices: [], usage }, done]);
    expect(message.usage).toMatchObject({ input: 20, cacheRead: 80, cost: { total: 0.0123 } });
  });

  it("with an error inside a chunk fail, whatever the status was", async () => {
    const { failure, message } = await ask([
      delta({ content: "half" }),
      { error: { code: 429, message: "Rate limit exceeded" }, choices: [] },
    ]);
    expect(failure?.kind).toBe("rateLimit");
    expect(textOf(message)).toBe("half");
  });

  it("without a finish reason fail, unless the server is known to leave it out", async () => {
    expect((await ask([delta({ content: "ok" }), done])).failure?.kind).toBe("network");
    await server?.close();
    const { failure, message } = await ask([delta({ content: "ok" }), done], { toleratesMissingFinish: true });
    expect(failure).toBeUndefined();
    expect(message.stopReason).toBe("stop");
  });

  it("that end for a reason nobody knows keep their text and fail", async () => {
    const { failure, message } = await ask([delta({ content: "ok" }), delta({}, "tired"), done]);
    expect(failure).toMatchObject({ kind: "unknown", message: expect.stringContaining("tired") });
    expect(textOf(message)).toBe("ok");
  });

  it("that say the window is full mean it", async () => {
    expect((await ask([delta({ content: "" }, "model_context_window_exceeded"), done])).failure?.kind).toBe("overflow");
  });
});

describe("requests", () => {
  const ok = { frames: [delta({ content: "ok" }), delta({}, "stop"), done] };
  const refusal = (message: string) => ({
    status: 400,
    type: "application/json",
    frames: [JSON.stringify({ error: { message } })],
  });

  it("are made once more without stream_options where those are refused", async () => {
    const { failure } = await ask([refusal("Unknown field: stream_options"), ok]);
    expect(failure).toBeUndefined();
    expect(server?.bodies.map((body) => "stream_options" in body)).toEqual([true, false]);
  });

  it("are made once more with the limit's other name, or a limit that fits", async () => {
    await ask([
      refusal(
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      ),
      ok,
    ]);
    expect(server?.bodies[1]).toHaveProperty("max_completion_tokens", 8_000);
    await server?.close();
    await ask([
      refusal(
        "'max_tokens' is too large: 8000. This model's maximum context length is 4096 tokens and your request has 1000 input tokens.",
      ),
      ok,
    ]);
    expect(server?.bodies[1]).toHaveProperty("max_tokens", 3_096);
  });

  it("are not made again for anything else", async () => {
    const { failure } = await ask([refusal("messages: something is wrong"), ok]);
    expect(failure?.kind).toBe("badRequest");
    expect(server?.bodies).toHaveLength(1);
  });

  it("carry reasoning_content on every assistant message with calls where that is required, the empty one included", async () => {
    const think = {
      frames: [
        delta({ reasoning_content: "Hm" }),
        delta({ tool_calls: [{ index: 0, id: "c1", function: { name: "read", arguments: "{}" } }] }),
        delta({}, "tool_calls"),
        done,
      ],
    };
    const plain = {
      frames: [
        delta({ tool_calls: [{ index: 0, id: "c2", function: { name: "read", arguments: "{}" } }] }),
        delta({}, "tool_calls"),
        done,
      ],
    };
    server = await startRawServer([think, plain, ok]);
    const model = modelFor("openai-completions", server.url, { compat: { requiresReasoningContent: true } });
    const history: Message[] = [user("a")];
    for (let turn = 0; turn < 2; turn++) {
      const { message } = await collect(model, contextOf(history));
      history.push(message, result(toolCallsOf(message)[0]?.id ?? "", "x"));
    }
    await collect(model, contextOf(history));
    const sent = (server.bodies[2]!.messages as { role: string; reasoning_content?: string }[]).filter(
      ({ role }) => role === "assistant",
    );
    expect(sent.map(({ reasoning_content }) => reasoning_content)).toEqual(["Hm", ""]);
  });

  it("replay OpenRouter's reasoning details as they came", async () => {
    const details = [{ type: "reasoning.encrypted", data: "opaque", index: 0 }];
    server = await startRawServer([
      { frames: [delta({ reasoning: "Hm", reasoning_details: details }), delta({ content: "ok" }, "stop"), done] },
      ok,
    ]);
    const model = modelFor("openai-completions", server.url, { compat: { replaysReasoningDetails: true } });
    const { message } = await collect(model, contextOf([user("a")]));
    await collect(model, contextOf([user("a"), message, user("b")]));
    expect((server.bodies[1]!.messages as object[])[2]).toMatchObject({
      role: "assistant",
      reasoning_details: details,
    });
  });

  it("differ by server as its address tells", () => {
    const at = (baseUrl: string) => quirksOf({ baseUrl });
    expect(at("https://api.openai.com/v1")).toMatchObject({
      maxTokensField: "max_completion_tokens",
      systemRole: "developer",
    });
    expect(at("https://openrouter.ai/api/v1")).toMatchObject({ replaysReasoningDetails: true, systemRole: "system" });
    expect(at("https://api.deepseek.com")).toMatchObject({
      requiresReasoningContent: true,
      maxTokensField: "max_tokens",
    });
    expect(at("https://api.mistral.ai/v1")).toMatchObject({ idStyle: "mistral" });
    expect(at("http://localhost:1234/v1")).toMatchObject({ thinkingFormat: "none", streamOptions: true });
    expect(at("https://evil-openai.com/v1").systemRole).toBe("system");
  });
});
