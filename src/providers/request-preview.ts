// The next request as it stands before hooks, without sending it and without loading an SDK.
import type { Model } from "../core/llm/model.ts";
import type { LlmContext, StreamOptions } from "../core/llm/stream.ts";
import { messagesBody } from "./anthropic-messages.ts";
import { type RepairedHistory, repairHistory } from "./history-repair.ts";
import { ollamaBody } from "./ollama.ts";
import { chatBody } from "./openai-chat-body.ts";
import { responsesBody } from "./openai-responses-body.ts";
import { repairOptionsOf } from "./repair-options.ts";
import { quirksOf } from "./server-quirks.ts";
import { wireTools } from "./tool-names.ts";

export interface RequestPreview {
  /** The whole body, as it would be serialised. */
  body: unknown;
  /** The conversation inside it, in the wire's own form. */
  messages: readonly unknown[];
  history: RepairedHistory;
}

/** Builds the body of a model's wire; for the editor's models and the demo, the repaired messages themselves. */
export function previewRequest(
  model: Model,
  given: LlmContext,
  options: Partial<Pick<StreamOptions, "thinkingLevel" | "routingId" | "cacheRetention" | "maxTokens">> = {},
): RequestPreview {
  const context = { ...given, tools: wireTools(given.tools).tools };
  const history = repairHistory(model, context, repairOptionsOf(model));
  const full: StreamOptions = {
    signal: new AbortController().signal,
    thinkingLevel: "off",
    routingId: "preview",
    cacheRetention: "short",
    ...options,
  };
  switch (model.api) {
    case "anthropic-messages": {
      const body = messagesBody(model, context, full, history.messages);
      return { body, messages: body.messages, history };
    }
    case "openai-responses": {
      const body = responsesBody(model, context, full, history.messages);
      return { body, messages: Array.isArray(body.input) ? body.input : [], history };
    }
    case "openai-completions": {
      const body = chatBody(model, context, full, history.messages, quirksOf(model));
      return { body, messages: body.messages, history };
    }
    case "ollama-chat": {
      const body = ollamaBody(model, context, full, history.messages);
      return { body, messages: body.messages as unknown[], history };
    }
    default:
      return { body: { ...context, messages: history.messages }, messages: history.messages, history };
  }
}
