// Makes any list of messages one that a provider accepts, before every request and without touching the session.
import type { AssistantMessage, Message, ToolResultMessage, UserMessage } from "../core/llm/messages.ts";
import type { Model } from "../core/llm/model.ts";
import { sendsAnything } from "../core/llm/never-sent.ts";
import type { LlmContext } from "../core/llm/stream.ts";
import { type ContentPart, cleanAssistant, cleanResultParts, cleanUserParts } from "./message-cleaning.ts";
import { addToPrefix, type PrefixHash, startPrefix } from "./prefix-hash.ts";
import { pairResults } from "./result-pairing.ts";
import { type ToolCallIdStyle, ToolCallIds } from "./tool-call-ids.ts";

export interface RepairOptions {
  idStyle: ToolCallIdStyle;
  /** `inline`: results may hold images (those of errors still follow); `after`: images follow in a user message. */
  resultImages: "inline" | "after";
  /** Thinking without a provider's proof may be replayed too (servers that want their own text back). */
  unsignedThinking?: boolean;
}

export interface RepairedHistory {
  messages: Message[];
  /** Hash of everything that the next reply will be produced under; store it with the reply. */
  prefixHash: string;
  /** Entries of the input, by position, whose thinking was left out because something before them changed. */
  droppedThinking: number[];
}

const FIRST_USER = "(The beginning of this conversation is not shown.)";
const CONTINUE = "Continue.";

/**
 * Applies the rules of providers §5. Pure: the same input gives the same bytes, and a longer conversation begins with
 * the output of the shorter one wherever its messages do, so that caches and thinking stay valid.
 */
export function repairHistory(
  model: Model,
  context: Pick<LlmContext, "systemPrompt" | "tools" | "messages">,
  options: RepairOptions,
): RepairedHistory {
  return new HistoryRepair(model, context, options).run();
}

class HistoryRepair {
  readonly #model: Model;
  readonly #options: RepairOptions;
  readonly #messages: readonly Message[];
  readonly #ids: ToolCallIds;
  readonly #prefix: PrefixHash;
  /** The message under construction is kept out of the hash until it cannot grow any more. */
  #pending: Message | undefined;
  readonly #out: Message[] = [];
  readonly #droppedThinking: number[] = [];

  constructor(model: Model, context: Pick<LlmContext, "systemPrompt" | "tools" | "messages">, options: RepairOptions) {
    this.#model = model;
    this.#options = options;
    this.#messages = context.messages;
    this.#ids = new ToolCallIds(options.idStyle);
    this.#prefix = startPrefix(model, context.systemPrompt, context.tools);
  }

  run(): RepairedHistory {
    const results = pairResults(this.#messages);
    for (const [index, message] of this.#messages.entries()) {
      if (message.role === "user") this.#addUser(message);
      else if (message.role === "assistant") this.#addAssistant(message, index, results.get(index) ?? []);
      // Results are added with the calls that they answer; those without a call are left out.
    }
    if (this.#lastRole() !== "user" && this.#lastRole() !== "toolResult")
      this.#addText(this.#lastRole() === undefined ? FIRST_USER : CONTINUE);
    this.#settle();
    return { messages: this.#out, prefixHash: this.#prefix.digest(), droppedThinking: this.#droppedThinking };
  }

  #lastRole(): Message["role"] | undefined {
    return this.#pending?.role ?? this.#out.at(-1)?.role;
  }

  #settle(): void {
    if (this.#pending === undefined) return;
    addToPrefix(this.#prefix, this.#pending);
    this.#out.push(this.#pending);
    this.#pending = undefined;
  }

  #add(message: Message): void {
    this.#settle();
    this.#pending = message;
  }

  #addText(text: string): void {
    this.#addUserParts([{ type: "text", text }], 0);
  }

  #addUser(message: UserMessage): void {
    this.#addUserParts(cleanUserParts(message.content, this.#model), message.timestamp);
  }

  /** Consecutive user messages become one: many servers refuse two, and the others merge them anyway (§5.8). */
  #addUserParts(parts: ContentPart[], timestamp: number): void {
    if (parts.length === 0) return;
    if (this.#pending?.role === "user" && Array.isArray(this.#pending.content)) {
      for (const part of parts) this.#pending.content.push(part);
    } else {
      this.#add({ role: "user", content: [...parts], timestamp });
    }
  }

  #addAssistant(message: AssistantMessage, index: number, results: (ToolResultMessage | undefined)[]): void {
    if (!sendsAnything(message)) return;
    // An assistant message can only follow a user's or a result; the hash before it must be final.
    if (this.#lastRole() === undefined) this.#addText(FIRST_USER);
    else if (this.#lastRole() === "assistant") this.#addText(CONTINUE);
    this.#settle();
    const sameOrigin =
      message.provider === this.#model.provider && message.api === this.#model.api && message.model === this.#model.id;
    const prefixHolds = sameOrigin && message.prefixHash !== undefined && message.prefixHash === this.#prefix.digest();
    const hadThinking = message.content?.some((part) => part.type === "thinking") ?? false;
    if (hadThinking && !prefixHolds) this.#droppedThinking.push(index);
    const clean = cleanAssistant(message, {
      keepProofs: prefixHolds,
      sameOrigin,
      unsignedThinking: this.#options.unsignedThinking === true,
      itemIds: prefixHolds || (sameOrigin && !hadThinking),
    });
    const calls = clean.content.filter((part) => part.type === "toolCall");
    // A finished message never grows; results and users that follow are pending of their own.
    const wireIds = calls.map((call) => {
      const wireId = this.#ids.next(call.id);
      const item = this.#options.idStyle === "responses" && clean.itemIds ? call.id.split("|")[1] : undefined;
      call.id = item?.startsWith("fc_") === true ? `${wireId}|${item}` : wireId;
      return wireId;
    });
    this.#add(clean.message);
    this.#addResults(calls, wireIds, results, message.timestamp);
  }

  #addResults(
    calls: readonly { name: string }[],
    wireIds: readonly string[],
    results: readonly (ToolResultMessage | undefined)[],
    timestamp: number,
  ): void {
    const moved: ContentPart[] = [];
    for (const [index, call] of calls.entries()) {
      const result = results[index];
      const parts: ContentPart[] =
        result === undefined
          ? [{ type: "text", text: "No result: this call was interrupted before it finished." }]
          : cleanResultParts(result.content, this.#model);
      const isError = result?.isError ?? true;
      const images = parts.filter((part) => part.type === "image");
      const inline = this.#options.resultImages === "inline" && !isError;
      const content = inline ? parts : parts.filter((part) => part.type !== "image");
      if (!inline && images.length > 0) {
        moved.push({ type: "text", text: `From the result of ${call.name}:` }, ...images);
        if (content.length === 0) content.push({ type: "text", text: "(the image follows)" });
      }
      if (content.length === 0) content.push({ type: "text", text: "(no output)" });
      this.#add({
        role: "toolResult",
        toolCallId: wireIds[index] ?? "",
        toolName: call.name,
        content,
        isError,
        timestamp: result?.timestamp ?? timestamp,
      });
    }
    this.#addUserParts(moved, timestamp);
  }
}
