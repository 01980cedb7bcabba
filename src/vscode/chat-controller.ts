// What the chat asks, done: one message of the page to one call.
import * as vscode from "vscode";
import { assertNever, toError } from "../core/errors.ts";
import type { FromWebview } from "../protocol/from-webview.ts";
import type { ChatChoices } from "./chat-choices.ts";
import type { ChatHost } from "./chat-host.ts";
import type { ChatOpeners } from "./chat-openers.ts";
import type { Configuration } from "./configuration.ts";
import { type EntryActions, messageOf } from "./entry-actions.ts";
import type { KeptDrafts } from "./kept-drafts.ts";
import type { KeptWords, Picture, WordsServices } from "./kept-words.ts";
import type { ModelPicker } from "./model-picker.ts";
import type { ModelService } from "./model-service.ts";
import type { OpenSession } from "./open-session.ts";
import type { PromptSubmission, SubmissionServices } from "./prompt-submission.ts";
import type { SessionActions } from "./session-actions.ts";
import type { SessionService } from "./session-service.ts";
import type { Notify, SessionWatch } from "./session-watch.ts";

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
  words: WordsServices;
  expandSlash: SubmissionServices["expandSlash"];
}

/** What is loaded with the first session. */
interface Parts {
  words: KeptWords;
  drafts: KeptDrafts;
  watch: SessionWatch;
  prompts: PromptSubmission;
  choices: ChatChoices;
}

type Message<T extends FromWebview["type"]> = Extract<FromWebview, { type: T }>;

export class ChatController {
  readonly #services: ControllerServices;
  #loaded: Promise<Parts> | undefined;

  constructor(services: ControllerServices) {
    this.#services = services;
  }

  get #parts(): Promise<Parts> {
    this.#loaded ??= this.#load();
    return this.#loaded;
  }

  async #load(): Promise<Parts> {
    const [{ KeptWords }, { KeptDrafts }, { SessionWatch }, { PromptSubmission }, { ChatChoices }] = await Promise.all([
      import("./kept-words.ts"),
      import("./kept-drafts.ts"),
      import("./session-watch.ts"),
      import("./prompt-submission.ts"),
      import("./chat-choices.ts"),
    ]);
    const choices = new ChatChoices(this.#services);
    const notice: Notify = (...note) => this.notice(...note);
    const words = new KeptWords(this.#services.words);
    return {
      words,
      drafts: new KeptDrafts(this.#services.words.state),
      choices,
      watch: new SessionWatch({ ...this.#services, words, notice }),
      prompts: new PromptSubmission({
        ...this.#services,
        notice,
        chooseModel: (open) => choices.chooseModel(open),
      }),
    };
  }

  /** Puts words and pictures of the person into the composer of the session's chat, behind what stands there. */
  async offerText(open: OpenSession, text: string, images?: readonly Picture[]): Promise<void> {
    await (await this.#parts).words.offer(open, text, images);
  }

  /** A page shows a session: what belongs into its composer is handed to it. */
  shown(host: ChatHost): void {
    const { open } = host;
    const hand = ({ drafts, words }: Parts) => {
      const key = open === undefined || open.isBlank ? "" : open.session.id;
      if (host.open === open) drafts.tell(key, host.isTab, (message) => host.post(message));
      if (open !== undefined) words.deliver(open);
    };
    this.#parts.then(hand).catch((error) => this.#services.log.error(toError(error)));
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

  /** Turns what a session's harness tells into notes of its conversation; nothing is missed while that is loaded. */
  watch(open: OpenSession): void {
    const tell = (action: (watch: SessionWatch) => Promise<void> | void) => {
      this.#parts.then(({ watch }) => action(watch)).catch((error) => this.#services.log.error(toError(error)));
    };
    tell((watch) => watch.opened(open));
    open.onEvent((event) => tell((watch) => watch.hear(open, event)));
    open.session.onDidChange((change) => tell((watch) => watch.changed(open, change)));
  }

  /** A note in the conversation, with the log at hand for errors; returns its id. */
  notice(
    open: OpenSession,
    level: "info" | "warning" | "error",
    text: string,
    actions: { id: string; title: string }[] = [],
  ): string {
    const hasLog = actions.some(({ id }) => id === "log");
    const all = level === "error" && !hasLog ? [...actions, { id: "log", title: vscode.l10n.t("Show Log") }] : actions;
    return open.live.notice({ level, text, actions: all }, this.#services.now());
  }

  async #dispatch(message: FromWebview, host: ChatHost, open: OpenSession | undefined): Promise<void> {
    const { sessions, openers, sessionActions, entryActions, log } = this.#services;
    switch (message.type) {
      case "view.ready":
      case "page.older":
        return; // The host's own business.
      case "prompt.submit":
        return await (await this.#parts).prompts.submit(message, host, open);
      case "run.stop":
      case "progress.cancel":
        return this.stop(open);
      case "run.retry":
        return await open?.harness.continueRun();
      case "queue.remove":
        if (open !== undefined) await (await this.#parts).words.removeQueued(open, message.id);
        return;
      case "draft.changed":
        return (await this.#parts).drafts.changed(message, host.isTab);
      case "composer.done":
        if (open !== undefined) await (await this.#parts).words.done(open, message.id);
        return;
      case "approval.answer":
        if (open?.approvals.answer(message.nonce, message.decision) !== true) {
          log.warn("An approval with an unknown nonce was dropped.");
        }
        return;
      case "approvals.setMode":
        return await (await this.#parts).choices.setMode(message.mode);
      case "diff.open":
        return await (await openers()).diff(open, message.callId);
      case "output.open":
        return await (await openers()).output(open, message.callId);
      case "branch.show":
        if (open?.session.node(message.entryId) !== undefined) open.show(message.entryId);
        return;
      case "branch.compare":
        if (typeof open?.shownLeafId !== "string") return;
        sessions.setCurrent(open);
        await vscode.commands.executeCommand("coppice.compareBranches", open.shownLeafId);
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
        if (open === undefined) return;
        await sessionActions.fork(open, message.entryId);
        // The fork is in the side bar, which need not be open beside a tab.
        if (host.isTab) await vscode.commands.executeCommand("coppice.chat.focus");
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
        return await (await this.#parts).choices.setUp(message.choiceId, open);
      case "model.pick":
        return await (await this.#parts).choices.chooseModel(open);
      case "thinking.pick":
        return await this.pickThinking(open);
      case "session.new":
        await sessionActions.newSession();
        return;
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
      case "trust.manage":
        await vscode.commands.executeCommand("workbench.trust.manage");
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

  /** Stops what is on; queued messages go back into the composer (see `watch`). */
  stop(open: OpenSession | undefined): void {
    open?.harness.abort();
  }

  async pickThinking(open: OpenSession | undefined): Promise<void> {
    await (await this.#parts).choices.pickThinking(open);
  }

  async #noticeAction(message: Message<"notice.action">, open: OpenSession | undefined): Promise<void> {
    switch (message.actionId) {
      case "log":
        return this.#services.log.show(true);
      case "retry":
        open?.live.dismiss(message.itemId);
        if (open !== undefined) await (await this.#parts).prompts.run(open, () => open.harness.continueRun());
        return;
      case "model":
        return await (await this.#parts).choices.chooseModel(open);
      case "save":
        await open?.harness.save();
        open?.live.dismiss(message.itemId);
        return;
      case "export":
        if (open !== undefined) await this.#services.sessionActions.export(open);
        return;
      case "rename":
        if (open !== undefined) await this.#services.sessionActions.rename(open);
        return;
      case "openSource":
        if (open !== undefined) await this.#services.sessionActions.openSource(open);
        return;
      case "showAdded":
        if (open !== undefined) (await this.#parts).watch.showAdded(open);
        return;
      case "providers":
        await vscode.commands.executeCommand("coppice.manageProviders");
        return;
      case "compact":
        if (open !== undefined) await this.#services.entryActions.compact(open, "");
        return;
      case "resumeCompaction":
        await open?.harness.resumeAutoCompaction();
        open?.live.dismiss(message.itemId);
        return;
      default:
        return;
    }
  }
}
