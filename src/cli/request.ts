// `request FILE --api …`: the messages that the next request would carry, after repair, in the provider's own form.
import { convertToLlm } from "../core/llm/messages.ts";
import type { Api, Model } from "../core/llm/model.ts";
import type { LlmContext, StreamOptions } from "../core/llm/stream.ts";
import { messagesBody } from "../providers/anthropic-messages.ts";
import { type RepairOptions, repairHistory } from "../providers/history-repair.ts";
import { chatBody } from "../providers/openai-chat-body.ts";
import { responsesBody } from "../providers/openai-responses-body.ts";
import { quirksOf } from "../providers/server-quirks.ts";
import { type Arguments, UsageError } from "./arguments.ts";
import { openFile } from "./open-file.ts";

const APIS: Readonly<Record<string, { api: Api; repair: RepairOptions }>> = {
  anthropic: { api: "anthropic-messages", repair: { idStyle: "anthropic", resultImages: "inline" } },
  "openai-responses": { api: "openai-responses", repair: { idStyle: "responses", resultImages: "inline" } },
  "openai-chat": { api: "openai-completions", repair: { idStyle: "chat", resultImages: "after" } },
};

/** Throws UsageError for an unknown API. Sends nothing. */
export async function requestMessages(args: Arguments): Promise<unknown> {
  const wanted = APIS[String(args.options.get("api"))];
  if (wanted === undefined) throw new UsageError(`--api is one of ${Object.keys(APIS).join(", ")}`);
  const session = await openFile(args.positional[0]!);
  try {
    const context = await session.buildContext();
    // Thinking and signatures stay where the session's own model made them; the window is not what is asked about.
    const model: Model = {
      id: context.model?.modelId ?? "model",
      name: context.model?.modelId ?? "model",
      api: wanted.api,
      provider: context.model?.provider ?? "provider",
      baseUrl: "",
      thinkingLevels: ["off"],
      input: ["text", "image"],
      contextWindow: Number.MAX_SAFE_INTEGER,
      maxTokens: 4096,
    };
    const request: LlmContext = { systemPrompt: "", tools: [], messages: convertToLlm(context.messages) };
    const { messages } = repairHistory(model, request, wanted.repair);
    const options: StreamOptions = {
      signal: new AbortController().signal,
      thinkingLevel: "off",
      routingId: session.id,
      cacheRetention: "none",
    };
    if (wanted.api === "anthropic-messages") return messagesBody(model, request, options, messages).messages;
    if (wanted.api === "openai-responses") return responsesBody(model, request, options, messages).input;
    return chatBody(model, request, options, messages, quirksOf(model)).messages;
  } finally {
    await session.close();
  }
}
