// What of the messages of a conversation no model is sent, whichever it is.
import type { AssistantMessage } from "./messages.ts";

/** True for assistant messages whose calls are never sent: those that an error or the person cut off (§5.2). */
export function callsAreVoid(message: AssistantMessage): boolean {
  return message.stopReason === "error" || message.stopReason === "aborted";
}

/**
 * False for assistant messages of which nothing is sent: failed ones, because an error says nothing that a model should
 * read; and those of thinking alone, which no provider takes. What a person stopped was on the screen and stays (§5.2).
 */
export function sendsAnything(message: AssistantMessage): boolean {
  if (message.stopReason === "error") return false;
  return (message.content ?? []).some(
    (part) =>
      (part.type === "text" && typeof part.text === "string" && part.text.trim() !== "") ||
      (part.type === "toolCall" && !callsAreVoid(message)),
  );
}
