// The body of a Messages request: converted history, cache marks, thinking and limits.
import type {
  BetaContentBlockParam,
  BetaMessageParam,
  BetaThinkingConfigParam,
  MessageCreateParamsStreaming,
} from "@anthropic-ai/sdk/resources/beta/messages/messages";
import type { ImageContent, Message, TextContent } from "../core/llm/messages.ts";
import { clampThinkingLevel, type Model, type ThinkingLevel } from "../core/llm/model.ts";
import type { LlmContext, StreamOptions } from "../core/llm/stream.ts";
import { replyLimit } from "./request-budget.ts";
import { wireSchema } from "./tool-schemas.ts";

/** Beta that lets the server drop thinking whose conversation has changed, instead of refusing (providers §1). */
export const BINDING_BETA = "thinking-binding-controls-2026-08-01";

const EPHEMERAL = { type: "ephemeral" } as const;
/** A mark reaches back 20 blocks; a second one this much earlier covers turns with many calls. */
const SECOND_MARK_DISTANCE = 15;

/** What `Model.compat` may say of a Claude model. */
interface AnthropicCompat {
  /** `adaptive` with effort, or `budget` in tokens (4.5 and before). */
  thinking?: "adaptive" | "budget";
  /** Thinking is bound to the exact earlier input (5.1 Fable and 5.5 onwards). */
  thinkingBinding?: boolean;
}

/** Builds the body; the history must be repaired. */
export function messagesBody(
  model: Model,
  context: LlmContext,
  options: StreamOptions,
  history: readonly Message[],
): Omit<MessageCreateParamsStreaming, "betas"> {
  const compat = (model.compat ?? {}) as AnthropicCompat;
  const marked = options.cacheRetention === "short";
  const messages = toMessages(history);
  if (marked) markMessages(messages);
  const maxTokens = replyLimit(model, context, options);
  const body: Omit<MessageCreateParamsStreaming, "betas"> = {
    model: model.id,
    max_tokens: maxTokens,
    messages,
    stream: true,
  };
  if (context.systemPrompt.trim() !== "") {
    const text = context.systemPrompt.toWellFormed();
    body.system = [{ type: "text", text, ...(marked ? { cache_control: EPHEMERAL } : {}) }];
  }
  if (context.tools.length > 0) {
    body.tools = context.tools.map((tool, index) => ({
      name: tool.name,
      description: tool.description,
      input_schema: wireSchema(tool) as { type: "object" },
      ...(marked && index === context.tools.length - 1 ? { cache_control: EPHEMERAL } : {}),
    }));
  }
  const level = clampThinkingLevel(model, options.thinkingLevel);
  const thinking = thinkingOf(model, compat, level, maxTokens);
  if (thinking !== undefined) body.thinking = thinking;
  if (thinking?.type === "adaptive") body.output_config = { effort: effortOf(level) };
  return body;
}

function thinkingOf(
  model: Model,
  compat: AnthropicCompat,
  level: ThinkingLevel,
  maxTokens: number,
): BetaThinkingConfigParam | undefined {
  if (model.thinkingLevels.every((known) => known === "off")) return undefined;
  const adaptive = compat.thinking !== "budget";
  // Where "off" is not among the levels, the model refuses `disabled`, and clamping has raised the level already.
  if (level === "off") return adaptive ? { type: "disabled" } : undefined;
  const binding =
    compat.thinkingBinding === true ? { block_binding: { prefix_mismatch_behavior: "drop_block" as const } } : {};
  if (adaptive) return { type: "adaptive", display: "summarized", ...binding };
  const budget = Math.min(BUDGETS[level], maxTokens - 1_024);
  return budget >= 1_024 ? { type: "enabled", budget_tokens: budget } : undefined;
}

const BUDGETS: Record<Exclude<ThinkingLevel, "off">, number> = {
  minimal: 1_024,
  low: 4_096,
  medium: 10_240,
  high: 20_480,
  xhigh: 32_768,
};

function effortOf(level: ThinkingLevel): "low" | "medium" | "high" | "xhigh" {
  return level === "medium" || level === "high" || level === "xhigh" ? level : "low";
}

function toMessages(history: readonly Message[]): BetaMessageParam[] {
  const messages: BetaMessageParam[] = [];
  for (const message of history) {
    const role = message.role === "assistant" ? "assistant" : "user";
    const blocks = toBlocks(message);
    const last = messages.at(-1);
    // Results of one turn, and what the person said after them, are one user message on this wire.
    if (last?.role === role && Array.isArray(last.content)) for (const block of blocks) last.content.push(block);
    else messages.push({ role, content: blocks });
  }
  return messages;
}

function toBlocks(message: Message): BetaContentBlockParam[] {
  if (message.role === "user") {
    return typeof message.content === "string"
      ? [{ type: "text", text: message.content }]
      : message.content.map(toBlock);
  }
  if (message.role === "toolResult") {
    const content = message.content.map(toBlock);
    return [
      { type: "tool_result", tool_use_id: message.toolCallId, content, ...(message.isError ? { is_error: true } : {}) },
    ];
  }
  return message.content.map((part): BetaContentBlockParam => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type === "toolCall") return { type: "tool_use", id: part.id, name: part.name, input: part.arguments };
    const signature = part.thinkingSignature ?? "";
    return part.redacted === true
      ? { type: "redacted_thinking", data: signature }
      : { type: "thinking", thinking: part.thinking, signature };
  });
}

function toBlock(part: TextContent | ImageContent) {
  return part.type === "text"
    ? { type: "text" as const, text: part.text }
    : {
        type: "image" as const,
        source: { type: "base64" as const, media_type: part.mimeType as "image/png", data: part.data },
      };
}

/** Marks the last block and one about 15 blocks earlier; with tools and system that makes the allowed four. */
function markMessages(messages: BetaMessageParam[]): void {
  const blocks = messages.flatMap(({ content }) => (Array.isArray(content) ? content : []));
  const markable = blocks.map((block, index) => ({ block, index })).filter(({ block }) => canBeMarked(block));
  const last = markable.at(-1);
  if (last === undefined) return;
  const earlier = markable.findLast(({ index }) => index <= last.index - SECOND_MARK_DISTANCE);
  for (const mark of [last, earlier]) {
    if (mark !== undefined) (mark.block as { cache_control?: typeof EPHEMERAL }).cache_control = EPHEMERAL;
  }
}

function canBeMarked(block: BetaContentBlockParam): boolean {
  return block.type === "text" || block.type === "image" || block.type === "tool_use" || block.type === "tool_result";
}
