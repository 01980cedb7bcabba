// Short code for sessions: messages, counted ids and a clock that only moves when told.
import type { AssistantMessage, ToolResultMessage, UserMessage } from "../../src/core/llm/messages.ts";
import { emptyUsage } from "../../src/core/llm/messages.ts";
import type { Clock, Ids } from "../../src/core/ports.ts";

export const EPOCH = Date.parse("2026-01-02T03:04:05.000Z");

/** Advances one millisecond a call. */
export function countingClock(start = EPOCH): Clock {
  let now = start;
  return { now: () => now++ };
}

/** Entry ids 00000001, 00000002…; session ids end in a counter. */
export function countingIds(): Ids {
  let entry = 0;
  let session = 0;
  return {
    sessionId: () => `01900000-0000-7000-8000-${String(++session).padStart(12, "0")}`,
    entryId(taken) {
      let id: string;
      do id = (++entry).toString(16).padStart(8, "0");
      while (taken(id));
      return id;
    },
  };
}

export function user(text: string, timestamp = EPOCH): UserMessage {
  return { role: "user", content: text, timestamp };
}

export function assistant(text: string, extra: Partial<AssistantMessage> = {}): AssistantMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text }],
    api: "anthropic-messages",
    provider: "anthropic",
    model: "model-a",
    usage: emptyUsage(),
    stopReason: "stop",
    timestamp: EPOCH,
    ...extra,
  };
}

export function toolCall(id: string, name = "read", args: Record<string, unknown> = { path: "a.ts" }) {
  return assistant("", { content: [{ type: "toolCall", id, name, arguments: args }], stopReason: "toolUse" });
}

export function toolResult(toolCallId: string, text: string): ToolResultMessage {
  return {
    role: "toolResult",
    toolCallId,
    toolName: "read",
    content: [{ type: "text", text }],
    isError: false,
    timestamp: EPOCH,
  };
}
