// Models, contexts and collected streams for tests of the adapters.
import type { AssistantMessage, Message } from "../../src/core/llm/messages.ts";
import type { Api, Model } from "../../src/core/llm/model.ts";
import type {
  LlmContext,
  StreamEvent,
  StreamFailure,
  StreamOptions,
  ToolDefinition,
} from "../../src/core/llm/stream.ts";
import { streamFunctionFor } from "../../src/providers/registry.ts";

export const WIRES: readonly Api[] = ["anthropic-messages", "openai-responses", "openai-completions", "ollama-chat"];

/** A model of the wire that is served at the loopback address. */
export function modelFor(api: Api, url: string, changes: Partial<Model> = {}): Model {
  return {
    id: "test-model",
    name: "Test model",
    api,
    provider: "test",
    baseUrl: api === "openai-responses" || api === "openai-completions" ? `${url}/v1` : url,
    thinkingLevels: ["off", "low", "medium", "high"],
    input: ["text", "image"],
    contextWindow: 200_000,
    maxTokens: 8_000,
    cost: { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
    ...changes,
  };
}

export const READ_TOOL: ToolDefinition = {
  name: "read",
  description: "Reads a file.",
  parameters: { type: "object", properties: { path: { type: "string" } }, required: ["path"] },
};

export function contextOf(messages: readonly Message[], changes: Partial<LlmContext> = {}): LlmContext {
  return { systemPrompt: "You are a coding agent.", messages, tools: [READ_TOOL], ...changes };
}

export const user = (content: string, timestamp = 1): Message => ({ role: "user", content, timestamp });

export const result = (toolCallId: string, text: string, isError = false): Message => ({
  role: "toolResult",
  toolCallId,
  toolName: "read",
  content: [{ type: "text", text }],
  isError,
  timestamp: 2,
});

export interface Collected {
  events: StreamEvent[];
  message: AssistantMessage;
  failure: StreamFailure | undefined;
}

/** Runs one request to its end and checks the contract of streams on the way. */
export async function collect(
  model: Model,
  context: LlmContext,
  changes: Partial<StreamOptions> = {},
): Promise<Collected> {
  const stream = await streamFunctionFor(model.api);
  const events: StreamEvent[] = [];
  const options: StreamOptions = {
    signal: new AbortController().signal,
    apiKey: "test-key-123",
    thinkingLevel: "off",
    routingId: "session-1",
    cacheRetention: "short",
    ...changes,
  };
  for await (const event of stream(model, context, options)) {
    const before = events.at(-1);
    if (before?.type === "done" || before?.type === "error") throw new Error(`${event.type} after the end`);
    events.push(event);
  }
  const last = events.at(-1);
  if (last?.type !== "done" && last?.type !== "error") throw new Error("the stream has no end");
  return { events, message: last.message, failure: last.type === "error" ? last.failure : undefined };
}

/** The text of a message. */
export const textOf = (message: AssistantMessage): string =>
  message.content.map((part) => (part.type === "text" ? part.text : "")).join("");
