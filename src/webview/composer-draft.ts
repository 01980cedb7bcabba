// Decides what stays in the composer: what was typed after a message was sent, and whether one may be sent at all.
import type { ChatState } from "../protocol/view-state.ts";
import { t } from "./strings.ts";

/** What remains of the text once `sent` was taken: all that was typed since. */
export function remainingText(sent: string, now: string): string {
  if (now === sent) return "";
  return now.startsWith(sent) ? now.slice(sent.length).replace(/^\s+/, "") : now;
}

/** Why nothing can be sent now, in words; empty where it can. */
export function sendRefusal(chat: ChatState | null): string {
  if (!chat) return t("Loading…");
  if (!chat.trusted) return t("Sending is off in Restricted Mode.");
  if (chat.session?.readOnlyReason) return chat.session.readOnlyReason;
  if (!chat.model) return t("Choose a model first.");
  return "";
}

/** True while a message would join a run instead of starting one. */
export function isRunning(chat: ChatState | null): boolean {
  return chat !== null && chat.phase !== "idle";
}

/** Commands that complete what stands behind the first slash; undefined where no command is being typed. */
export function slashMatches(
  text: string,
  commands: ChatState["slashCommands"],
): ChatState["slashCommands"] | undefined {
  const typed = /^\/([\w:-]*)$/.exec(text)?.[1]?.toLowerCase();
  if (typed === undefined) return undefined;
  const found = commands.filter((command) => command.name.replace(/^\//, "").toLowerCase().startsWith(typed));
  return found.length > 0 ? found.slice(0, 12) : undefined;
}
