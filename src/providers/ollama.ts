// Ollama's own chat API as a stream function: unlike its OpenAI route it takes a window and can refuse to truncate.
import { contentText, type Message, toolCallsOf } from "../core/llm/messages.ts";
import { clampThinkingLevel, type Model } from "../core/llm/model.ts";
import type { LlmContext, StreamEvent, StreamFunction, StreamOptions } from "../core/llm/stream.ts";
import { CutStreamError, ResponseError } from "./classify-error.ts";
import { linesOf } from "./json-lines.ts";
import type { MessageAssembler } from "./message-assembler.ts";
import { repairOptionsOf } from "./repair-options.ts";
import { replyLimit } from "./request-budget.ts";
import { joinUrl, openRequest, requireStream } from "./server-sent-request.ts";
import { adapter } from "./stream-runner.ts";
import { wireSchema } from "./tool-schemas.ts";

/** Streams one request to `/api/chat`. */
export const streamOllama: StreamFunction = adapter(
  repairOptionsOf,
  async function* ({ model, context, options, history, assembler }) {
    const headers: Record<string, string> =
      options.apiKey === undefined ? {} : { authorization: `Bearer ${options.apiKey}` };
    const url = joinUrl(model.baseUrl.replace(/\/(v1|api)\/?$/, ""), "/api/chat");
    const opened = await openRequest(
      model,
      url,
      ollamaBody(model, context, options, history.messages),
      headers,
      options,
    );
    // Errors of this server can come as one JSON object with status 200; they are lines like any other.
    await requireStream(opened, /json/i);
    const reader = new OllamaReader(assembler);
    for await (const line of linesOf(opened.response)) {
      yield* reader.read(line as OllamaLine);
      if (reader.ended) break;
    }
    opened.watchdog.stop();
    return reader.end();
  },
);

/** Builds the body; the history must be repaired. The window is asked for in full, and a longer prompt is an error. */
export function ollamaBody(
  model: Model,
  context: LlmContext,
  options: StreamOptions,
  history: readonly Message[],
): Record<string, unknown> {
  const messages: Record<string, unknown>[] = [];
  if (context.systemPrompt.trim() !== "")
    messages.push({ role: "system", content: context.systemPrompt.toWellFormed() });
  for (const message of history) messages.push(toMessage(message));
  const body: Record<string, unknown> = {
    model: model.id,
    messages,
    stream: true,
    truncate: false,
    options: { num_ctx: model.contextWindow, num_predict: replyLimit(model, context, options) },
  };
  if (context.tools.length > 0) {
    body.tools = context.tools.map((tool) => ({
      type: "function",
      function: { name: tool.name, description: tool.description, parameters: wireSchema(tool) },
    }));
  }
  if (model.thinkingLevels.some((level) => level !== "off")) {
    body.think = clampThinkingLevel(model, options.thinkingLevel) !== "off";
  }
  return body;
}

function toMessage(message: Message): Record<string, unknown> {
  if (message.role === "toolResult")
    return { role: "tool", tool_name: message.toolName, content: contentText(message.content) };
  if (message.role === "assistant") {
    const calls = toolCallsOf(message).map((call) => ({ function: { name: call.name, arguments: call.arguments } }));
    return {
      role: "assistant",
      content: contentText(message.content),
      ...(calls.length > 0 ? { tool_calls: calls } : {}),
    };
  }
  if (typeof message.content === "string") return { role: "user", content: message.content };
  const images = message.content.flatMap((part) => (part.type === "image" ? [part.data] : []));
  const texts = message.content.flatMap((part) => (part.type === "text" ? [part.text] : []));
  return { role: "user", content: texts.join("\n\n"), ...(images.length > 0 ? { images } : {}) };
}

interface OllamaLine {
  error?: string;
  message?: {
    content?: string;
    thinking?: string;
    /** What servers that imitate Ollama call it. */
    reasoning_content?: string;
    tool_calls?: { id?: string; function?: { name?: string; arguments?: Record<string, unknown> | string } }[] | null;
  };
  done?: boolean;
  done_reason?: string;
  prompt_eval_count?: number;
  eval_count?: number;
}

class OllamaReader {
  readonly #assembler: MessageAssembler;
  #calls = 0;
  #segment = 0;
  #lastKind: string | undefined;
  #reason: string | undefined;
  ended = false;

  constructor(assembler: MessageAssembler) {
    this.#assembler = assembler;
  }

  *read(line: OllamaLine): Generator<StreamEvent> {
    if (typeof line.error === "string") throw new ResponseError(undefined, line);
    const { content, tool_calls, thinking = line.message?.reasoning_content } = line.message ?? {};
    if (thinking) yield this.#assembler.thinking(this.#key("thinking"), thinking);
    if (content) yield this.#assembler.text(this.#key("text"), content);
    for (const call of tool_calls ?? []) {
      const key = `call${this.#calls++}`;
      this.#lastKind = "call";
      yield this.#assembler.toolStart(key, call.id, call.function?.name ?? "");
      const end = this.#assembler.toolEnd(key, call.function?.arguments ?? {});
      if (end !== undefined) yield end;
    }
    if (line.done === true) {
      this.ended = true;
      this.#reason = line.done_reason;
      this.#assembler.usage({
        input: line.prompt_eval_count ?? 0,
        output: line.eval_count ?? 0,
        cacheRead: 0,
        cacheWrite: 0,
      });
    }
  }

  #key(kind: string): string {
    if (this.#lastKind !== kind) this.#segment++;
    this.#lastKind = kind;
    return `${kind}${this.#segment}`;
  }

  end(): StreamEvent {
    if (!this.ended) throw new CutStreamError();
    if (this.#reason === "length") return this.#assembler.done("length");
    return this.#assembler.done(this.#calls > 0 ? "toolUse" : "stop");
  }
}
