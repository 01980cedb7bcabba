// What the person sends: a slash command, a message into a running turn, or a prompt from where they look.
import * as vscode from "vscode";
import type { FromWebview } from "../protocol/from-webview.ts";
import type { ChatHost } from "./chat-host.ts";
import type { Configuration } from "./configuration.ts";
import { type EntryActions, messageOf } from "./entry-actions.ts";
import type { ModelService } from "./model-service.ts";
import type { OpenSession } from "./open-session.ts";
import type { SessionActions } from "./session-actions.ts";
import type { SessionService } from "./session-service.ts";
import type { Notify } from "./session-watch.ts";
import { restrictedWords } from "./workspace-trust.ts";

type PromptSubmit = Extract<FromWebview, { type: "prompt.submit" }>;

export interface SubmissionServices {
  sessions: SessionService;
  models: ModelService;
  configuration: Configuration;
  sessionActions: SessionActions;
  entryActions: EntryActions;
  /** Expands prompt templates and skills named by a slash command; undefined where it names none. */
  expandSlash: (text: string, open: OpenSession) => Promise<string | undefined>;
  notice: Notify;
  chooseModel: (open: OpenSession | undefined) => Promise<void>;
}

/** Messages that are remembered after they were taken: a page asks again within seconds, if at all. */
const MAX_TAKEN = 100;

export class PromptSubmission {
  readonly #services: SubmissionServices;
  /** By submit id: on its way, or taken. One that was refused may come again. */
  readonly #known = new Map<string, "sending" | "taken">();

  constructor(services: SubmissionServices) {
    this.#services = services;
  }

  /** Takes what the page sends, once: a page that heard no answer may send the same message again. */
  async submit(message: PromptSubmit, host: ChatHost, open: OpenSession | undefined): Promise<void> {
    const { submitId } = message;
    const refuse = (reason: string) => {
      this.#known.delete(submitId);
      host.post({ type: "prompt.refused", submitId, reason });
    };
    const accept = () => {
      this.#known.set(submitId, "taken");
      host.post({ type: "prompt.accepted", submitId });
    };
    const before = this.#known.get(submitId);
    if (before === "taken") return accept();
    if (before === "sending") return;
    this.#known.set(submitId, "sending");
    if (this.#known.size > MAX_TAKEN) this.#known.delete(this.#known.keys().next().value!);
    try {
      if (await this.#slash(message.text, open, accept)) return;
      if (!vscode.workspace.isTrusted) return refuse(restrictedWords());
      let target = open;
      if (target === undefined) {
        const cwd = await this.#services.sessionActions.folder();
        if (cwd === undefined) {
          // Who closes the question which folder it is for knows why nothing was sent.
          if (this.#services.sessionActions.hasFolder) return refuse("");
          return refuse(vscode.l10n.t("Open a folder first: Coppice works on the files of a folder."));
        }
        target = await this.#services.sessions.create(cwd);
        this.#services.sessions.setCurrent(target);
      }
      if (target.session.readOnlyReason !== undefined) return refuse(target.session.readOnlyReason);
      const { chosen, chosenLevel } = this.#services.models;
      if (target.harness.model === undefined && chosen !== undefined) {
        await target.harness.setModel(chosen);
        await target.harness.setThinkingLevel(chosenLevel);
      }
      if (target.harness.model === undefined) return refuse(vscode.l10n.t("Choose a model first."));
      const text = (await this.#services.expandSlash(message.text, target)) ?? message.text;
      const images = message.images.map(({ mimeType, data }) => ({ type: "image" as const, mimeType, data }));
      const full = withAttachments(text, host.attachments);
      if (full.trim() === "" && images.length === 0) return refuse(vscode.l10n.t("The message is empty."));
      if (target.phase !== "idle" && target.shownLeafId !== undefined) {
        return refuse(vscode.l10n.t("The session is busy elsewhere. From this point it can go on when that is over."));
      }
      if (target.phase !== "idle") {
        if (message.mode === "steer") target.harness.steer(full, images);
        else target.harness.followUp(full, images);
        host.attachments = [];
        return accept();
      }
      // Sending from a point that is being looked at moves there first (product.md "Looking is not moving").
      if (target.shownLeafId !== undefined) {
        const { summary, instructions, edit } = message.leaving ?? {
          summary: this.#services.configuration.askSummary() === "always" ? "standard" : "none",
          instructions: "",
        };
        if (summary !== "none" && edit === true) {
          const focus = summary === "custom" ? instructions : "";
          await this.#services.entryActions.draftSummary(target, target.shownLeafId, focus);
          return refuse(
            vscode.l10n.t("Nothing was sent yet: attach the summary or discard it first, then send the message."),
          );
        }
        const options = {
          summarize: summary !== "none",
          ...(summary === "custom" && instructions.trim() !== "" ? { customInstructions: instructions } : {}),
        };
        if (!(await this.#services.entryActions.moveTo(target, target.shownLeafId, options))) {
          return refuse(vscode.l10n.t("The position did not move, so nothing was sent."));
        }
      }
      // The composer keeps the words until they can no longer be lost.
      let taken = false;
      const onTaken = () => {
        taken = true;
        host.attachments = [];
        accept();
      };
      const { harness } = target;
      await this.run(target, async () => {
        try {
          await harness.prompt(full, images, onTaken);
        } catch (error) {
          if (taken) throw error;
          refuse(messageOf(error) ?? vscode.l10n.t("Cancelled."));
        }
      });
    } catch (error) {
      refuse(messageOf(error) ?? vscode.l10n.t("Cancelled."));
    } finally {
      // Neither taken nor refused: it may come again.
      if (this.#known.get(submitId) === "sending") this.#known.delete(submitId);
    }
  }

  /** Runs and tells of failures where the person looks. */
  async run(open: OpenSession, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      const text = messageOf(error);
      const again = { id: "retry", title: vscode.l10n.t("Try Again") };
      if (text !== undefined) this.#services.notice(open, "error", text, [again]);
    }
    this.#services.sessions.rememberCurrent();
  }

  async #slash(text: string, open: OpenSession | undefined, accept: () => void): Promise<boolean> {
    const match = /^\/(\w+)(?:\s+([\s\S]*))?$/.exec(text.trim());
    if (match === null) return false;
    const argument = match[2] ?? "";
    const { entryActions, sessionActions } = this.#services;
    switch (match[1]) {
      case "compact":
        if (open === undefined) return false;
        accept();
        await this.run(open, () => entryActions.compact(open, argument));
        return true;
      case "tree":
        accept();
        await vscode.commands.executeCommand("coppice.navigate");
        return true;
      case "new":
        accept();
        await sessionActions.newSession();
        return true;
      case "fork":
        if (open === undefined) return false;
        accept();
        await sessionActions.fork(open);
        return true;
      case "undo":
        if (open === undefined) return false;
        accept();
        await this.run(open, () => entryActions.undoCompaction(open));
        return true;
      case "name":
        if (open === undefined) return false;
        accept();
        if (argument === "") await sessionActions.rename(open);
        else await open.session.appendSessionName(argument);
        open.notifyChanged();
        return true;
      case "model":
        accept();
        await this.#services.chooseModel(open);
        return true;
      default:
        return false;
    }
  }
}

/** The prompt with what the person attached in front, as the entry keeps it (providers §5.12). */
export function withAttachments(text: string, attachments: readonly { text: string }[]): string {
  if (attachments.length === 0) return text;
  return `${attachments.map((attachment) => attachment.text).join("\n\n")}\n\n${text}`;
}
