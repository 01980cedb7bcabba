// The stream function: one request to one model as a sequence of events. Every provider adapter is one of these.
import type { AssistantMessage, Message } from "./messages.ts";
import type { Model, ThinkingLevel } from "./model.ts";

/** A tool as the model is told of it. */
export interface ToolDefinition {
  name: string;
  description: string;
  /** JSON Schema with an object at its root; byte-stable between requests (provider caches depend on it). */
  parameters: Record<string, unknown>;
}

export interface LlmContext {
  systemPrompt: string;
  messages: readonly Message[];
  tools: readonly ToolDefinition[];
}

/** How a request failed; decides between retry, compaction and giving up. */
export type ErrorKind =
  | "aborted"
  | "overflow"
  | "auth"
  | "quota"
  | "rateLimit"
  | "overloaded"
  | "network"
  /** The reply ended well and said nothing. */
  | "emptyReply"
  | "refusal"
  | "notFound"
  | "badRequest"
  | "unknown";

export interface StreamFailure {
  kind: ErrorKind;
  message: string;
  status?: number;
  /** Milliseconds that the server asked to wait. */
  retryAfterMs?: number;
  /** The real window in tokens, where an overflow error stated it. */
  learnedWindow?: number;
  /** Fewer retries than the policy allows, where more are known to be useless (an empty reply: one). */
  maxRetries?: number;
}

/** Parts of a request that hooks may change before it leaves (seed 1 §9, `before_provider_request`). */
export interface RequestOptions {
  headers?: Record<string, string>;
  maxTokens?: number;
  /** Milliseconds until the first byte of the answer. */
  firstByteTimeoutMs?: number;
  /** Milliseconds without any byte once the answer runs. */
  idleTimeoutMs?: number;
}

export interface StreamOptions extends RequestOptions {
  signal: AbortSignal;
  /** Absent where the endpoint needs none. Never taken from the environment. */
  apiKey?: string;
  thinkingLevel: ThinkingLevel;
  /** Routing and cache id: the session's, or a fresh one for summaries. */
  routingId: string;
  /** `none` for one-time prompts such as summaries: nothing is written to the provider's cache. */
  cacheRetention: "none" | "short";
  /** May replace the body (hook `before_provider_payload`); what it returns is what is sent. */
  onPayload?: (body: unknown) => Promise<unknown> | unknown;
  /** Called with status and headers once the answer begins (hook `after_provider_response`). */
  onResponse?: (response: { status: number; headers: Record<string, string> }) => Promise<void> | void;
}

/**
 * `contentIndex` is the part's index in the message under construction. `partial` is the same growing object for a
 * whole stream: read it, never keep it. The last event is exactly one of `done` and `error`.
 */
export type StreamEvent =
  | { type: "start"; partial: AssistantMessage }
  | { type: "text_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "thinking_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "toolcall_start"; contentIndex: number; id: string; name: string; partial: AssistantMessage }
  | { type: "toolcall_delta"; contentIndex: number; delta: string; partial: AssistantMessage }
  | { type: "toolcall_end"; contentIndex: number; partial: AssistantMessage }
  | { type: "done"; message: AssistantMessage }
  | { type: "error"; failure: StreamFailure; message: AssistantMessage };

/**
 * Sends one request. Never throws and never ends without `done` or `error`: failures, also a cut connection or an
 * abort, arrive as `error` with what had been received (stop reason `error` or `aborted`). Does not retry.
 */
export type StreamFunction = (model: Model, context: LlmContext, options: StreamOptions) => AsyncIterable<StreamEvent>;
