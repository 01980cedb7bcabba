// Anthropic Messages as a stream function.

import type { BetaRawMessageStreamEvent } from "@anthropic-ai/sdk/resources/beta/messages/messages";
import { Stream } from "@anthropic-ai/sdk/streaming";
import type { StreamEvent, StreamFunction } from "../core/llm/stream.ts";
import { BINDING_BETA, messagesBody } from "./anthropic-messages.ts";
import { CutStreamError, KnownFailure, ResponseError } from "./classify-error.ts";
import type { TokenCounts } from "./cost.ts";
import type { MessageAssembler } from "./message-assembler.ts";
import { repairOptionsOf } from "./repair-options.ts";
import { joinUrl, openRequest, requireStream } from "./server-sent-request.ts";
import { adapter } from "./stream-runner.ts";

const API_VERSION = "2026-10-21";

/** Streams one Messages request; thinking, redacted thinking and calls as providers §1 describes them. */
export const streamAnthropic: StreamFunction = adapter(
  repairOptionsOf,
  async function* ({ model, context, options, history, assembler }) {
    const body = messagesBody(model, context, options, history.messages);
    const headers: Record<string, string> = { "anthropic-version": API_VERSION };
    if (options.apiKey !== undefined) headers.authorization = `Bearer ${options.apiKey}`;
    if (model.compat?.apiKeyHeader === "x-api-key" && options.apiKey !== undefined) {
      // Older gateways know only this header; sending both would show the key twice.
      delete headers.authorization;
      headers["x-api-key"] = options.apiKey;
    }
    if (model.compat?.thinkingBinding === true) headers["anthropic-beta"] = BINDING_BETA;
    const url = joinUrl(model.baseUrl.replace(/\/v1\/?$/, ""), "/v1/messages");
    const opened = await openRequest(model, url, body, headers, options);
    await requireStream(opened, /event-stream/i);
    const reader = new MessagesReader(assembler);
    for await (const frame of Stream.rawEvents(opened.response)) {
      yield* reader.read(frame.event, frame.data);
      if (reader.ended) break;
    }
    opened.watchdog.stop();
    return reader.end();
  },
);

class MessagesReader {
  readonly #assembler: MessageAssembler;
  readonly #counts: TokenCounts = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  #stopReason: string | undefined;
  #refusal: string | undefined;
  #counted = false;
  ended = false;

  constructor(assembler: MessageAssembler) {
    this.#assembler = assembler;
  }

  *read(name: string | null, data: string): Generator<StreamEvent> {
    if (name === "ping" || data.trim() === "") return;
    const event = JSON.parse(data) as BetaRawMessageStreamEvent | { type: "error" | "ping" } | null;
    switch (event?.type) {
      case "message_start":
        this.#count(event.message?.usage);
        break;
      case "content_block_start":
        yield* this.#startBlock(event);
        break;
      case "content_block_delta":
        yield* this.#delta(event);
        break;
      case "content_block_stop": {
        const end = this.#assembler.toolEnd(event.index);
        if (end !== undefined) yield end;
        break;
      }
      case "message_delta":
        this.#stopReason = event.delta?.stop_reason ?? this.#stopReason;
        this.#refusal = event.delta?.stop_details?.explanation ?? this.#refusal;
        this.#count(event.usage);
        break;
      case "message_stop":
        this.ended = true;
        break;
      case "error":
        throw new ResponseError(undefined, event);
      default:
        break; // Pings and events that are not known yet.
    }
  }

  *#startBlock({
    index,
    content_block: block,
  }: Extract<BetaRawMessageStreamEvent, { type: "content_block_start" }>): Generator<StreamEvent> {
    if (block.type === "text") {
      yield this.#assembler.text(index, block.text ?? "");
    } else if (block.type === "thinking") {
      yield this.#assembler.thinking(index, block.thinking ?? "");
      if (block.signature) this.#assembler.sign(index, block.signature);
    } else if (block.type === "redacted_thinking") {
      yield this.#assembler.thinking(index, "");
      this.#assembler.sign(index, block.data, { redacted: true });
    } else if (block.type === "tool_use") {
      yield this.#assembler.toolStart(index, block.id ?? "", block.name ?? "");
      // Gateways that do not stream arguments put them here.
      if (typeof block.input === "object" && block.input !== null && Object.keys(block.input).length > 0) {
        const delta = this.#assembler.toolDelta(index, JSON.stringify(block.input));
        if (delta !== undefined) yield delta;
      }
    }
  }

  *#delta({
    index,
    delta,
  }: Extract<BetaRawMessageStreamEvent, { type: "content_block_delta" }>): Generator<StreamEvent> {
    if (delta.type === "text_delta") yield this.#assembler.text(index, delta.text);
    else if (delta.type === "thinking_delta") yield this.#assembler.thinking(index, delta.thinking);
    else if (delta.type === "signature_delta") this.#assembler.sign(index, delta.signature, { append: true });
    else if (delta.type === "input_json_delta") {
      const event = this.#assembler.toolDelta(index, delta.partial_json);
      if (event !== undefined) yield event;
    }
  }

  /** Cumulative counts, where null means unchanged. */
  #count(usage: object | null | undefined): void {
    if (usage === undefined || usage === null) return;
    const reported = usage as {
      input_tokens?: number | null;
      output_tokens?: number | null;
      cache_read_input_tokens?: number | null;
      cache_creation_input_tokens?: number | null;
      cache_creation?: { ephemeral_1h_input_tokens?: number } | null;
      output_tokens_details?: { thinking_tokens?: number } | null;
    };
    this.#counted = true;
    this.#counts.input = reported.input_tokens ?? this.#counts.input;
    this.#counts.output = reported.output_tokens ?? this.#counts.output;
    this.#counts.cacheRead = reported.cache_read_input_tokens ?? this.#counts.cacheRead;
    this.#counts.cacheWrite = reported.cache_creation_input_tokens ?? this.#counts.cacheWrite;
    const long = reported.cache_creation?.ephemeral_1h_input_tokens;
    if (long !== undefined && long > 0) this.#counts.cacheWriteLong = long;
    const thinking = reported.output_tokens_details?.thinking_tokens;
    if (thinking !== undefined) this.#counts.reasoning = thinking;
    this.#assembler.usage(this.#counts);
  }

  /** The ending that the terminal event justifies. */
  end(): StreamEvent {
    if (!this.ended) throw new CutStreamError();
    if (!this.#counted) this.#assembler.usage({ input: 0, output: 0, cacheRead: 0, cacheWrite: 0 });
    switch (this.#stopReason) {
      case "end_turn":
      case "stop_sequence":
        return this.#assembler.done(this.#hasCalls() ? "toolUse" : "stop");
      case "tool_use":
        return this.#assembler.done("toolUse");
      case "max_tokens":
      case "model_context_window_exceeded":
        return this.#assembler.done("length");
      case "refusal":
        throw new KnownFailure({ kind: "refusal", message: this.#refusal ?? "The model declined to answer." });
      default:
        throw new KnownFailure({
          kind: "unknown",
          message: `The reply ended for an unknown reason: ${this.#stopReason ?? "none given"}.`,
        });
    }
  }

  #hasCalls(): boolean {
    return this.#assembler.partial.content.some((part) => part.type === "toolCall");
  }
}
