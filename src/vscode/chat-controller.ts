// What the chat asks, done: one message of the page to one call.
import * as vscode from "vscode";
import { assertNever, HarnessError } from "../core/errors.ts";
import type { HarnessEvent } from "../core/harness/harness-events.ts";
import { messageText } from "../core/harness/session-memory.ts";
import type { AgentMessage } from "../core/llm/messages.ts";
import { isVisible, visibleParent } from "../core/session/siblings.ts";
import type { FromWebview } from "../protocol/from-webview.ts";
import type { ChatHost } from "./chat-host.ts";
import type { ChatOpeners } from "./chat-openers.ts";
import type { Configuration } from "./configuration.ts";
import { type EntryActions, messageOf } from "./entry-actions.ts";
import type { ModelPicker } from "./model-picker.ts";
import type { ModelService } from "./model-service.ts";
import type { SessionActions } from "./session-actions.ts";
import type { OpenSession, SessionService } from "./session-service.ts";

export interface ControllerServices {
  sessions: SessionService;
  models: ModelService;
  /** Loaded with the first choice. */
  picker: () => Promise<ModelPicker>;
  configuration: Configuration;
  /** Loaded with the first thing that is opened. */
  openers: () => Promise<ChatOpeners>;
  sessionActions: SessionActions;
  entryActions: EntryActions;
  log: vscode.LogOutputChannel;
  now: () => number;
  /** Puts words and pictures of the person back into the composer, behind what stands there. */
  giveBack: (open: OpenSession, text: string, images: { mimeType: string; data: string }[]) => Promise<void>;
  /** Expands prompt templates and skills named by a slash command; undefined where it names none. */
  expandSlash: (text: string, open: OpenSession) => Promise<string | undefined>;
}

/** Events that may become a note of the conversation; the words for them are loaded with the first. */
const TOLD: ReadonlySet<HarnessEvent["type"]> = new Set([
  "run_failed",
  "save_failed",
  "model_unavailable",
  "window_learned",
  "compaction_end",
]);

type Message<T extends FromWebview["type"]> = Extract<FromWebview, { type: T }>;

export class ChatController {
  readonly #services: ControllerServices;

  constructor(services: ControllerServices) {
    this.#services = services;
  }

  async handle(message: FromWebview, host: ChatHost): Promise<void> {
    const open = host.open;
    try {
      await this.#dispatch(message, host, open);
    } catch (error) {
      const text = messageOf(error);
      if (text === undefined) return;
      this.#services.log.error(error as Error);
      if (open === undefined) void vscode.window.showErrorMessage(text);
      else this.notice(open, "error", text);
    }
  }

  /** Turns what a session's harness tells into notes of its conversation. */
  watch(open: OpenSession): void {
    open.onEvent((event) => {
      if (event.type === "queue_returned") {
        const returned = event.items.map(({ message }) => message);
        void this.#services.giveBack(open, returned.map(messageText).join("\n\n"), returned.flatMap(imagesOf));
      }
      if (TOLD.has(event.type)) {
        void import("./session-notices.ts").then(({ noticeFor }) => {
          const notice = noticeFor(event);
          if (notice !== undefined) open.live.notice(notice, this.#services.now());
        });
      }
      if (event.type === "compaction_end" && event.entryId !== undefined) {
        this.#services.log.info(
          `Compaction (${event.reason}): ${event.tokensBefore} → about ${event.tokensAfter} tokens.`,
        );
      }
    });
    void open.session
      .ready()
      .then(async () => {
        this.#tellInterruption(open);
        const bad = open.session.badLines();
        if (bad.length === 0) return;
        for (const { line, reason } of bad.slice(0, 50)) {
          this.#services.log.warn(`${open.session.file} line ${line}: ${reason}`);
        }
        const { damageNotice } = await import("./session-notices.ts");
        const notice = damageNotice(bad);
        if (notice !== undefined) open.live.notice(notice, this.#services.now());
      })
      .catch((error) => this.#services.log.error(error));
    open.session.onDidChange((change) => {
      if (!change.external) return;
      if (change.appended.length === 0) {
        const changed = vscode.l10n.t(
          "Another program changed the session file. What is shown is what the file holds now; the rest is no longer there.",
        );
        open.live.notice({ level: "warning", text: changed, actions: [] }, this.#services.now());
        return;
      }
      const text = vscode.l10n.t(
        "Another window or program added {0} entries to this session. Both are kept; the tree shows them.",
        change.appended.length,
      );
      open.live.notice({ level: "info", text, actions: [] }, this.#services.now());
    });
  }

  /** A session that was closed or killed in mid-run says so when it is opened; nothing is run again by itself. */
  #tellInterruption(open: OpenSession): void {
    const { session } = open;
    const leafId = session.getLeafId();
    if (leafId === null || open.phase !== "idle") return;
    const node = session.node(leafId);
    const last = node !== undefined && isVisible(node) ? leafId : visibleParent(session, leafId);
    const role = last === null ? undefined : session.node(last)?.role;
    if (role !== "user" && role !== "toolResult") return;
    this.notice(open, "info", vscode.l10n.t("The last run did not come to its end. Nothing was run again."), [
      { id: "retry", title: vscode.l10n.t("Go On") },
    ]);
  }

  /** A note in the conversation, with the log at hand for errors. */
  notice(
    open: OpenSession,
    level: "info" | "warning" | "error",
    text: string,
    actions: { id: string; title: string }[] = [],
  ): void {
    const all = level === "error" ? [...actions, { id: "log", title: vscode.l10n.t("Show Log") }] : actions;
    open.live.notice({ level, text, actions: all }, this.#services.now());
  }

  async #dispatch(message: FromWebview, host: ChatHost, open: OpenSession | undefined): Promise<void> {
    const { sessions, picker, openers, sessionActions, entryActions, log } = this.#services;
    switch (message.type) {
      case "view.ready":
      case "page.older":
        return; // The host's own business.
      case "prompt.submit":
        return await this.#submit(message, host, open);
      case "run.stop":
      case "progress.cancel":
        return this.stop(open);
      case "run.retry":
        return await open?.harness.continueRun();
      case "queue.remove":
        open?.harness.removeQueued(message.id);
        return;
      case "approval.answer":
        if (open?.approvals.answer(message.nonce, message.decision) !== true) {
          log.warn("An approval with an unknown nonce was dropped.");
        }
        return;
      case "approvals.setMode":
        return await this.#setMode(message.mode);
      case "diff.open":
        return await (await openers()).diff(open, message.callId);
      case "output.open":
        return await (await openers()).output(open, message.callId);
      case "branch.show":
        if (open?.session.node(message.entryId) !== undefined) open.show(message.entryId);
        return;
      case "branch.leave":
        open?.show(undefined);
        return;
      case "branch.continue": {
        if (open?.shownLeafId === undefined) return;
        const summarize = message.summary !== "none";
        if (summarize && message.edit === true) {
          await entryActions.draftSummary(
            open,
            open.shownLeafId,
            message.summary === "custom" ? message.instructions : "",
          );
          return;
        }
        const focus = message.summary === "custom" ? { customInstructions: message.instructions } : {};
        return await entryActions.continueFrom(open, open.shownLeafId, { summarize, ...focus });
      }
      case "message.edit":
        return open === undefined ? undefined : await entryActions.editAndResend(open, message.entryId);
      case "entry.copy":
        return open === undefined ? undefined : await entryActions.copy(open, message.entryId);
      case "entry.fork":
        if (open !== undefined) await sessionActions.fork(open, message.entryId);
        return;
      case "entry.label":
        if (open !== undefined) await entryActions.label(open, message.entryId);
        host.snapshot();
        return;
      case "compact.start":
        return open === undefined ? undefined : await entryActions.compact(open, message.instructions);
      case "compact.undo":
        return open === undefined ? undefined : await entryActions.undoCompaction(open, message.entryId);
      case "preview.close":
        await vscode.commands.executeCommand("coppice.closePreview");
        return;
      case "summary.open":
        return open === undefined ? undefined : await entryActions.openSummary(open, message.entryId);
      case "notice.action":
        return await this.#noticeAction(message, open);
      case "setup.choose":
        if (message.choiceId === "sample") {
          await vscode.commands.executeCommand("coppice.openSample");
          return;
        }
        return await this.#useModel(await (await picker()).setUp(message.choiceId), open);
      case "model.pick":
        return await this.#useModel(
          await (await picker()).pick(open?.harness.model ?? this.#services.models.chosen),
          open,
        );
      case "thinking.pick":
        return await this.pickThinking(open);
      case "session.new":
        return await this.#newSession();
      case "session.pick":
        await sessionActions.pickAndOpen();
        return;
      case "context.inspect":
        await vscode.commands.executeCommand("coppice.inspectContext");
        return;
      case "attachment.remove":
        host.attachments = host.attachments.filter((attachment) => attachment.id !== message.id);
        return host.refreshFrame();
      case "attachment.add":
        await vscode.commands.executeCommand("coppice.addSelectionToChat");
        return;
      case "file.open":
        return await (await openers()).file(message.path, message.line, open);
      case "files.dropped":
        for (const uri of message.uris) await (await openers()).attach(uri, host);
        return;
      case "link.open":
        return await (await openers()).link(message.url);
      case "code.copy":
        await vscode.env.clipboard.writeText(message.text);
        return;
      case "code.insert":
        await vscode.window.activeTextEditor?.edit((edit) => {
          const editor = vscode.window.activeTextEditor;
          if (editor !== undefined) edit.replace(editor.selection, message.text);
        });
        return;
      case "log.show":
        log.show(true);
        return;
      case "view.focus":
        await vscode.commands.executeCommand("setContext", "coppice.chatFocused", message.focused);
        if (message.focused && host.open !== undefined && sessions.current === host.open) host.open.seen();
        return;
      default:
        return assertNever(message);
    }
  }

  // ---- prompts

  async #submit(message: Message<"prompt.submit">, host: ChatHost, open: OpenSession | undefined): Promise<void> {
    const refuse = (reason: string) => host.post({ type: "prompt.refused", submitId: message.submitId, reason });
    const accept = () => host.post({ type: "prompt.accepted", submitId: message.submitId });
    try {
      if (await this.#slash(message.text, open, accept)) return;
      if (!vscode.workspace.isTrusted) {
        return refuse(vscode.l10n.t("This workspace is restricted. Trust it to let Coppice work in it."));
      }
      let target = open;
      if (target === undefined) {
        const cwd = await this.#services.sessionActions.folder();
        if (cwd === undefined)
          return refuse(vscode.l10n.t("Open a folder first: Coppice works on the files of a folder."));
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
      await this.#run(target, async () => {
        try {
          await harness.prompt(full, images, onTaken);
        } catch (error) {
          if (taken) throw error;
          refuse(messageOf(error) ?? vscode.l10n.t("Cancelled."));
        }
      });
    } catch (error) {
      refuse(messageOf(error) ?? vscode.l10n.t("Cancelled."));
    }
  }

  /** Runs and tells of failures where the person looks. */
  async #run(open: OpenSession, run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      const text = messageOf(error);
      if (text !== undefined) this.notice(open, "error", text, [{ id: "retry", title: vscode.l10n.t("Try Again") }]);
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
        await this.#run(open, () => entryActions.compact(open, argument));
        return true;
      case "tree":
        accept();
        await vscode.commands.executeCommand("coppice.navigate");
        return true;
      case "new":
        accept();
        await this.#newSession();
        return true;
      case "fork":
        if (open === undefined) return false;
        accept();
        await sessionActions.fork(open);
        return true;
      case "undo":
        if (open === undefined) return false;
        accept();
        await this.#run(open, () => entryActions.undoCompaction(open));
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
        await this.#useModel(await (await this.#services.picker()).pick(open?.harness.model), open);
        return true;
      default:
        return false;
    }
  }

  /** Stops what is on; queued messages go back into the composer (see `watch`). */
  stop(open: OpenSession | undefined): void {
    open?.harness.abort();
  }

  async #newSession(): Promise<void> {
    const open = await this.#services.sessionActions.newSession();
    if (open === undefined) this.#services.sessions.setCurrent(undefined);
  }

  // ---- models

  async #useModel(model: Awaited<ReturnType<ModelPicker["pick"]>>, open: OpenSession | undefined): Promise<void> {
    if (model === undefined) return;
    if (open !== undefined) await open.harness.setModel(model);
  }

  async pickThinking(open: OpenSession | undefined): Promise<void> {
    const model = open?.harness.model ?? this.#services.models.chosen;
    if (model === undefined) throw new HarnessError("auth", vscode.l10n.t("Choose a model first."));
    const current = open?.harness.thinkingLevel ?? this.#services.models.chosenLevel;
    const level = await (await this.#services.picker()).pickLevel(model, current);
    if (level !== undefined) await open?.harness.setThinkingLevel(level);
  }

  async #setMode(mode: Message<"approvals.setMode">["mode"]): Promise<void> {
    if (mode === "all" && this.#services.configuration.approvalsMode() !== "all") {
      const allow = vscode.l10n.t("Allow Everything");
      const answer = await vscode.window.showWarningMessage(
        vscode.l10n.t("Let Coppice change files and run commands without asking?"),
        {
          modal: true,
          detail: vscode.l10n.t(
            "Commands run with your rights and are not confined. Changes outside the workspace, to files that run code or steer agents, and commands that plainly use the network still ask.",
          ),
        },
        allow,
      );
      if (answer !== allow) {
        for (const open of this.#services.sessions.all) open.notifyChanged();
        return;
      }
    }
    await this.#services.configuration.setApprovalsMode(mode);
    for (const open of this.#services.sessions.all) {
      open.approvals.reconsider();
      open.notifyChanged();
    }
  }

  async #noticeAction(message: Message<"notice.action">, open: OpenSession | undefined): Promise<void> {
    switch (message.actionId) {
      case "log":
        return this.#services.log.show(true);
      case "retry":
        open?.live.dismiss(message.itemId);
        if (open !== undefined) await this.#run(open, () => open.harness.continueRun());
        return;
      case "model":
        return await this.#useModel(await (await this.#services.picker()).pick(open?.harness.model), open);
      case "save":
        await open?.harness.save();
        open?.live.dismiss(message.itemId);
        return;
      case "export":
        if (open !== undefined) await this.#services.sessionActions.export(open);
        return;
      case "providers":
        await vscode.commands.executeCommand("coppice.manageProviders");
        return;
      case "compact":
        if (open !== undefined) await this.#services.entryActions.compact(open, "");
        return;
      case "resumeCompaction":
        await open?.harness.resumeAutoCompaction();
        return;
      default:
        return;
    }
  }
}

function imagesOf(message: AgentMessage): { mimeType: string; data: string }[] {
  if (message.role !== "user" || typeof message.content === "string") return [];
  return message.content.flatMap((part) =>
    part.type === "image" ? [{ mimeType: part.mimeType, data: part.data }] : [],
  );
}

/** The prompt with what the person attached in front, as the entry keeps it (providers §5.12). */
export function withAttachments(text: string, attachments: readonly { text: string }[]): string {
  if (attachments.length === 0) return text;
  return `${attachments.map((attachment) => attachment.text).join("\n\n")}\n\n${text}`;
}
