// What the harness tells, as notes in the conversation: what happened and what can be done about it.
import * as vscode from "vscode";
import type { HarnessEvent } from "../core/harness/harness-events.ts";
import type { StreamFailure } from "../core/llm/stream.ts";
import { saveFailureWords } from "./save-failure.ts";

export interface Notice {
  level: "info" | "warning" | "error";
  text: string;
  actions: { id: string; title: string }[];
}

const action = {
  askAgain: () => ({ id: "retry", title: vscode.l10n.t("Retry") }),
  retry: () => ({ id: "retry", title: vscode.l10n.t("Try Again") }),
  providers: () => ({ id: "providers", title: vscode.l10n.t("Manage Providers") }),
  model: () => ({ id: "model", title: vscode.l10n.t("Choose a Model") }),
  compact: () => ({ id: "compact", title: vscode.l10n.t("Compact") }),
  log: () => ({ id: "log", title: vscode.l10n.t("Show Log") }),
  save: () => ({ id: "save", title: vscode.l10n.t("Save Again") }),
  export: () => ({ id: "export", title: vscode.l10n.t("Export…") }),
};

/** What to do about a failed request; the reply's own row says in red what happened. */
export function adviceFor(failure: StreamFailure): Notice | undefined {
  switch (failure.kind) {
    case "aborted":
      return undefined;
    case "auth":
      return {
        level: "info",
        text: vscode.l10n.t("The endpoint did not accept the key. Enter it again, or choose another model."),
        actions: [action.providers(), action.model()],
      };
    case "quota":
      return {
        level: "info",
        text: vscode.l10n.t("The account has no credit or quota left. Choose another model, or try again later."),
        actions: [action.model(), action.retry()],
      };
    case "overflow":
      return {
        level: "info",
        text: vscode.l10n.t(
          "The conversation does not fit the model’s window, also after one compaction. Compact with a smaller tail, go back to an earlier point, or choose a model with a larger window.",
        ),
        actions: [action.compact(), action.model()],
      };
    case "rateLimit": {
      const seconds = failure.retryAfterMs === undefined ? undefined : Math.ceil(failure.retryAfterMs / 1000);
      return {
        level: "warning",
        text:
          seconds === undefined
            ? vscode.l10n.t("The endpoint limits the rate of requests. Try again in a while.")
            : vscode.l10n.t("The endpoint asks to wait for {0} s.", seconds),
        actions: [action.retry(), action.model()],
      };
    }
    case "overloaded":
    case "network":
      return {
        level: "info",
        text:
          (failure.status ?? 0) < 400
            ? vscode.l10n.t(
                "The endpoint could not be reached or did not answer to the end. Nothing is lost; try again.",
              )
            : vscode.l10n.t("The endpoint answered with an error of its own. Nothing is lost; try again."),
        actions: [action.retry(), action.providers(), action.log()],
      };
    case "emptyReply":
      return {
        level: "warning",
        text: vscode.l10n.t("The model’s reply came back empty. Your message is kept. Retry, or choose another model."),
        actions: [action.askAgain(), action.model(), action.log()],
      };
    case "notFound":
      return {
        level: "info",
        text: vscode.l10n.t(
          "The endpoint does not know this model. Choose another one, or check the endpoint’s address.",
        ),
        actions: [action.model(), action.providers()],
      };
    case "refusal":
      return {
        level: "warning",
        text: vscode.l10n.t("The model declined to answer. Edit the message and send it again, or go on another way."),
        actions: [],
      };
    default:
      return {
        level: "info",
        text: vscode.l10n.t("The request failed. The log has the details."),
        actions: [action.retry(), action.log()],
      };
  }
}

/** The note for an event, or undefined where the chat shows it otherwise. */
export function noticeFor(event: HarnessEvent): Notice | undefined {
  switch (event.type) {
    case "run_failed":
      return adviceFor(event.failure);
    case "save_failed":
      return {
        level: "error",
        text: vscode.l10n.t(
          "This could not be saved ({0}). It stays in memory; nothing more is sent until it is on disk.",
          saveFailureWords(event.error),
        ),
        actions: [action.save(), action.export(), action.log()],
      };
    case "model_unavailable":
      return {
        level: "warning",
        text: vscode.l10n.t(
          "This session was last used with {0}, which is not available here. The next message goes to the model shown below.",
          `${event.provider}/${event.modelId}`,
        ),
        actions: [action.model(), action.providers()],
      };
    case "model_found":
      return {
        level: "info",
        text: vscode.l10n.t("{0} is available now; the next message goes to it.", event.model.name),
        actions: [],
      };
    case "window_learned":
      return {
        level: "info",
        text: vscode.l10n.t(
          "The server’s real window is {0} tokens; compaction goes by that from now on.",
          event.window.toLocaleString(vscode.env.language),
        ),
        actions: [],
      };
    case "compaction_end":
      if (event.errorMessage !== undefined && event.reason !== "manual") {
        return {
          level: "warning",
          text: vscode.l10n.t(
            "Automatic compaction came to nothing: {0} The conversation is as it was.",
            event.errorMessage,
          ),
          actions: [action.compact(), action.log()],
        };
      }
      if (event.stalled === true) {
        return {
          level: "warning",
          text: vscode.l10n.t(
            "Compaction freed too little: what must be kept is already large. It will not try again by itself on this branch.",
          ),
          actions: [action.compact(), action.model()],
        };
      }
      return undefined;
    default:
      return undefined;
  }
}

/** What a compaction that waits for the person says, with both ways on. */
export function compactionWaitsNotice(): Notice {
  return {
    level: "info",
    text: vscode.l10n.t(
      "The context has grown beyond the limit. Compaction waits for you here, because you undid one on this branch.",
    ),
    actions: [action.compact(), { id: "resumeCompaction", title: vscode.l10n.t("Compact by Itself Again") }],
  };
}

/** What a fork says of itself; `title` is that of the session that it came from. */
export function forkNotice(title: string | undefined): Notice {
  return {
    level: "info",
    text:
      title === undefined
        ? vscode.l10n.t("This is a fork. What is said here leaves the session that it came from as it is.")
        : vscode.l10n.t("This is a fork of “{0}”. What is said here leaves that session as it is.", title),
    actions: [
      { id: "rename", title: vscode.l10n.t("Rename…") },
      { id: "openSource", title: vscode.l10n.t("Open the Original") },
    ],
  };
}

/** Damage that was found while a session was read. */
export function damageNotice(bad: readonly { line: number; reason: string }[]): Notice | undefined {
  const first = bad[0];
  if (first === undefined) return undefined;
  return {
    level: "warning",
    text:
      bad.length === 1
        ? vscode.l10n.t(
            "Line {0} of the session file could not be read ({1}). It is kept as it is; everything else is shown.",
            first.line,
            first.reason,
          )
        : vscode.l10n.t(
            "{0} lines of the session file could not be read (the first is line {1}: {2}). They are kept as they are; everything else is shown.",
            bad.length,
            first.line,
            first.reason,
          ),
    actions: [action.log()],
  };
}
