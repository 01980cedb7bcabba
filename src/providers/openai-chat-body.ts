// The body of a Chat Completions request for OpenAI and the many servers that speak its dialects.
import type { AssistantMessage, ImageContent, Message, TextContent } from "../core/llm/messages.ts";
import { contentText, toolCallsOf } from "../core/llm/messages.ts";
import { clampThinkingLevel, type Model } from "../core/llm/model.ts";
import type { LlmContext, StreamOptions } from "../core/llm/stream.ts";
import { replyLimit } from "./request-budget.ts";
import type { ServerQuirks } from "./server-quirks.ts";
import { wireSchema } from "./tool-schemas.ts";

export type ChatBody = Record<string, unknown> & { messages: Record<string, unknown>[] };

/** Builds the body; the history must be repaired. Keys stand in a fixed order, so that prefixes stay byte-equal. */
export function chatBody(
  model: Model,
  context: LlmContext,
  options: StreamOptions,
  history: readonly Message[],
  quirks: ServerQuirks,
): ChatBody {
  const messages: Record<string, unknown>[] = [];
  if (context.systemPrompt.trim() !== "") {
    messages.push({ role: quirks.systemRole, content: context.systemPrompt.toWellFormed() });
  }
  for (const message of history) messages.push(toMessage(message, quirks));
  const body: ChatBody = { model: model.id, messages, stream: true };
  if (quirks.streamOptions) body.stream_options = { include_usage: true };
  if (context.tools.length > 0) {
    body.tools = context.tools.map((tool) => ({
      type: "function",
      function: { name: tool.name, description: tool.description, parameters: wireSchema(tool) },
    }));
  } else if (quirks.emptyTools && history.some((message) => message.role === "toolResult")) {
    body.tools = [];
  }
  body[quirks.maxTokensField] = replyLimit(model, context, options);
  if (quirks.cacheKey && options.cacheRetention === "short") body.prompt_cache_key = options.routingId.slice(0, 64);
  addThinking(body, model, options, quirks);
  return body;
}

function addThinking(body: ChatBody, model: Model, options: StreamOptions, quirks: ServerQuirks): void {
  if (model.thinkingLevels.every((level) => level === "off")) return;
  const level = clampThinkingLevel(model, options.thinkingLevel);
  const on = level !== "off";
  if (quirks.thinkingFormat === "openai") body.reasoning_effort = on ? level : "none";
  else if (quirks.thinkingFormat === "openrouter") body.reasoning = on ? { effort: level } : { enabled: false };
  else if (quirks.thinkingFormat === "deepseek" || quirks.thinkingFormat === "zai") {
    body.thinking = { type: on ? "enabled" : "disabled" };
  } else if (quirks.thinkingFormat === "qwen") body.enable_thinking = on;
}

function toMessage(message: Message, quirks: ServerQuirks): Record<string, unknown> {
  if (message.role === "toolResult") {
    return { role: "tool", tool_call_id: message.toolCallId, content: contentText(message.content) };
  }
  if (message.role === "user") return { role: "user", content: userContent(message.content) };
  return toAssistant(message, quirks);
}

function userContent(content: string | (TextContent | ImageContent)[]): unknown {
  if (typeof content === "string") return content;
  if (content.every((part) => part.type === "text")) return content.map((part) => part.text).join("\n\n");
  return content.map((part) =>
    part.type === "text"
      ? { type: "text", text: part.text }
      : { type: "image_url", image_url: { url: `data:${part.mimeType};base64,${part.data}` } },
  );
}

function toAssistant(message: AssistantMessage, quirks: ServerQuirks): Record<string, unknown> {
  const calls = toolCallsOf(message);
  const text = contentText(message.content);
  // Plain string content: lists are refused by many templates.
  const out: Record<string, unknown> = { role: "assistant", content: text === "" && calls.length > 0 ? null : text };
  const thinking = message.content.find((part) => part.type === "thinking");
  if (quirks.replaysReasoningDetails && thinking?.thinkingSignature !== undefined) {
    const details = reasoningDetails(thinking.thinkingSignature);
    if (details !== undefined) out.reasoning_details = details;
  }
  if (quirks.requiresReasoningContent && calls.length > 0) out.reasoning_content = thinking?.thinking ?? "";
  if (calls.length > 0) {
    out.tool_calls = calls.map((call) => ({
      id: call.id,
      type: "function",
      function: { name: call.name, arguments: JSON.stringify(call.arguments) },
    }));
  }
  return out;
}

function reasoningDetails(signature: string): unknown[] | undefined {
  try {
    const { reasoning_details: details } = JSON.parse(signature) as { reasoning_details?: unknown };
    return Array.isArray(details) ? details : undefined;
  } catch {
    return undefined;
  }
}

/**
 * A body that may be taken after a refusal that names one of its fields, or undefined. Tried once: without
 * `stream_options`, with the other limit's name, or with a smaller limit (providers §2, §4).
 */
export function amendedBody(body: ChatBody, status: number | undefined, text: string): ChatBody | undefined {
  if (status !== 400 && status !== 422) return undefined;
  if ("stream_options" in body && /stream_options|include_usage/i.test(text)) {
    const { stream_options: _, ...rest } = body;
    return rest as ChatBody;
  }
  const limit = "max_tokens" in body ? "max_tokens" : "max_completion_tokens";
  const other = limit === "max_tokens" ? "max_completion_tokens" : "max_tokens";
  if (
    new RegExp(`use '?${other}'?`, "i").test(text) ||
    /unsupported parameter: '?max_(completion_)?tokens/i.test(text)
  ) {
    const { [limit]: value, ...rest } = body;
    return { ...rest, [other]: value } as ChatBody;
  }
  if (/max_(completion_|output_|new_)?tokens[^.]{0,60}(is|are) too (large|high)/i.test(text)) {
    const allowed = allowedReply(text, Number(body[limit]));
    return allowed === undefined ? undefined : { ...body, [limit]: allowed };
  }
  return undefined;
}

/** The reply limit that such a refusal allows: the stated maximum, or the window less the stated input. */
function allowedReply(text: string, asked: number): number | undefined {
  const stated = /at most (\d+)/i.exec(text)?.[1];
  const window = /maximum context length is (\d+)/i.exec(text)?.[1];
  const input = /(?:has|have|with|resulted in) (\d+) (?:input )?tokens/i.exec(text)?.[1];
  const allowed =
    stated !== undefined
      ? Number(stated)
      : window !== undefined && input !== undefined
        ? Number(window) - Number(input)
        : undefined;
  return allowed !== undefined && allowed >= 256 && allowed < asked ? allowed : undefined;
}
