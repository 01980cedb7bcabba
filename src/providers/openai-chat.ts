// Chat Completions as a stream function: OpenAI's dialects as compatible servers really speak them.
import type { StreamEvent, StreamFunction } from "../core/llm/stream.ts";
import { CutStreamError, KnownFailure, ResponseError } from "./classify-error.ts";
import type { TokenCounts } from "./cost.ts";
import { errorText } from "./error-text.ts";
import type { MessageAssembler } from "./message-assembler.ts";
import { amendedBody, chatBody } from "./openai-chat-body.ts";
import { framesOf } from "./openai-sdk-stream.ts";
import { repairOptionsOf } from "./repair-options.ts";
import { quirksOf } from "./server-quirks.ts";
import { joinUrl, openRequest, requireStream } from "./server-sent-request.ts";
import { adapter } from "./stream-runner.ts";

/** Streams one Chat Completions request. */
export const streamOpenAIChat: StreamFunction = adapter(
  repairOptionsOf,
  async function* ({ model, context, options, history, assembler }) {
    const quirks = quirksOf(model);
    const body = chatBody(model, context, options, history.messages, quirks);
    const url = joinUrl(model.baseUrl, "/chat/completions");
    const headers: Record<string, string> =
      options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };
    const opened = await openRequest(model, url, body, headers, options).catch((error: unknown) => {
      const amended =
        error instanceof ResponseError ? amendedBody(body, error.status, errorText(error.body)) : undefined;
      if (amended === undefined) throw error;
      return openRequest(model, url, amended, headers, options);
    });
    await requireStream(opened, /event-stream/i);
    const reader = new ChatReader(assembler);
    // Read to the end: the usage comes after the finish reason.
    for await (const chunk of framesOf<ChatChunk>(opened.response)) {
      if (chunk !== null) yield* reader.read(chunk);
    }
    opened.watchdog.stop();
    // SDK streams end quietly when aborted; where a missing end is tolerated, only the signal tells (providers §0.4).
    if (!reader.finished && options.signal.aborted) return assembler.fail({ kind: "aborted", message: "Stopped." });
    yield* reader.closeCalls();
    return reader.end(quirks.toleratesMissingFinish);
  },
);

interface ChatUsage {
  prompt_tokens?: number;
  completion_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number; cache_write_tokens?: number } | null;
  completion_tokens_details?: { reasoning_tokens?: number } | null;
  prompt_cache_hit_tokens?: number;
  cached_tokens?: number;
  cost?: number;
}

interface ToolDelta {
  index?: number | null;
  id?: string | null;
  function?: { name?: string | null; arguments?: string | Record<string, unknown> | null } | null;
}

interface ChatDelta {
  content?: string | null;
  refusal?: string | null;
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_text?: string | null;
  reasoning_details?: unknown[] | null;
  tool_calls?: ToolDelta[] | null;
}

interface ChatChunk {
  choices?:
    | {
        delta?: ChatDelta | null;
        message?: ChatDelta | null;
        finish_reason?: string | null;
        usage?: ChatUsage | null;
      }[]
    | null;
  usage?: ChatUsage | null;
}

class ChatReader {
  readonly #assembler: MessageAssembler;
  #finish: string | undefined;
  #refusal = "";
  /** Calls are told apart by index, and where servers repeat indexes, by a new id together with a name. */
  readonly #calls = new Map<number, { key: string; id: string | undefined }>();
  #callCount = 0;
  #lastCall: string | undefined;
  readonly #details: unknown[] = [];
  #segment = 0;
  #lastKind: "text" | "thinking" | "call" | undefined;

  constructor(assembler: MessageAssembler) {
    this.#assembler = assembler;
  }

  get finished(): boolean {
    return this.#finish !== undefined;
  }

  *read(chunk: ChatChunk): Generator<StreamEvent> {
    this.#count(chunk.usage ?? chunk.choices?.[0]?.usage);
    const choice = chunk.choices?.[0];
    if (choice === undefined || choice === null) return;
    const delta = choice.delta ?? choice.message;
    if (delta !== undefined && delta !== null) yield* this.#delta(delta);
    if (choice.finish_reason) this.#finish = choice.finish_reason;
  }

  *#delta(delta: ChatDelta): Generator<StreamEvent> {
    const thinking = [delta.reasoning_content, delta.reasoning, delta.reasoning_text].find(
      (text) => typeof text === "string" && text !== "",
    );
    if (thinking !== undefined && thinking !== null) yield this.#assembler.thinking(this.#key("thinking"), thinking);
    if (Array.isArray(delta.reasoning_details)) for (const part of delta.reasoning_details) this.#details.push(part);
    if (typeof delta.content === "string" && delta.content !== "")
      yield this.#assembler.text(this.#key("text"), delta.content);
    if (typeof delta.refusal === "string") this.#refusal += delta.refusal;
    for (const call of delta.tool_calls ?? []) if (call !== null) yield* this.#call(call);
  }

  /** A new part where the kind changes, so that text between two thoughts stays between them. */
  #key(kind: "text" | "thinking"): string {
    if (this.#lastKind !== kind) this.#segment++;
    this.#lastKind = kind;
    return `${kind}${this.#segment}`;
  }

  *#call({ index, id, function: fn }: ToolDelta): Generator<StreamEvent> {
    this.#lastKind = "call";
    const slot = index ?? (fn?.name ? this.#callCount : Math.max(0, this.#callCount - 1));
    const known = this.#calls.get(slot);
    let key = known?.key;
    const another = fn?.name && known !== undefined && (id ? id !== known.id : this.#argumentsComplete(known.key));
    if (known === undefined || another) {
      key = `call${this.#callCount++}`;
      this.#calls.set(slot, { key, id: id ?? undefined });
      yield this.#assembler.toolStart(key, id ?? undefined, fn?.name ?? "");
    }
    this.#lastCall = key;
    const text =
      typeof fn?.arguments === "object" && fn.arguments !== null ? JSON.stringify(fn.arguments) : fn?.arguments;
    if (key !== undefined && text) {
      this.#argumentText.set(key, (this.#argumentText.get(key) ?? "") + text);
      const event = this.#assembler.toolDelta(key, text);
      if (event !== undefined) yield event;
    }
  }

  readonly #argumentText = new Map<string, string>();

  /** Whether a call without an id at a used index is a new one: its predecessor's arguments are whole. */
  #argumentsComplete(key: string): boolean {
    try {
      JSON.parse(this.#argumentText.get(key) ?? "");
      return true;
    } catch {
      return false;
    }
  }

  #count(usage: ChatUsage | null | undefined): void {
    if (usage === null || usage === undefined) return;
    const cacheRead =
      usage.prompt_tokens_details?.cached_tokens ?? usage.prompt_cache_hit_tokens ?? usage.cached_tokens ?? 0;
    const cacheWrite = usage.prompt_tokens_details?.cache_write_tokens ?? 0;
    const counts: TokenCounts = {
      input: Math.max(0, (usage.prompt_tokens ?? 0) - cacheRead - cacheWrite),
      output: usage.completion_tokens ?? 0,
      cacheRead,
      cacheWrite,
    };
    const reasoning = usage.completion_tokens_details?.reasoning_tokens;
    if (reasoning !== undefined) counts.reasoning = reasoning;
    this.#assembler.usage(counts, { cost: usage.cost });
  }

  /** Ends the calls whose arguments may be whole; those of a cut stream stay open and are marked by the assembler. */
  *closeCalls(): Generator<StreamEvent> {
    if (this.#finish === undefined) return;
    for (const key of this.#assembler.openCalls()) {
      // The last call of a reply that hit its limit was cut.
      if (this.#finish === "length" && key === this.#lastCall) continue;
      const event = this.#assembler.toolEnd(key);
      if (event !== undefined) yield event;
    }
  }

  end(tolerant: boolean): StreamEvent {
    if (this.#details.length > 0) {
      const thinking = this.#assembler.partial.content.find((part) => part.type === "thinking");
      const signature = JSON.stringify({ reasoning_details: this.#details });
      if (thinking === undefined) this.#assembler.sign("details", signature, { redacted: true });
      else thinking.thinkingSignature = signature;
    }
    const calls = this.#assembler.partial.content.some((part) => part.type === "toolCall");
    if (this.#finish === undefined && !tolerant) throw new CutStreamError();
    if (this.#refusal !== "") throw new KnownFailure({ kind: "refusal", message: this.#refusal });
    switch (this.#finish) {
      case undefined:
      case "stop":
      case "end_turn":
      case "eos":
        return this.#assembler.done(calls ? "toolUse" : "stop");
      case "tool_calls":
      case "function_call":
        return this.#assembler.done(calls ? "toolUse" : "stop");
      case "length":
      case "max_tokens":
        return this.#assembler.done("length");
      case "content_filter":
        throw new KnownFailure({ kind: "refusal", message: "The provider's content filter stopped the reply." });
      case "model_context_window_exceeded":
        throw new KnownFailure({
          kind: "overflow",
          message: "The conversation no longer fits the model's context window.",
        });
      case "error":
      case "network_error":
        throw new KnownFailure({ kind: "overloaded", message: "The provider failed in the middle of the reply." });
      default:
        throw new KnownFailure({ kind: "unknown", message: `The reply ended for an unknown reason: ${this.#finish}.` });
    }
  }
}
