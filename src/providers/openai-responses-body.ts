// The body of a Responses request: items in their order, reasoning replayed whole or not at all.
import type { ResponseCreateParamsStreaming, ResponseInputItem } from "openai/resources/responses/responses";
import type { AssistantMessage, ImageContent, Message, TextContent } from "../core/llm/messages.ts";
import { clampThinkingLevel, type Model } from "../core/llm/model.ts";
import type { LlmContext, StreamOptions } from "../core/llm/stream.ts";
import { replyLimit } from "./request-budget.ts";
import { wireSchema } from "./tool-schemas.ts";

/** Builds the body; the history must be repaired. Nothing is stored at the provider. */
export function responsesBody(
  model: Model,
  context: LlmContext,
  options: StreamOptions,
  history: readonly Message[],
): ResponseCreateParamsStreaming {
  const input: ResponseInputItem[] = [];
  if (context.systemPrompt.trim() !== "") {
    // As the first message, not as `instructions`: those are appended after the input by newer models, which breaks caches.
    input.push({
      role: model.compat?.systemRole === "system" ? "system" : "developer",
      content: context.systemPrompt.toWellFormed(),
    });
  }
  for (const message of history) for (const item of toItems(message)) input.push(item);
  const body: ResponseCreateParamsStreaming = {
    model: model.id,
    input,
    stream: true,
    store: false,
    max_output_tokens: Math.max(16, replyLimit(model, context, options)),
  };
  if (context.tools.length > 0) {
    body.tools = context.tools.map((tool) => ({
      type: "function",
      name: tool.name,
      description: tool.description,
      parameters: wireSchema(tool),
      strict: false,
    }));
  }
  if (options.cacheRetention === "short") body.prompt_cache_key = options.routingId.slice(0, 64);
  if (model.thinkingLevels.some((level) => level !== "off")) {
    const level = clampThinkingLevel(model, options.thinkingLevel);
    body.include = ["reasoning.encrypted_content"];
    body.reasoning = level === "off" ? { effort: "none" } : { effort: level, summary: "auto" };
  }
  return body;
}

function toItems(message: Message): ResponseInputItem[] {
  if (message.role === "assistant") return assistantItems(message);
  if (message.role === "user") {
    const content =
      typeof message.content === "string" ? [{ type: "text" as const, text: message.content }] : message.content;
    return [{ role: "user", content: content.map(toPart) }];
  }
  const images = message.content.some((part) => part.type === "image");
  const output = images
    ? message.content.map(toPart)
    : message.content.map((part) => (part.type === "text" ? part.text : "")).join("\n");
  return [{ type: "function_call_output", call_id: message.toolCallId, output }];
}

function toPart(part: TextContent | ImageContent) {
  return part.type === "text"
    ? { type: "input_text" as const, text: part.text }
    : { type: "input_image" as const, detail: "auto" as const, image_url: `data:${part.mimeType};base64,${part.data}` };
}

function assistantItems(message: AssistantMessage): ResponseInputItem[] {
  const items: ResponseInputItem[] = [];
  for (const part of message.content) {
    if (part.type === "thinking") {
      const item = parsed(part.thinkingSignature);
      if (item?.type === "reasoning") items.push(item as unknown as ResponseInputItem);
    } else if (part.type === "text") {
      const { id, phase } = parsed(part.textSignature) ?? {};
      items.push({
        type: "message",
        role: "assistant",
        status: "completed",
        content: [{ type: "output_text", text: part.text, annotations: [] }],
        ...(typeof id === "string" ? { id } : {}),
        ...(typeof phase === "string" ? { phase } : {}),
      } as ResponseInputItem);
    } else {
      const [call_id = "", id] = part.id.split("|");
      items.push({
        type: "function_call",
        call_id,
        name: part.name,
        arguments: JSON.stringify(part.arguments),
        ...(id === undefined ? {} : { id }),
      });
    }
  }
  return items;
}

function parsed(signature: string | undefined): Record<string, unknown> | undefined {
  if (signature === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(signature);
    return typeof value === "object" && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}
