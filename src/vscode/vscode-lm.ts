// The editor's own models (Copilot and whoever else serves them) as one stream function.
import type * as vscode from "vscode";
import { contentText, type Message, toolCallsOf } from "../core/llm/messages.ts";
import type { Model } from "../core/llm/model.ts";
import type { LlmContext, StreamEvent, StreamFunction, StreamOptions } from "../core/llm/stream.ts";

/** The part of the editor's API that is used. */
export type LmApi = Pick<
  typeof vscode,
  | "lm"
  | "CancellationTokenSource"
  | "LanguageModelChatMessage"
  | "LanguageModelTextPart"
  | "LanguageModelToolCallPart"
  | "LanguageModelToolResultPart"
  | "LanguageModelDataPart"
>;

/** What the providers lend: the frame of an adapter, handed in because this folder does not see them. */
export type LmAdapter = (
  repair: () => { idStyle: "anthropic"; resultImages: "after" },
  run: (request: {
    model: Model;
    context: LlmContext;
    options: StreamOptions;
    history: { messages: readonly Message[] };
    assembler: LmAssembler;
  }) => AsyncGenerator<StreamEvent, StreamEvent>,
) => StreamFunction;

interface LmAssembler {
  text(key: string, delta: string): StreamEvent;
  thinking(key: string, delta: string): StreamEvent;
  toolStart(key: string, id: string | undefined, name: string): StreamEvent;
  toolEnd(key: string, input: Record<string, unknown>): StreamEvent | undefined;
  usage(
    counts: { input: number; output: number; cacheRead: number; cacheWrite: number },
    more: { estimated: boolean },
  ): void;
  done(stopReason: "stop" | "toolUse"): StreamEvent;
}

const PROVIDER_PREFIX = "vscode-";
/** Copilot refuses more. */
const MAX_TOOLS = 128;
const IDLE_MS = 120_000;

/** The chat models of the editor, of every vendor; empty where there are none. Ask again on `onDidChangeChatModels`. */
export async function listEditorModels(api: Pick<LmApi, "lm">): Promise<Model[]> {
  return (await api.lm.selectChatModels({})).map((chat) => {
    // Present at run time, absent from the types.
    const { capabilities } = chat as { capabilities?: { supportsImageToText?: boolean } };
    return {
      id: chat.id,
      name: chat.name,
      api: "vscode-lm",
      provider: PROVIDER_PREFIX + chat.vendor,
      baseUrl: "",
      thinkingLevels: ["off"],
      input: capabilities?.supportsImageToText === true ? ["text", "image"] : ["text"],
      // The input alone: what the reply takes is not told, and the vendor's own prompt is already taken off.
      contextWindow: chat.maxInputTokens,
      maxTokens: chat.maxInputTokens,
    };
  });
}

/**
 * A stream function over the editor's models. The first request to a model makes the editor ask for consent, so it must
 * follow an action of the person. Failures mostly arrive while iterating, and leaving the loop does not stop the
 * provider: the token is always cancelled (providers §3).
 */
export function createVscodeLm(api: LmApi, adapter: LmAdapter): StreamFunction {
  return adapter(
    () => ({ idStyle: "anthropic", resultImages: "after" }),
    async function* ({ model, context, options, history, assembler }) {
      options.signal.throwIfAborted();
      const vendor = model.provider.slice(PROVIDER_PREFIX.length);
      const [chat] = await api.lm.selectChatModels({ vendor, id: model.id });
      if (chat === undefined) throw lmError("NotFound", `The editor no longer offers ${model.name}.`);
      const source = new api.CancellationTokenSource();
      const cancel = () => source.cancel();
      options.signal.addEventListener("abort", cancel, { once: true });
      try {
        const messages = toChatMessages(api, context.systemPrompt, history.messages);
        const idle = new IdleLimit(options);
        // There is no body that a hook could replace here; it may look.
        await options.onPayload?.({ messages, tools: context.tools });
        const response = await idle.race(chat.sendRequest(messages, requestOptions(context), source.token), "first");
        await options.onResponse?.({ status: 200, headers: {} });
        const reader = new PartReader(api, assembler);
        const parts = response.stream[Symbol.asyncIterator]();
        for (let first = true; ; first = false) {
          const next = await idle.race(parts.next(), first ? "first" : "idle");
          if (next.done === true || options.signal.aborted) break;
          yield* reader.read(next.value);
        }
        // A cancelled stream ends like a finished one; only the signal tells them apart.
        options.signal.throwIfAborted();
        assembler.usage(await countTokens(chat, context, history.messages, reader.text), { estimated: true });
        return assembler.done(reader.calls > 0 ? "toolUse" : "stop");
      } finally {
        options.signal.removeEventListener("abort", cancel);
        source.cancel();
        source.dispose();
      }
    },
  );
}

function requestOptions(context: LlmContext): vscode.LanguageModelChatRequestOptions {
  if (context.tools.length === 0) return {};
  return {
    tools: context.tools.slice(0, MAX_TOOLS).map(({ name, description, parameters }) => ({
      name,
      description,
      inputSchema: parameters,
    })),
  };
}

/**
 * There is no system role: the prompt is the first user message. Texts of one message are joined, because only the
 * first text part of a reply is passed on and each one of a user becomes a message of its own; results stand alone in
 * the user message after their calls.
 */
function toChatMessages(
  api: LmApi,
  systemPrompt: string,
  history: readonly Message[],
): vscode.LanguageModelChatMessage[] {
  const messages: vscode.LanguageModelChatMessage[] = [];
  if (systemPrompt.trim() !== "") messages.push(api.LanguageModelChatMessage.User(systemPrompt.toWellFormed()));
  let results: vscode.LanguageModelToolResultPart[] = [];
  const flush = () => {
    if (results.length > 0) messages.push(api.LanguageModelChatMessage.User(results));
    results = [];
  };
  for (const message of history) {
    if (message.role === "toolResult") {
      const text = message.isError ? `Error: ${contentText(message.content)}` : contentText(message.content);
      results.push(new api.LanguageModelToolResultPart(message.toolCallId, [new api.LanguageModelTextPart(text)]));
      continue;
    }
    flush();
    const text = joinedText(message.content);
    const textParts = text === "" ? [] : [new api.LanguageModelTextPart(text)];
    if (message.role === "assistant") {
      const calls = toolCallsOf(message).map(
        (call) => new api.LanguageModelToolCallPart(call.id, call.name, call.arguments),
      );
      messages.push(api.LanguageModelChatMessage.Assistant([...textParts, ...calls]));
    } else {
      const images = typeof message.content === "string" ? [] : message.content.filter((part) => part.type === "image");
      const data = images.map((image) => api.LanguageModelDataPart.image(bytesOf(image.data), image.mimeType));
      messages.push(api.LanguageModelChatMessage.User([...textParts, ...data]));
    }
  }
  flush();
  return messages;
}

function joinedText(content: Message["content"]): string {
  if (typeof content === "string") return content;
  return content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n\n");
}

function bytesOf(base64: string): Uint8Array {
  return Uint8Array.from(atob(base64), (char) => char.charCodeAt(0));
}

/** Told apart by class, then by shape: names of classes are minified, and thinking has no public class. */
class PartReader {
  readonly #api: LmApi;
  readonly #assembler: LmAssembler;
  #segment = 0;
  #kind = "";
  calls = 0;
  text = "";

  constructor(api: LmApi, assembler: LmAssembler) {
    this.#api = api;
    this.#assembler = assembler;
  }

  *read(part: unknown): Generator<StreamEvent> {
    if (typeof part !== "object" || part === null || part instanceof this.#api.LanguageModelDataPart) return;
    const shape = part as { value?: unknown; callId?: unknown; name?: unknown; input?: unknown };
    if (typeof shape.callId === "string" && typeof shape.name === "string") {
      const key = `call${this.calls++}`;
      this.#kind = "call";
      yield this.#assembler.toolStart(key, shape.callId, shape.name);
      const input = typeof shape.input === "object" && shape.input !== null ? shape.input : {};
      const end = this.#assembler.toolEnd(key, input as Record<string, unknown>);
      if (end !== undefined) yield end;
      return;
    }
    const value = Array.isArray(shape.value) ? shape.value.join("") : shape.value;
    if (typeof value !== "string" || value === "") return;
    const isText = part instanceof this.#api.LanguageModelTextPart || !("id" in part || "metadata" in part);
    if (isText) this.text += value;
    yield isText
      ? this.#assembler.text(this.#key("text"), value)
      : this.#assembler.thinking(this.#key("thinking"), value);
  }

  #key(kind: string): string {
    if (this.#kind !== kind) this.#segment++;
    this.#kind = kind;
    return `${kind}${this.#segment}`;
  }
}

/** Limits on silence; the editor's models have no bytes to watch. */
class IdleLimit {
  readonly #firstMs: number;
  readonly #idleMs: number;

  constructor(options: StreamOptions) {
    this.#firstMs = options.firstByteTimeoutMs ?? IDLE_MS;
    this.#idleMs = options.idleTimeoutMs ?? IDLE_MS;
  }

  async race<T>(work: PromiseLike<T>, which: "first" | "idle"): Promise<T> {
    const limitMs = which === "first" ? this.#firstMs : this.#idleMs;
    let timer: ReturnType<typeof setTimeout> | undefined;
    const limit = new Promise<never>((_, reject) => {
      timer = setTimeout(
        () => reject(lmError("ETIMEDOUT", `fetch failed: the model was silent for ${limitMs / 1000} s`)),
        limitMs,
      );
    });
    try {
      return await Promise.race([work, limit]);
    } finally {
      clearTimeout(timer);
    }
  }
}

function lmError(code: string, message: string): Error {
  return Object.assign(new Error(message), { code });
}

/**
 * Tokens as the model's own tokenizer counts them. Everything is counted as text, because result parts are skipped
 * otherwise; 15 % are added for what the vendor wraps around it. Where counting fails, a quarter of the characters.
 */
async function countTokens(
  chat: vscode.LanguageModelChat,
  context: LlmContext,
  history: readonly Message[],
  reply: string,
): Promise<{ input: number; output: number; cacheRead: number; cacheWrite: number }> {
  const calls = (message: Message) =>
    message.role === "assistant" ? toolCallsOf(message).map((call) => JSON.stringify(call.arguments)) : [];
  const sent = [
    context.systemPrompt,
    ...context.tools.map((tool) => JSON.stringify(tool)),
    ...history.flatMap((message) => [joinedText(message.content), ...calls(message)]),
  ].join("\n");
  const count = async (text: string) => {
    try {
      const tokens = await chat.countTokens(text);
      if (Number.isFinite(tokens) && tokens > 0) return tokens;
    } catch {
      // A provider without a tokenizer.
    }
    return Math.ceil(text.length / 4);
  };
  return { input: Math.ceil((await count(sent)) * 1.15), output: await count(reply), cacheRead: 0, cacheWrite: 0 };
}
