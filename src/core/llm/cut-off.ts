// A reply that was being written when its session was closed: the window was reloaded, the editor quit.
import type { AssistantMessage } from "./messages.ts";

/** Stands in `errorMessage`: the format tells no more of such a reply than of one that a person stopped. */
const CUT_OFF = "The session was closed before this reply was complete.";

/** The part of a reply that had come when the session closed, as it is saved. */
export function asCutOff(message: AssistantMessage): AssistantMessage {
  return { ...message, errorMessage: CUT_OFF };
}

/** True for replies that nobody stopped: to be gone on with, and not to be called a person's decision. */
export function isCutOff(message: Pick<AssistantMessage, "stopReason" | "errorMessage">): boolean {
  return message.stopReason === "aborted" && message.errorMessage === CUT_OFF;
}
