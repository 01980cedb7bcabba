// A stream function that answers from a script, and a harness around it: the whole agent without network or disk.
import type { AgentTool } from "../../src/core/agent/agent-tool.ts";
import { AgentHarness } from "../../src/core/harness/agent-harness.ts";
import type { HarnessEvent } from "../../src/core/harness/harness-events.ts";
import type { HarnessOptions } from "../../src/core/harness/harness-options.ts";
import { DEFAULT_HARNESS_SETTINGS, type HarnessSettings } from "../../src/core/harness/harness-settings.ts";
import { Hooks } from "../../src/core/harness/hooks.ts";
import { type AssistantMessage, emptyUsage } from "../../src/core/llm/messages.ts";
import type { Model } from "../../src/core/llm/model.ts";
import type { LlmContext, StreamFailure, StreamFunction, StreamOptions } from "../../src/core/llm/stream.ts";
import type { Session } from "../../src/core/session/session.ts";
import { createMemorySession } from "../../src/core/session/stored-session.ts";
import { describeTool } from "../../src/core/tools/describe-tool.ts";
import { createIds } from "../../src/node/ids.ts";

export const TEST_MODEL: Model = {
  id: "scripted",
  name: "Scripted",
  api: "openai-completions",
  provider: "test",
  baseUrl: "http://127.0.0.1:1/v1",
  thinkingLevels: ["off", "low", "medium", "high"],
  input: ["text", "image"],
  contextWindow: 200_000,
  maxTokens: 32_000,
};

export interface ScriptedReply {
  text?: string;
  calls?: { id: string; name: string; arguments: Record<string, unknown> }[];
  stopReason?: AssistantMessage["stopReason"];
  /** Tokens of the whole context as the provider reports them. */
  totalTokens?: number;
  failure?: StreamFailure;
  /** Waits in mid-stream until this resolves, or until the abort. */
  until?: Promise<void>;
}

export interface SeenRequest {
  model: Model;
  context: LlmContext;
  options: StreamOptions;
}

/** Replies in order; a function sees the request and its number. Summary requests (no tools) get `summary`. */
export class ScriptedModel {
  readonly requests: SeenRequest[] = [];
  readonly summaryRequests: SeenRequest[] = [];
  replies: (ScriptedReply | ((request: SeenRequest, index: number) => ScriptedReply))[] = [];
  summary: (request: SeenRequest, index: number) => ScriptedReply = (_request, index) => ({
    text: `## Goal\nSummary ${index + 1}\n\n## Constraints & Preferences\n- (none)\n\n## Critical Context\n- (none)`,
  });
  /** What comes when the script is used up. */
  fallback: ScriptedReply = { text: "done" };
  now = () => Date.now();

  readonly stream: StreamFunction = (model, context, options) => this.#stream(model, context, options);

  async *#stream(model: Model, context: LlmContext, options: StreamOptions): ReturnType<StreamFunction> {
    const request = { model, context, options };
    const isSummary = options.cacheRetention === "none";
    const list = isSummary ? this.summaryRequests : this.requests;
    const index = list.length;
    list.push(request);
    await options.onPayload?.({ messages: context.messages });
    const next = isSummary ? this.summary : (this.replies.shift() ?? this.fallback);
    const reply = typeof next === "function" ? next(request, index) : next;
    const message: AssistantMessage = {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: { ...emptyUsage(), totalTokens: reply.totalTokens ?? 0 },
      stopReason: "stop",
      timestamp: this.now(),
    };
    await options.onResponse?.({ status: 200, headers: {} });
    yield { type: "start", partial: message };
    if (reply.text !== undefined) {
      message.content.push({ type: "text", text: reply.text });
      yield { type: "text_delta", contentIndex: 0, delta: reply.text, partial: message };
    }
    if (reply.until !== undefined) {
      await Promise.race([
        reply.until,
        new Promise<void>((resolve) => {
          if (options.signal.aborted) resolve();
          else options.signal.addEventListener("abort", () => resolve(), { once: true });
        }),
      ]);
    }
    if (options.signal.aborted) {
      message.stopReason = "aborted";
      yield { type: "error", failure: { kind: "aborted", message: "aborted" }, message };
      return;
    }
    for (const call of reply.calls ?? []) {
      const contentIndex = message.content.push({ type: "toolCall", ...call }) - 1;
      yield { type: "toolcall_start", contentIndex, id: call.id, name: call.name, partial: message };
      yield { type: "toolcall_end", contentIndex, partial: message };
    }
    if (reply.failure !== undefined) {
      message.stopReason = "error";
      message.errorMessage = reply.failure.message;
      yield { type: "error", failure: reply.failure, message };
      return;
    }
    message.stopReason = reply.stopReason ?? ((reply.calls?.length ?? 0) > 0 ? "toolUse" : "stop");
    yield { type: "done", message };
  }
}

export interface TestHarness {
  harness: AgentHarness;
  model: ScriptedModel;
  session: Session;
  events: HarnessEvent[];
  hooks: Hooks;
  hookFailures: string[];
  settings: HarnessSettings;
  delays: number[];
}

/** A harness in memory; `overrides` replace single options. */
export function testHarness(
  options: {
    tools?: AgentTool[];
    session?: Session;
    model?: Model;
    scripted?: ScriptedModel;
    settings?: HarnessSettings;
    overrides?: Partial<HarnessOptions>;
  } = {},
): TestHarness {
  const model = options.scripted ?? new ScriptedModel();
  let time = 1_700_000_000_000;
  const clock = { now: () => time++ };
  model.now = clock.now;
  const ids = createIds(clock);
  const session = options.session ?? createMemorySession({ cwd: "/work", clock, ids });
  const hookFailures: string[] = [];
  const hooks = new Hooks((failure) => hookFailures.push(`${failure.hook}: ${failure.error.message}`), 200);
  const settings: HarnessSettings = options.settings ?? structuredClone(DEFAULT_HARNESS_SETTINGS);
  const delays: number[] = [];
  let nextId = 0;
  const harness = new AgentHarness({
    session,
    model: options.model ?? TEST_MODEL,
    thinkingLevel: "off",
    tools: options.tools ?? [],
    describeTool,
    hooks,
    settings: () => settings,
    systemPrompt: async () => "system",
    findModel: (provider, id) => (provider === "test" ? { ...TEST_MODEL, id } : undefined),
    newId: () => `q${nextId++}`,
    access: {
      streamFunctionFor: async () => model.stream,
      getApiKey: async () => undefined,
      freshRoutingId: () => `fresh-${nextId++}`,
      sleep: async (delayMs) => {
        delays.push(delayMs);
      },
      now: clock.now,
    },
    ...options.overrides,
  });
  const events: HarnessEvent[] = [];
  harness.subscribe((event) => {
    events.push(event);
  });
  return { harness, model, session, events, hooks, hookFailures, settings, delays };
}

/** The names of events, without the updates in between. */
export function eventNames(events: readonly HarnessEvent[], ...kinds: HarnessEvent["type"][]): string[] {
  const names = events.map((event) => event.type);
  return kinds.length === 0 ? names : names.filter((name) => kinds.includes(name));
}
