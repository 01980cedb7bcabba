// Builds the one growing assistant message of a stream and the events that tell of it, the same way for every adapter.
import {
  type AssistantMessage,
  emptyUsage,
  type StopReason,
  type TextContent,
  type ThinkingContent,
  type ToolCall,
  toolCallsOf,
} from "../core/llm/messages.ts";
import type { Model } from "../core/llm/model.ts";
import type { LlmContext, StreamEvent, StreamFailure, StreamOptions } from "../core/llm/stream.ts";
import { believable, estimatedUsage, type TokenCounts, usageOf } from "./cost.ts";
import { shortHash } from "./prefix-hash.ts";
import { parseToolArguments } from "./tool-arguments.ts";

/** What names a part while it grows: the provider's index or id. */
export type PartKey = string | number;

export class MessageAssembler {
  readonly partial: AssistantMessage;
  readonly #model: Model;
  readonly #context: LlmContext;
  readonly #indexes = new Map<PartKey, number>();
  /** Argument fragments of calls that have not ended. */
  readonly #open = new Map<number, string>();
  readonly #takenIds: Set<string>;
  readonly #conversation: string;
  readonly #toolName: (wireName: string) => string;
  #counts: TokenCounts | undefined;
  #reportedCost: number | undefined;
  #countsEstimated = false;

  /** @param toolName the tool's own name for the one that the model used. */
  constructor(
    model: Model,
    context: LlmContext,
    options: Pick<StreamOptions, "thinkingLevel">,
    prefixHash?: string,
    toolName: (wireName: string) => string = (name) => name,
  ) {
    this.#toolName = toolName;
    this.#model = model;
    this.#context = context;
    this.#takenIds = new Set(
      context.messages.flatMap((message) =>
        message.role === "assistant" ? toolCallsOf(message).map(({ id }) => id) : [],
      ),
    );
    const last = context.messages.at(-1);
    this.#conversation = shortHash(`${context.messages.length} ${last?.timestamp} ${JSON.stringify(last?.content)}`);
    this.partial = {
      role: "assistant",
      content: [],
      api: model.api,
      provider: model.provider,
      model: model.id,
      usage: emptyUsage(),
      stopReason: "stop",
      thinkingLevel: options.thinkingLevel,
      timestamp: Date.now(),
    };
    if (prefixHash !== undefined) this.partial.prefixHash = prefixHash;
  }

  start(): StreamEvent {
    return { type: "start", partial: this.partial };
  }

  /** Adds visible text; an empty delta only opens the part. */
  text(key: PartKey, delta: string): StreamEvent {
    const contentIndex = this.#indexOf(key, (): TextContent => ({ type: "text", text: "" }));
    const part = this.partial.content[contentIndex];
    if (part?.type === "text") part.text += delta;
    return { type: "text_delta", contentIndex, delta, partial: this.partial };
  }

  thinking(key: PartKey, delta: string): StreamEvent {
    const contentIndex = this.#indexOf(key, (): ThinkingContent => ({ type: "thinking", thinking: "" }));
    const part = this.partial.content[contentIndex];
    if (part?.type === "thinking") part.thinking += delta;
    return { type: "thinking_delta", contentIndex, delta, partial: this.partial };
  }

  /** Attaches the provider's proof to a text or thinking part, opening a thinking part where there is none. */
  sign(key: PartKey, signature: string, options: { redacted?: boolean; append?: boolean } = {}): void {
    const index = this.#indexOf(key, (): ThinkingContent => ({ type: "thinking", thinking: "" }));
    const part = this.partial.content[index];
    if (part?.type === "text") part.textSignature = signature;
    if (part?.type !== "thinking") return;
    part.thinkingSignature = options.append === true ? (part.thinkingSignature ?? "") + signature : signature;
    if (options.redacted === true) part.redacted = true;
  }

  /** True where the key names a part already. */
  has(key: PartKey): boolean {
    return this.#indexes.has(key);
  }

  /** Replaces the text of a part by the provider's final word on it; tells of it only where something was missing. */
  settleText(key: PartKey, text: string): StreamEvent | undefined {
    const part = this.partial.content[this.#indexOf(key, (): TextContent => ({ type: "text", text: "" }))];
    if (part?.type !== "text" || part.text === text) return undefined;
    if (text.startsWith(part.text)) return this.text(key, text.slice(part.text.length));
    part.text = text;
    return this.text(key, "");
  }

  /** Opens a call. A missing id is made up and one that this conversation has already is made unique. */
  toolStart(key: PartKey, id: string | undefined, wireName: string): StreamEvent {
    const name = this.#toolName(wireName);
    const callId = this.#freeId(id);
    const contentIndex = this.#indexOf(key, (): ToolCall => ({ type: "toolCall", id: callId, name, arguments: {} }));
    this.#open.set(contentIndex, "");
    return { type: "toolcall_start", contentIndex, id: callId, name, partial: this.partial };
  }

  toolDelta(key: PartKey, delta: string): StreamEvent | undefined {
    const contentIndex = this.#indexes.get(key);
    if (contentIndex === undefined || !this.#open.has(contentIndex)) return undefined;
    this.#open.set(contentIndex, (this.#open.get(contentIndex) ?? "") + delta);
    return { type: "toolcall_delta", contentIndex, delta, partial: this.partial };
  }

  /** Ends a call and reads its arguments; `finalArguments` is the provider's own last word where it gives one. */
  toolEnd(key: PartKey, finalArguments?: string | Record<string, unknown>): StreamEvent | undefined {
    const contentIndex = this.#indexes.get(key);
    if (contentIndex === undefined || !this.#open.has(contentIndex)) return undefined;
    const call = this.partial.content[contentIndex];
    const joined = this.#open.get(contentIndex) ?? "";
    this.#open.delete(contentIndex);
    if (call?.type !== "toolCall") return undefined;
    if (typeof finalArguments === "object") {
      call.arguments = finalArguments;
    } else {
      const parsed = parseToolArguments(finalArguments ?? joined);
      call.arguments = parsed.arguments;
      if (parsed.error !== undefined) call.argumentsError = parsed.error;
    }
    return { type: "toolcall_end", contentIndex, partial: this.partial };
  }

  /** Keys of calls that were opened and not ended, in the order of the message. */
  openCalls(): PartKey[] {
    return [...this.#indexes].filter(([, index]) => this.#open.has(index)).map(([key]) => key);
  }

  /**
   * Remembers what the provider reported; the last report counts.
   * @param more `cost` in dollars, where reported; `estimated` where the counts are a tokenizer's and not the server's.
   */
  usage(counts: TokenCounts, more: { cost?: number | undefined; estimated?: boolean } = {}): void {
    this.#counts = counts;
    this.#reportedCost = more.cost;
    this.#countsEstimated = more.estimated === true;
  }

  /**
   * Ends well. A reply that says nothing, if only in thoughts, is a failure: servers that fail silently end so
   * (security §2.23), and nobody could answer it.
   */
  done(stopReason: Exclude<StopReason, "error" | "aborted">): StreamEvent {
    if (
      stopReason !== "length" &&
      this.partial.content.every(
        (part) => part.type === "thinking" || (part.type === "text" && part.text.trim() === ""),
      )
    ) {
      return this.fail({ kind: "emptyReply", message: "The model sent an empty reply.", maxRetries: 1 });
    }
    this.#closeCalls("The reply ended before the arguments of this call were complete");
    this.partial.stopReason = stopReason;
    this.#settleUsage();
    return { type: "done", message: this.partial };
  }

  /** Ends badly, with everything that had been received. */
  fail(failure: StreamFailure): StreamEvent {
    this.#closeCalls("The answer was cut before the arguments of this call were complete");
    this.partial.stopReason = failure.kind === "aborted" ? "aborted" : "error";
    this.partial.errorMessage = failure.message;
    this.#settleUsage(failure.kind === "overflow" || this.partial.content.length === 0);
    return { type: "error", failure, message: this.partial };
  }

  #closeCalls(why: string): void {
    for (const [index, text] of this.#open) {
      const call = this.partial.content[index];
      if (call?.type === "toolCall") call.argumentsError = `${why}: ${text.slice(0, 300).toWellFormed()}`;
    }
    this.#open.clear();
  }

  #settleUsage(nothingRan = false): void {
    const counts = this.#counts;
    if (counts !== undefined && believable(counts, this.#model.contextWindow)) {
      this.partial.usage = usageOf(this.#model, counts, this.#reportedCost);
      if (this.#countsEstimated) this.partial.usage.estimated = true;
    } else if (!nothingRan) {
      this.partial.usage = estimatedUsage(this.#model, this.#context, this.partial);
    }
  }

  #indexOf(key: PartKey, create: () => TextContent | ThinkingContent | ToolCall): number {
    const known = this.#indexes.get(key);
    if (known !== undefined) return known;
    const index = this.partial.content.push(create()) - 1;
    this.#indexes.set(key, index);
    return index;
  }

  #freeId(wanted: string | undefined): string {
    // Made from the conversation, so that ids of turns that were compacted away do not come back.
    const base = wanted === undefined || wanted === "" ? `call_${this.#conversation}` : wanted;
    // Ids of the Responses API are "call|item"; the call's half is the one that pairs.
    const [head, ...rest] = base.split("|");
    const numbered = (n: number) => [`${head}_${n}`, ...rest].join("|");
    let id = wanted === undefined || wanted === "" ? numbered(1) : base;
    for (let n = 2; this.#takenIds.has(id); n++) id = numbered(n);
    this.#takenIds.add(id);
    return id;
  }
}
