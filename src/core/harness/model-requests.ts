// Requests to the model: keys, hooks and options around the stream function, for runs and for summaries.
import type { AgentContext } from "../agent/agent-loop.ts";
import { failureMessage } from "../agent/agent-loop.ts";
import type { Summarizer } from "../compaction/generate-summary.ts";
import { toError } from "../errors.ts";
import type { AssistantMessage } from "../llm/messages.ts";
import type { Model, ThinkingLevel } from "../llm/model.ts";
import { type RetryNotice, type RetryPolicy, runWithRetry } from "../llm/retry.ts";
import type { LlmContext, RequestOptions, StreamEvent, StreamFailure, StreamFunction } from "../llm/stream.ts";
import type { Hooks } from "./hooks.ts";

export interface ModelAccess {
  /** Loads the adapter of a model's API. */
  streamFunctionFor: (model: Model) => Promise<StreamFunction>;
  /** The key of a model's endpoint; undefined where it needs none. Throws where one is needed and missing. */
  getApiKey: (model: Model) => Promise<string | undefined>;
  /** A fresh id for a one-time request. */
  freshRoutingId: () => string;
  /** Limits on silence for a model's endpoint. */
  timeouts?: (model: Model) => Pick<RequestOptions, "firstByteTimeoutMs" | "idleTimeoutMs">;
  sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
  now: () => number;
}

/** The last request of a session, exactly as it was sent, for the inspector. */
export interface SentRequest {
  model: Model;
  payload: unknown;
  sentAt: number;
}

export class ModelRequests {
  readonly #access: ModelAccess;
  readonly #hooks: Hooks;
  readonly #routingId: string;
  lastRequest: SentRequest | undefined;

  constructor(access: ModelAccess, hooks: Hooks, routingId: string) {
    this.#access = access;
    this.#hooks = hooks;
    this.#routingId = routingId;
  }

  /** One request of a run: options hook, payload hook, response hook, in this order (behaviours §7). */
  async *stream(request: LlmContext, turn: AgentContext, signal: AbortSignal): AsyncIterable<StreamEvent> {
    const { model } = turn;
    let apiKey: string | undefined;
    try {
      apiKey = await this.#access.getApiKey(model);
    } catch (error) {
      const message = toError(error).message;
      const failure: StreamFailure = { kind: "auth", message };
      yield { type: "error", failure, message: failureMessage(turn, "error", message, this.#access.now()) };
      return;
    }
    const stream = await this.#access.streamFunctionFor(model);
    const options = await this.#hooks.beforeProviderRequest(model, { ...this.#access.timeouts?.(model) }, signal);
    yield* stream(model, request, {
      ...options,
      signal,
      ...(apiKey === undefined ? {} : { apiKey }),
      thinkingLevel: turn.thinkingLevel,
      routingId: this.#routingId,
      cacheRetention: "short",
      onPayload: async (body) => {
        const payload = await this.#hooks.beforeProviderPayload(model, body, signal);
        this.lastRequest = { model, payload, sentAt: this.#access.now() };
        return payload;
      },
      onResponse: ({ status, headers }) => this.#hooks.afterProviderResponse({ model, status, headers }, signal),
    });
  }

  /** The model as the summaries use it: fresh routing id, no tools, no cache writes, transient failures retried. */
  summarizer(
    model: Model,
    window: number,
    thinkingLevel: ThinkingLevel,
    policy: RetryPolicy,
    onRetry: (notice: RetryNotice) => void,
  ): Summarizer {
    return {
      contextWindow: window,
      maxTokens: model.maxTokens,
      complete: async ({ systemPrompt, prompt, maxTokens, signal }) => {
        const stream = await this.#access.streamFunctionFor(model);
        const apiKey = await this.#access.getApiKey(model);
        const attempt = async () => {
          const request: LlmContext = {
            systemPrompt,
            messages: [{ role: "user", content: prompt, timestamp: this.#access.now() }],
            tools: [],
          };
          const events = stream(model, request, {
            ...this.#access.timeouts?.(model),
            signal,
            ...(apiKey === undefined ? {} : { apiKey }),
            thinkingLevel,
            routingId: this.#access.freshRoutingId(),
            cacheRetention: "none",
            maxTokens,
          });
          let message: AssistantMessage | undefined;
          let failure: StreamFailure | undefined;
          for await (const event of events) {
            if (event.type === "done") message = event.message;
            else if (event.type === "error") ({ message, failure } = event);
          }
          if (message === undefined) throw new Error("the stream ended without a closing event");
          return { value: message, ...(failure === undefined ? {} : { failure }) };
        };
        const outcome = await runWithRetry({ attempt, policy, signal, sleep: this.#access.sleep, onRetry });
        return { message: outcome.value, ...(outcome.failure === undefined ? {} : { failure: outcome.failure }) };
      },
    };
  }
}
