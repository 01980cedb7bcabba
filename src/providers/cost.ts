// From reported token counts to a usage with its price; estimates where nothing believable was reported.
import type { AssistantMessage, Message, Usage } from "../core/llm/messages.ts";
import { contentText, emptyUsage } from "../core/llm/messages.ts";
import type { Model, ModelCost } from "../core/llm/model.ts";
import type { LlmContext } from "../core/llm/stream.ts";

/** Tokens as a provider reported them, `input` without what was read from or written to its cache. */
export interface TokenCounts {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Part of `cacheWrite` kept for an hour; twice the input price. */
  cacheWriteLong?: number;
  reasoning?: number;
}

/** US dollars for the counts; tiers are chosen by the whole input (providers §6). */
export function costOf(price: ModelCost, counts: TokenCounts): Usage["cost"] {
  const whole = counts.input + counts.cacheRead + counts.cacheWrite;
  const tier = (price.tiers ?? [])
    .filter((candidate) => whole > candidate.aboveTokens)
    .reduce<ModelCost>((_, candidate) => candidate, price);
  const long = Math.min(counts.cacheWriteLong ?? 0, counts.cacheWrite);
  const input = (counts.input * tier.input) / 1e6;
  const output = (counts.output * tier.output) / 1e6;
  const cacheRead = (counts.cacheRead * tier.cacheRead) / 1e6;
  const cacheWrite = ((counts.cacheWrite - long) * tier.cacheWrite + long * tier.input * 2) / 1e6;
  return { input, output, cacheRead, cacheWrite, total: input + output + cacheRead + cacheWrite };
}

/**
 * A usage from reported counts.
 * @param reportedCost dollars, where the provider stated them; preferred over our table.
 */
export function usageOf(model: Model, counts: TokenCounts, reportedCost?: number): Usage {
  const usage: Usage = {
    ...emptyUsage(),
    input: counts.input,
    output: counts.output,
    cacheRead: counts.cacheRead,
    cacheWrite: counts.cacheWrite,
    totalTokens: counts.input + counts.output + counts.cacheRead + counts.cacheWrite,
  };
  if (counts.reasoning !== undefined) usage.reasoning = counts.reasoning;
  if (model.cost !== undefined) usage.cost = costOf(model.cost, counts);
  if (reportedCost !== undefined && Number.isFinite(reportedCost) && reportedCost >= 0) {
    usage.cost = { ...usage.cost, total: reportedCost };
  } else if (model.cost === undefined) {
    usage.unpriced = true;
  }
  return usage;
}

const IMAGE_CHARS = 4_800;

/** Tokens that a request will roughly take: a quarter of its characters, 1,200 per image. */
export function estimateRequestTokens(context: LlmContext): number {
  let chars = context.systemPrompt.length;
  for (const tool of context.tools) {
    chars += tool.name.length + tool.description.length + JSON.stringify(tool.parameters).length;
  }
  for (const message of context.messages) chars += messageChars(message);
  return Math.ceil(chars / 4);
}

function messageChars(message: Message): number {
  if (message.role === "assistant") return assistantChars(message);
  const images = Array.isArray(message.content) ? message.content.filter((part) => part.type === "image").length : 0;
  return contentText(message.content ?? "").length + images * IMAGE_CHARS;
}

function assistantChars(message: AssistantMessage): number {
  let chars = 0;
  for (const part of message.content ?? []) {
    if (part.type === "text") chars += part.text.length;
    else if (part.type === "thinking") chars += part.thinking.length;
    // A session may hold kinds of parts that we do not know; they are not sent, so they do not count.
    else if (part.type === "toolCall") chars += part.name.length + JSON.stringify(part.arguments ?? {}).length;
  }
  return chars;
}

/** The usage of a request whose provider said nothing, or nothing believable; marked as an estimate. */
export function estimatedUsage(model: Model, context: LlmContext, message: AssistantMessage): Usage {
  const counts = {
    input: estimateRequestTokens(context),
    output: Math.ceil(assistantChars(message) / 4),
    cacheRead: 0,
    cacheWrite: 0,
  };
  return { ...usageOf(model, counts), estimated: true };
}

/**
 * Whether reported counts can be true: not negative, some input, and not many times what any window holds. Servers
 * report nothing, zeros and nonsense; none of them may start or disable a compaction (security §2.28). A report above
 * the window is believed: it is how some servers tell of an overflow.
 */
export function believable(counts: TokenCounts, contextWindow: number): boolean {
  const values = [counts.input, counts.output, counts.cacheRead, counts.cacheWrite];
  if (values.some((value) => !Number.isFinite(value) || value < 0)) return false;
  const whole = counts.input + counts.cacheRead + counts.cacheWrite;
  return whole > 0 && whole + counts.output <= 10 * Math.max(contextWindow, 128_000);
}
