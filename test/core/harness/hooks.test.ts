import { afterEach, describe, expect, it, vi } from "vitest";
import * as z from "zod/mini";
import type { AgentTool } from "../../../src/core/agent/agent-tool.ts";
import { HOOK_NAMES, Hooks } from "../../../src/core/harness/hooks.ts";
import type { AgentMessage } from "../../../src/core/llm/messages.ts";
import { TEST_MODEL, testHarness } from "../../support/scripted-model.ts";

const signal = () => new AbortController().signal;
function hooks(timeLimitMs?: number) {
  const failures: string[] = [];
  const made = new Hooks(
    ({ hook, source, error }) => failures.push(`${source}/${hook}: ${error.message}`),
    timeLimitMs,
  );
  return { hooks: made, failures };
}
const text = (content: string): AgentMessage => ({ role: "user", content, timestamp: 0 });
const toolCall = () => ({ toolCallId: "c", toolName: "t", input: {}, signal: signal() });
const toolResult = () => ({
  toolCallId: "c",
  toolName: "t",
  input: {},
  content: [{ type: "text" as const, text: "one" }],
  details: { a: 1 },
  isError: false,
});
const never = () => new Promise<never>(() => {});

afterEach(() => vi.useRealTimers());

describe("combining", () => {
  it("before_agent_start keeps every handler's messages in order, and each sees the prompt of the one before", async () => {
    const { hooks: h } = hooks();
    const seen: string[] = [];
    const add = (name: string, systemPrompt?: string) =>
      h.on("before_agent_start", (event) => {
        seen.push(event.systemPrompt);
        return {
          messages: [{ customType: name, content: name, display: true }],
          ...(systemPrompt === undefined ? {} : { systemPrompt: `${event.systemPrompt}+${systemPrompt}` }),
        };
      });
    add("a", "A");
    add("b");
    add("c", "C");
    const result = await h.beforeAgentStart({ prompt: "p", images: [], systemPrompt: "S" });
    expect(result.messages.map((message) => message.customType)).toEqual(["a", "b", "c"]);
    expect(result.systemPrompt).toBe("S+A+C");
    expect(seen).toEqual(["S", "S+A", "S+A"]);
  });

  it("before_agent_start refuses a message that could not be stored", async () => {
    const { hooks: h, failures } = hooks();
    h.on("before_agent_start", () => ({ messages: [{ content: "no type" }] }) as never, "bad");
    h.on("before_agent_start", () => ({ messages: [{ customType: "x", content: "ok" }] }) as never, "good");
    const { messages } = await h.beforeAgentStart({ prompt: "p", images: [], systemPrompt: "S" });
    expect(messages).toEqual([{ customType: "x", content: "ok", display: true }]);
    expect(failures).toEqual(["bad/before_agent_start: a message needs a customType and content"]);
  });

  it("context is chained", async () => {
    const { hooks: h } = hooks();
    h.on("context", ({ messages }) => ({ messages: [...messages, text("b")] }));
    h.on("context", () => undefined);
    h.on("context", ({ messages }) => ({ messages: messages.slice(1) }));
    expect(await h.context([text("a")], signal())).toEqual([text("b")]);
  });

  it("before_provider_request patches option by option, and undefined takes one away", async () => {
    const { hooks: h } = hooks();
    h.on("before_provider_request", () => ({ headers: { a: "1" }, maxTokens: 5 }));
    h.on("before_provider_request", ({ options }) => ({
      headers: { ...options.headers, b: "2" },
      maxTokens: undefined,
    }));
    const options = { maxTokens: 9, idleTimeoutMs: 3 };
    expect(await h.beforeProviderRequest(TEST_MODEL, options)).toEqual({
      headers: { a: "1", b: "2" },
      idleTimeoutMs: 3,
    });
    expect(options).toEqual({ maxTokens: 9, idleTimeoutMs: 3 });
  });

  it("before_provider_payload is chained, and a payload of null is one", async () => {
    const { hooks: h } = hooks();
    h.on("before_provider_payload", ({ payload }) => ({ payload: { ...(payload as object), b: 2 } }));
    h.on("before_provider_payload", () => undefined);
    expect(await h.beforeProviderPayload(TEST_MODEL, { a: 1 })).toEqual({ a: 1, b: 2 });
    h.on("before_provider_payload", () => ({ payload: null }));
    expect(await h.beforeProviderPayload(TEST_MODEL, {})).toBeNull();
  });

  it("the first block of a tool_call wins and later handlers are not asked", async () => {
    const { hooks: h } = hooks();
    const later = vi.fn(() => ({ block: false }));
    h.on("tool_call", () => ({ reason: "not a block" }));
    h.on("tool_call", () => ({ block: true, reason: "no", terminate: true }));
    h.on("tool_call", later);
    expect(await h.toolCall(toolCall())).toEqual({ block: true, reason: "no", terminate: true });
    expect(later).not.toHaveBeenCalled();
  });

  it("tool_result replaces field by field, each handler seeing the result so far", async () => {
    const { hooks: h } = hooks();
    const seen: unknown[] = [];
    h.on("tool_result", () => ({ content: [{ type: "text", text: "two" }], details: undefined }));
    h.on("tool_result", (event) => {
      seen.push(event.content, event.details);
      return { isError: true };
    });
    expect(await h.toolResult(toolResult())).toEqual({ content: [{ type: "text", text: "two" }], isError: true });
    expect(seen).toEqual([[{ type: "text", text: "two" }], { a: 1 }]);
  });

  it("the first cancel of a compaction or a move wins; otherwise the last result given", async () => {
    const { hooks: h } = hooks();
    const compaction = { summary: "s", firstKeptEntryId: "k", tokensBefore: 1 };
    const event = { preparation: {} as never, branchEntries: [], reason: "manual" as const, willRetry: false };
    h.on("session_before_compact", () => ({ compaction: { ...compaction, summary: "first" } }));
    h.on("session_before_compact", () => ({ compaction, cancel: undefined }) as never);
    expect(await h.sessionBeforeCompact({ ...event, signal: signal() })).toEqual({ compaction });
    const later = vi.fn();
    h.on("session_before_compact", () => ({ cancel: true }));
    h.on("session_before_compact", later);
    expect((await h.sessionBeforeCompact({ ...event, signal: signal() })).cancel).toBe(true);
    expect(later).not.toHaveBeenCalled();
    h.on("session_before_tree", () => ({ label: "a", customInstructions: "i" }));
    h.on("session_before_tree", () => ({ label: "b" }));
    const tree = await h.sessionBeforeTree({ preparation: {} as never, signal: signal() });
    expect(tree).toEqual({ label: "b", customInstructions: "i" });
  });

  it("prepareNextTurn merges, each handler seeing the context so far; shouldStopAfterTurn is true for one yes", async () => {
    const { hooks: h } = hooks();
    const models: unknown[] = [];
    h.on("prepareNextTurn", () => ({ thinkingLevel: "low" }));
    h.on("prepareNextTurn", ({ context }) => {
      models.push(context.thinkingLevel);
      return { messages: [text("x")] };
    });
    const turn = { message: {} as never, toolResults: [], context: { thinkingLevel: "off" } as never };
    expect(await h.prepareNextTurn({ ...turn, signal: signal() })).toEqual({
      thinkingLevel: "low",
      messages: [text("x")],
    });
    expect(models).toEqual(["low"]);
    expect(await h.shouldStopAfterTurn(turn)).toBe(false);
    h.on("shouldStopAfterTurn", () => false);
    h.on("shouldStopAfterTurn", async () => true);
    expect(await h.shouldStopAfterTurn(turn)).toBe(true);
  });
});

describe("failures", () => {
  it("of one handler are reported by name and the others still count", async () => {
    const { hooks: h, failures } = hooks();
    h.on("context", () => Promise.reject(new Error("boom")), "bad.extension");
    h.on("context", ({ messages }) => ({ messages: [...messages, text("b")] }));
    expect((await h.context([], signal())).length).toBe(1);
    expect(failures).toEqual(["bad.extension/context: boom"]);
  });

  it("of tool_call block the call: it fails closed", async () => {
    const { hooks: h, failures } = hooks();
    h.on("tool_call", () => {
      throw new Error("boom");
    });
    expect(await h.toolCall(toolCall())).toMatchObject({ block: true, reason: expect.stringContaining("boom") });
    expect(failures.length).toBe(1);
  });

  it("a handler that never answers is passed over after its time; those of compaction and moves may take longer", async () => {
    vi.useFakeTimers();
    const { hooks: h, failures } = hooks(30_000);
    h.on("context", never);
    h.on("tool_call", never);
    const context = h.context([text("a")], signal());
    const verdict = h.toolCall(toolCall());
    await vi.advanceTimersByTimeAsync(30_001);
    expect(await context).toEqual([text("a")]);
    expect((await verdict)?.block).toBe(true);
    expect(failures).toEqual(["unknown/context: no answer within 30 s", "unknown/tool_call: no answer within 30 s"]);
    let answer: (value: { cancel: boolean }) => void = () => {};
    h.on("session_before_compact", () => new Promise((resolve) => (answer = resolve)));
    const compaction = h.sessionBeforeCompact({ signal: signal() } as never);
    await vi.advanceTimersByTimeAsync(3_600_000);
    answer({ cancel: true });
    expect((await compaction).cancel).toBe(true);
  });

  it("an abort ends the wait at once and is no failure", async () => {
    const { hooks: h, failures } = hooks();
    const controller = new AbortController();
    for (const name of ["context", "tool_call", "session_before_compact", "session_before_tree"] as const)
      h.on(name, never);
    const waiting = [
      h.context([], controller.signal),
      h.toolCall({ ...toolCall(), signal: controller.signal }),
      h.sessionBeforeCompact({ signal: controller.signal } as never),
      h.sessionBeforeTree({ signal: controller.signal } as never),
    ] as const;
    controller.abort();
    const [, verdict] = await Promise.all(waiting);
    expect(verdict?.block).toBe(true);
    await h.context([], controller.signal);
    expect(failures).toEqual([]);
  });

  it("takes promises that are not the engine's own", async () => {
    const { hooks: h } = hooks();
    // biome-ignore lint/suspicious/noThenProperty: other extensions hand out such objects
    const thenable = { then: (resolve: (value: unknown) => void) => resolve({ messages: [text("late")] }) };
    h.on("context", () => thenable as never);
    expect(await h.context([], signal())).toEqual([text("late")]);
  });
});

describe("registration", () => {
  it("is by known names, in order, and can be taken back, also while a round runs", async () => {
    const { hooks: h } = hooks();
    expect(() => h.on("no_such_hook" as never, () => undefined)).toThrow("no_such_hook");
    const order: string[] = [];
    const takeBack = h.on("after_provider_response", () => {
      order.push("a");
      takeBack();
    });
    h.on("after_provider_response", () => void order.push("b"));
    const event = { model: TEST_MODEL, status: 200, headers: {} };
    await h.afterProviderResponse(event);
    await h.afterProviderResponse(event);
    expect(order).toEqual(["a", "b", "b"]);
    h.enabled = false;
    await h.afterProviderResponse(event);
    expect(order.length).toBe(3);
    expect(h.has("after_provider_response")).toBe(false);
    expect(HOOK_NAMES.length).toBe(11);
  });
});

describe("in a run", () => {
  const tool = (execute: AgentTool["execute"]): AgentTool => ({
    name: "echo",
    label: "echo",
    description: "echo",
    schema: z.object({ text: z.string() }),
    execute,
  });
  const call = { id: "c1", name: "echo", arguments: { text: "hi" } };

  it("come in the order context, options, payload, response; and tool_call, tool_result around the tool", async () => {
    const order: string[] = [];
    const {
      harness,
      model,
      hooks: h,
    } = testHarness({
      tools: [
        tool(async () => {
          order.push("runs");
          return { content: [] };
        }),
      ],
    });
    for (const name of HOOK_NAMES) h.on(name, () => void order.push(name));
    model.replies = [{ calls: [call] }];
    await harness.prompt("go");
    expect(order).toEqual([
      "before_agent_start",
      "context",
      "before_provider_request",
      "before_provider_payload",
      "after_provider_response",
      "tool_call",
      "runs",
      "tool_result",
      "shouldStopAfterTurn",
      "prepareNextTurn",
      "context",
      "before_provider_request",
      "before_provider_payload",
      "after_provider_response",
      "shouldStopAfterTurn",
    ]);
  });

  it("may change the input of a tool, which is not validated again; blocked calls skip tool_result", async () => {
    const seen: unknown[] = [];
    const {
      harness,
      model,
      hooks: h,
      session,
    } = testHarness({
      tools: [
        tool(async ({ params }) => {
          seen.push(params);
          return { content: [] };
        }),
      ],
    });
    const results = vi.fn();
    h.on("tool_call", ({ input }) => {
      input.text = 5;
      return input.stop === true ? { block: true } : undefined;
    });
    h.on("tool_result", results);
    model.replies = [{ calls: [call] }, {}];
    await harness.prompt("go");
    expect(seen).toEqual([{ text: 5 }]);
    expect(results).toHaveBeenCalledTimes(1);
    h.on("tool_call", () => ({ block: true, reason: "never" }));
    model.replies = [{ calls: [{ ...call, id: "c2" }] }, {}];
    await harness.prompt("again");
    expect(results).toHaveBeenCalledTimes(1);
    const { messages } = await session.buildContext();
    expect(JSON.stringify(messages)).toContain("never");
  });

  it("a system prompt of a hook holds for the whole run and not for the next", async () => {
    const { harness, model, hooks: h } = testHarness({ tools: [tool(async () => ({ content: [] }))] });
    let first = true;
    h.on("before_agent_start", () => {
      if (!first) return undefined;
      first = false;
      return { systemPrompt: "changed" };
    });
    model.replies = [{ calls: [call] }, {}];
    await harness.prompt("one");
    await harness.prompt("two");
    expect(model.requests.map(({ context }) => context.systemPrompt)).toEqual(["changed", "changed", "system"]);
  });

  it("a failing hook loses neither the prompt nor the run", async () => {
    const { harness, model, hooks: h, hookFailures, session } = testHarness();
    for (const name of HOOK_NAMES) {
      h.on(name, () => {
        throw new Error("always");
      });
    }
    model.replies = [{ text: "answer" }];
    await harness.prompt("go");
    const { messages } = await session.buildContext();
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant"]);
    expect(new Set(hookFailures.map((failure) => failure.split(":")[0])).size).toBe(6);
  });

  it("Stop does not wait for a hook", async () => {
    const { harness, model, hooks: h } = testHarness({ tools: [tool(async () => ({ content: [] }))] });
    h.on("tool_call", never);
    model.replies = [{ calls: [call] }];
    const run = harness.prompt("go");
    await new Promise((resolve) => setTimeout(resolve, 20));
    harness.abort();
    await run;
    expect(harness.phase).toBe("idle");
  });
});
