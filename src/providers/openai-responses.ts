// OpenAI Responses as a stream function.
import type {
  Response as FinalResponse,
  ResponseOutputItem,
  ResponseStreamEvent,
} from "openai/resources/responses/responses";
import type { StreamEvent, StreamFunction } from "../core/llm/stream.ts";
import { CutStreamError, KnownFailure, ResponseError } from "./classify-error.ts";
import type { MessageAssembler } from "./message-assembler.ts";
import { responsesBody } from "./openai-responses-body.ts";
import { framesOf } from "./openai-sdk-stream.ts";
import { repairOptionsOf } from "./repair-options.ts";
import { joinUrl, openRequest, requireStream } from "./server-sent-request.ts";
import { adapter } from "./stream-runner.ts";

/** Streams one Responses request; the items of `output_item.done` are authoritative (providers §2). */
export const streamOpenAIResponses: StreamFunction = adapter(
  repairOptionsOf,
  async function* ({ model, context, options, history, assembler }) {
    const body = responsesBody(model, context, options, history.messages);
    const headers: Record<string, string> =
      options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };
    const opened = await openRequest(model, joinUrl(model.baseUrl, "/responses"), body, headers, options);
    await requireStream(opened, /event-stream/i);
    const reader = new ResponsesReader(assembler);
    for await (const event of framesOf<ResponseStreamEvent>(opened.response)) {
      if (event !== null) yield* reader.read(event);
      if (reader.response !== undefined) break;
    }
    opened.watchdog.stop();
    return reader.end();
  },
);

class ResponsesReader {
  readonly #assembler: MessageAssembler;
  #refusal = "";
  response: FinalResponse | undefined;

  constructor(assembler: MessageAssembler) {
    this.#assembler = assembler;
  }

  *read(event: ResponseStreamEvent): Generator<StreamEvent> {
    switch (event.type) {
      case "response.output_item.added":
        yield* this.#added(event.output_index, event.item);
        break;
      case "response.output_text.delta":
        yield this.#assembler.text(event.output_index, event.delta);
        break;
      case "response.refusal.delta":
        this.#refusal += event.delta;
        break;
      case "response.reasoning_summary_part.added":
        if (event.summary_index > 0) yield this.#assembler.thinking(event.output_index, "\n\n");
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        yield this.#assembler.thinking(event.output_index, event.delta);
        break;
      case "response.function_call_arguments.delta": {
        const delta = this.#assembler.toolDelta(event.output_index, event.delta);
        if (delta !== undefined) yield delta;
        break;
      }
      case "response.output_item.done":
        yield* this.#done(event.output_index, event.item);
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.failed":
        this.response = event.response;
        this.#count(event.response);
        break;
      case "error":
        throw new ResponseError(undefined, { message: event.message, code: event.code ?? undefined });
      default:
        break; // Events that are not known yet, and those that repeat what others said.
    }
  }

  *#added(index: number, item: ResponseOutputItem): Generator<StreamEvent> {
    if (item.type === "function_call") {
      yield this.#assembler.toolStart(index, callId(item.call_id, item.id), item.name);
    } else if (item.type === "message") {
      yield this.#assembler.text(index, "");
    } else if (item.type === "reasoning") {
      yield this.#assembler.thinking(index, "");
    }
  }

  *#done(index: number, item: ResponseOutputItem): Generator<StreamEvent> {
    if (item.type === "function_call") {
      if (!this.#assembler.has(index)) yield* this.#added(index, item);
      const end = this.#assembler.toolEnd(index, item.arguments);
      if (end !== undefined) yield end;
    } else if (item.type === "message") {
      const text = item.content.map((part) => (part.type === "output_text" ? part.text : "")).join("");
      const missing = this.#assembler.settleText(index, text);
      if (missing !== undefined) yield missing;
      const phase = "phase" in item && typeof item.phase === "string" ? { phase: item.phase } : {};
      this.#assembler.sign(index, JSON.stringify({ v: 1, id: item.id, ...phase }));
      for (const part of item.content) if (part.type === "refusal") this.#refusal = part.refusal;
    } else if (item.type === "reasoning") {
      // The whole item is replayed; the copy of `added` may be incomplete.
      this.#assembler.sign(index, JSON.stringify(item), { redacted: item.summary.length === 0 });
    }
  }

  #count(response: FinalResponse): void {
    const usage = response.usage;
    if (usage === undefined || usage === null) return;
    const cacheRead = usage.input_tokens_details?.cached_tokens ?? 0;
    const cacheWrite = usage.input_tokens_details?.cache_write_tokens ?? 0;
    this.#assembler.usage({
      input: Math.max(0, usage.input_tokens - cacheRead - cacheWrite),
      output: usage.output_tokens,
      cacheRead,
      cacheWrite,
      reasoning: usage.output_tokens_details?.reasoning_tokens ?? 0,
    });
  }

  end(): StreamEvent {
    const response = this.response;
    if (response === undefined) throw new CutStreamError();
    if (response.status === "failed" || response.error) {
      throw new ResponseError(undefined, {
        error: response.error ?? { message: "The provider failed without saying why.", code: "server_error" },
      });
    }
    if (this.#refusal !== "") throw new KnownFailure({ kind: "refusal", message: this.#refusal });
    if (response.status === "incomplete") {
      const reason = response.incomplete_details?.reason;
      if (reason === "max_output_tokens") return this.#assembler.done("length");
      throw new KnownFailure({
        kind: reason === "content_filter" ? "refusal" : "unknown",
        message:
          reason === "content_filter"
            ? "The provider's content filter stopped the reply."
            : `The reply is incomplete: ${reason ?? "no reason given"}.`,
      });
    }
    const calls = this.#assembler.partial.content.some((part) => part.type === "toolCall");
    return this.#assembler.done(calls ? "toolUse" : "stop");
  }
}

/** "call|item": both halves are needed again when the call is replayed to the same model. */
function callId(call: string, item: string | undefined): string | undefined {
  if (call === "") return undefined;
  return item === undefined || item === "" ? call : `${call}|${item}`;
}
