// Messages of old, imported or damaged files brought to the shape that the rest of the core relies on (behaviours §10, 20).
import { type AgentMessage, emptyUsage, type Usage } from "../llm/messages.ts";

type Json = Record<string, unknown>;

function isRecord(value: unknown): value is Json {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isPart(value: unknown): value is Json {
  if (!isRecord(value)) return false;
  switch (value.type) {
    case "text":
      return typeof value.text === "string";
    case "thinking":
      return typeof value.thinking === "string";
    case "image":
      return typeof value.data === "string" && typeof value.mimeType === "string";
    case "toolCall":
      return typeof value.id === "string" && typeof value.name === "string";
    default:
      return typeof value.type === "string";
  }
}

/** Text as it is, a list without what are no parts, null as nothing; undefined where it is neither. */
export function normaliseContent(content: unknown): string | Json[] | undefined {
  if (typeof content === "string") return content;
  if (content === null || content === undefined) return [];
  if (!Array.isArray(content)) return undefined;
  return content.every(isPart) ? content : content.filter(isPart);
}

function parts(content: unknown): Json[] {
  const normal = normaliseContent(content) ?? [];
  if (typeof normal === "string") return normal === "" ? [] : [{ type: "text", text: normal }];
  for (const part of normal) if (part.type === "toolCall" && !isRecord(part.arguments)) part.arguments = {};
  return normal;
}

const COUNTS = ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const;
const COSTS = ["input", "output", "cacheRead", "cacheWrite", "total"] as const;

function isCount(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value >= 0;
}

/** Counts that are missing, negative or no numbers become 0. */
function normaliseUsage(usage: unknown): Usage {
  if (!isRecord(usage)) return emptyUsage();
  const cost = isRecord(usage.cost) ? usage.cost : {};
  for (const key of COUNTS) if (!isCount(usage[key])) usage[key] = 0;
  for (const key of COSTS) if (typeof cost[key] !== "number" || !Number.isFinite(cost[key])) cost[key] = 0;
  usage.cost = cost;
  return usage as unknown as Usage;
}

function text(message: Json, ...keys: string[]): void {
  for (const key of keys) if (typeof message[key] !== "string") message[key] = "";
}

/**
 * Changes a parsed message in place where its shape is not what `AgentMessage` says; unknown keys stay. Undefined where it
 * is no message at all. `time` is for messages that have none of their own (ISO 8601).
 */
export function normaliseMessage(message: unknown, time?: string): AgentMessage | undefined {
  if (!isRecord(message) || typeof message.role !== "string") return undefined;
  if (typeof message.timestamp !== "number") message.timestamp = Date.parse(time ?? "") || 0;
  switch (message.role) {
    case "user":
    case "custom":
      message.content = normaliseContent(message.content) ?? [];
      if (message.role === "custom") text(message, "customType");
      break;
    case "assistant":
      message.content = parts(message.content);
      message.usage = normaliseUsage(message.usage);
      text(message, "api", "provider", "model");
      if (typeof message.stopReason !== "string") message.stopReason = "stop";
      break;
    case "toolResult":
      message.content = parts(message.content);
      text(message, "toolCallId", "toolName");
      message.isError = message.isError === true;
      break;
    case "bashExecution":
      text(message, "command", "output");
      break;
    case "branchSummary":
    case "compactionSummary":
      text(message, "summary");
      break;
    default:
      break;
  }
  return message as unknown as AgentMessage;
}
