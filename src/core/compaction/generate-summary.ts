// Asking a model for a summary, and refusing what is none (behaviours §5 Requests, security §2 fault 29).
import { CompactionError } from "../errors.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  convertToLlm,
  emptyUsage,
  toolCallsOf,
  type Usage,
} from "../llm/messages.ts";
import type { StreamFailure } from "../llm/stream.ts";
import { serializeConversation, truncateForSummary } from "./serialize-conversation.ts";
import {
  SUMMARIZATION_PROMPT,
  SUMMARIZER_SYSTEM_PROMPT,
  summaryRequest,
  TURN_PREFIX_PROMPT,
  UPDATE_SUMMARIZATION_PROMPT,
} from "./summary-prompts.ts";
import { estimateTextTokens } from "./token-estimation.ts";

/** One model as the summaries need it: single requests without tools, a fresh routing id each, no cache writes. */
export interface Summarizer {
  /** Tokens. */
  contextWindow: number;
  /** Tokens of one reply at the most. */
  maxTokens: number;
  /** Resolves with the closing message of one request; failures are its stop reason, `failure` says what kind. */
  complete(request: {
    systemPrompt: string;
    prompt: string;
    maxTokens: number;
    signal: AbortSignal;
  }): Promise<{ message: AssistantMessage; failure?: StreamFailure }>;
}

export interface SummaryOptions {
  signal: AbortSignal;
  previousSummary?: string | undefined;
  /** The person's focus. */
  customInstructions?: string | undefined;
}

export interface SummaryWithUsage {
  text: string;
  usage: Usage;
}

/** Part of the window that a request's conversation may take; the estimate undercounts code and CJK text. */
const INPUT_SHARE = 0.6;
const REPLY_MARGIN = 1024;
const MIN_REPLY = 512;
/** Above this many requests, long messages are cut first. */
const MAX_PIECES = 16;
const LONG_MESSAGE_CHARS = 20_000;

/** Adds up usages; a part without a price leaves the sum without one. */
export function addUsage(a: Usage, b: Usage | undefined): Usage {
  if (b === undefined) return a;
  const sum: Usage = {
    input: a.input + b.input,
    output: a.output + b.output,
    cacheRead: a.cacheRead + b.cacheRead,
    cacheWrite: a.cacheWrite + b.cacheWrite,
    totalTokens: a.totalTokens + b.totalTokens,
    cost: {
      input: a.cost.input + b.cost.input,
      output: a.cost.output + b.cost.output,
      cacheRead: a.cost.cacheRead + b.cost.cacheRead,
      cacheWrite: a.cost.cacheWrite + b.cost.cacheWrite,
      total: a.cost.total + b.cost.total,
    },
  };
  if (a.estimated === true || b.estimated === true) sum.estimated = true;
  if (a.unpriced === true || b.unpriced === true) sum.unpriced = true;
  return sum;
}

/** Why a reply is no summary, or undefined. */
function refusal(message: AssistantMessage, text: string): string | undefined {
  if (message.stopReason === "length") return "the summary was cut off at the output limit";
  if (toolCallsOf(message).length > 0) return "the model answered with tool calls instead of a summary";
  if (message.stopReason !== "stop") return `the request ended with "${message.stopReason}"`;
  if (text.trim() === "") return "the model returned an empty summary";
  if (!/^#{1,3} /m.test(text) && /<\/?(tool_call|function_calls?|invoke|tool_use)\b/i.test(text)) {
    return "the model answered with tool syntax instead of a summary";
  }
  return undefined;
}

/** One request for one summary. Throws CompactionError `aborted` or `summarization_failed`; nothing is retried here. */
export async function requestSummary(
  summarizer: Summarizer,
  prompt: string,
  signal: AbortSignal,
): Promise<SummaryWithUsage> {
  if (signal.aborted) throw new CompactionError("aborted", "The summary was cancelled.");
  const input = estimateTextTokens(SUMMARIZER_SYSTEM_PROMPT + prompt);
  const room = summarizer.contextWindow - Math.ceil(input * 1.15) - REPLY_MARGIN;
  const maxTokens = Math.max(MIN_REPLY, Math.min(summarizer.maxTokens, room));
  const { message, failure } = await summarizer.complete({
    systemPrompt: SUMMARIZER_SYSTEM_PROMPT,
    prompt,
    maxTokens,
    signal,
  });
  if (signal.aborted || message.stopReason === "aborted") {
    throw new CompactionError("aborted", "The summary was cancelled.");
  }
  const text = message.content.flatMap((part) => (part.type === "text" ? [part.text] : [])).join("\n");
  const reason =
    message.stopReason === "error" ? (message.errorMessage ?? "the request failed") : refusal(message, text);
  if (reason !== undefined) {
    throw new CompactionError("summarization_failed", `No summary was written: ${reason}.`, failure);
  }
  return { text: text.trim(), usage: message.usage };
}

/** Splits a serialised conversation at paragraphs into pieces of at most `limit` characters. */
function splitText(text: string, limit: number): string[] {
  const pieces: string[] = [];
  let rest = text;
  while (rest.length > limit) {
    const paragraph = rest.lastIndexOf("\n\n[", limit);
    let end = paragraph > limit / 2 ? paragraph : limit;
    const code = rest.charCodeAt(end - 1);
    if (code >= 0xd800 && code <= 0xdbff) end--;
    pieces.push(rest.slice(0, end));
    rest = rest.slice(end).trimStart();
  }
  pieces.push(rest);
  return pieces;
}

function piecesFor(messages: readonly AgentMessage[], window: number, previous: string | undefined): string[] {
  const limit = Math.max(4000, Math.floor(window * INPUT_SHARE) * 4 - (previous?.length ?? 0));
  const pieces = splitText(serializeConversation(convertToLlm(messages)), limit);
  if (pieces.length <= MAX_PIECES) return pieces;
  const shortened = serializeConversation(convertToLlm(messages))
    .split(/\n\n(?=\[)/)
    .map((part) => truncateForSummary(part, LONG_MESSAGE_CHARS))
    .join("\n\n");
  return splitText(shortened, limit).slice(-MAX_PIECES);
}

async function summarizePieces(
  pieces: readonly string[],
  summarizer: Summarizer,
  prompts: { first: string; update: string },
  options: SummaryOptions,
): Promise<SummaryWithUsage> {
  let previous = options.previousSummary;
  let usage = emptyUsage();
  for (const conversation of pieces) {
    const prompt = summaryRequest({
      conversation,
      previousSummary: previous,
      prompt: previous === undefined ? prompts.first : prompts.update,
      focus: options.customInstructions,
    });
    const answer = await requestSummary(summarizer, prompt, options.signal);
    usage = addUsage(usage, answer.usage);
    previous = answer.text;
  }
  return { text: previous ?? "", usage };
}

/**
 * Summarises messages with the given prompts. A conversation larger than the window is taken in pieces, each updating
 * the notes of the pieces before. Where the server's window turns out smaller than configured, it is tried once more
 * for that window.
 */
export async function summarizeWithPrompts(
  messages: readonly AgentMessage[],
  summarizer: Summarizer,
  prompts: { first: string; update: string },
  options: SummaryOptions,
): Promise<SummaryWithUsage> {
  const pieces = piecesFor(messages, summarizer.contextWindow, options.previousSummary);
  try {
    return await summarizePieces(pieces, summarizer, prompts, options);
  } catch (error) {
    const failure = error instanceof CompactionError ? (error.cause as StreamFailure | undefined) : undefined;
    if (failure?.kind !== "overflow") throw error;
    const learned = failure.learnedWindow ?? Math.floor(summarizer.contextWindow / 2);
    if (learned < summarizer.contextWindow) {
      const smaller = { ...summarizer, contextWindow: learned, complete: summarizer.complete.bind(summarizer) };
      try {
        return await summarizePieces(piecesFor(messages, learned, options.previousSummary), smaller, prompts, options);
      } catch (again) {
        if (again instanceof CompactionError && again.code === "aborted") throw again;
      }
    }
    throw new CompactionError(
      "summarization_failed",
      `The summary request itself does not fit the model: the server refused it as too long, while the window is set to ${summarizer.contextWindow} tokens. Set the model's real window, or choose a model with a larger one.`,
      failure,
    );
  }
}

/** A structured summary with the usage that it cost; updates `previousSummary` where one is given (seed 1 §5.5). */
export function generateSummaryWithUsage(
  messages: readonly AgentMessage[],
  summarizer: Summarizer,
  options: SummaryOptions,
): Promise<SummaryWithUsage> {
  return summarizeWithPrompts(
    messages,
    summarizer,
    { first: SUMMARIZATION_PROMPT, update: UPDATE_SUMMARIZATION_PROMPT },
    options,
  );
}

/** The text alone of `generateSummaryWithUsage`. */
export async function generateSummary(
  messages: readonly AgentMessage[],
  summarizer: Summarizer,
  options: SummaryOptions,
): Promise<string> {
  return (await generateSummaryWithUsage(messages, summarizer, options)).text;
}

/** Notes on the beginning of a turn whose end stays verbatim. */
export function generateTurnPrefixSummary(
  messages: readonly AgentMessage[],
  summarizer: Summarizer,
  options: Omit<SummaryOptions, "previousSummary">,
): Promise<SummaryWithUsage> {
  return summarizeWithPrompts(
    messages,
    summarizer,
    {
      first: TURN_PREFIX_PROMPT,
      update: `${TURN_PREFIX_PROMPT}\n\nBring the notes in <previous-summary> up to date with this part of the turn.`,
    },
    options,
  );
}
