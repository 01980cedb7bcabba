// How many tokens a message or a context takes (seed 1 §4, behaviours §4).
import type { AgentMessage, AssistantMessage, ImageContent, TextContent, Usage } from "../llm/messages.ts";

const CHARS_PER_TOKEN = 4;
const CHARS_PER_IMAGE = 4800;

export interface ContextTokens {
  /** All of it: reported usage and the estimate of what came after. */
  tokens: number;
  /** What the provider reported with the last good reply; 0 where everything is estimated. */
  usageTokens: number;
  /** Estimate of the messages behind that reply. */
  trailingTokens: number;
  /** Index of the reply whose usage counts, or null. */
  lastUsageIndex: number | null;
}

function contentChars(content: string | readonly (TextContent | ImageContent)[] | null | undefined): number {
  if (typeof content === "string") return content.length;
  let chars = 0;
  for (const part of content ?? []) {
    if (part.type === "text") chars += part.text?.length ?? 0;
    else if (part.type === "image") chars += CHARS_PER_IMAGE;
  }
  return chars;
}

function assistantChars(message: AssistantMessage): number {
  let chars = 0;
  for (const part of message.content ?? []) {
    if (part.type === "text") chars += part.text?.length ?? 0;
    else if (part.type === "thinking") chars += part.thinking?.length ?? 0;
    else if (part.type === "toolCall")
      chars += (part.name?.length ?? 0) + (JSON.stringify(part.arguments) ?? "").length;
  }
  return chars;
}

/** Tokens of one message by the rule of four characters a token, rounded up; an image counts as 4800 characters. */
export function estimateTokens(message: AgentMessage): number {
  switch (message.role) {
    case "user":
    case "toolResult":
    case "custom":
      return Math.ceil(contentChars(message.content) / CHARS_PER_TOKEN);
    case "assistant":
      return Math.ceil(assistantChars(message) / CHARS_PER_TOKEN);
    case "bashExecution":
      return Math.ceil((message.command.length + message.output.length) / CHARS_PER_TOKEN);
    case "compactionSummary":
    case "branchSummary":
      return Math.ceil(message.summary.length / CHARS_PER_TOKEN);
    default:
      return 0;
  }
}

/** Tokens of a text that is no message (system prompt, tool list), by the same rule. */
export function estimateTextTokens(text: string): number {
  return Math.ceil(text.length / CHARS_PER_TOKEN);
}

/** The context that a reply's usage stands for: its total, or the sum of its parts where the total is 0. */
export function calculateContextTokens(usage: Usage): number {
  return usage.totalTokens || usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
}

/** Usage of a reply, where it is one that can be believed: neither failed nor aborted, finite and above zero. */
export function usableUsage(message: AgentMessage | undefined): number {
  if (message?.role !== "assistant" || message.stopReason === "error" || message.stopReason === "aborted") return 0;
  if (!message.usage || message.usage.estimated === true) return 0;
  const tokens = calculateContextTokens(message.usage);
  return Number.isFinite(tokens) && tokens > 0 ? tokens : 0;
}

/**
 * Tokens of a context: the usage of the last good reply plus an estimate of what follows it, or an estimate of all.
 * @param trustedFrom replies before this index had another context (before a compaction or a context edit), so that
 *   their usage says nothing (behaviours §4).
 */
export function estimateContextTokens(messages: readonly AgentMessage[], trustedFrom = 0): ContextTokens {
  let lastUsageIndex: number | null = null;
  let usageTokens = 0;
  for (let index = messages.length - 1; index >= trustedFrom; index--) {
    usageTokens = usableUsage(messages[index]);
    if (usageTokens > 0) {
      lastUsageIndex = index;
      break;
    }
  }
  let trailingTokens = 0;
  for (const message of messages.slice(lastUsageIndex === null ? 0 : lastUsageIndex + 1)) {
    trailingTokens += estimateTokens(message);
  }
  return { tokens: usageTokens + trailingTokens, usageTokens, trailingTokens, lastUsageIndex };
}
