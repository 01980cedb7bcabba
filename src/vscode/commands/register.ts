// Commands: id to handler. Arguments of menus are taken only where they name something that exists.
import * as vscode from "vscode";
import type { ChatController } from "../chat-controller.ts";
import type { ChatView } from "../chat-view.ts";
import type { EntryActions } from "../entry-actions.ts";
import type { ModelPicker } from "../model-picker.ts";
import type { ModelService } from "../model-service.ts";
import type { OpenSession } from "../open-session.ts";
import { reportError } from "../report-error.ts";
import type { SessionActions } from "../session-actions.ts";
import type { SessionService } from "../session-service.ts";
import { selectionAttachment } from "./add-selection.ts";

export interface CommandServices {
  sessions: SessionService;
  chat: ChatView;
  controller: ChatController;
  sessionActions: SessionActions;
  entryActions: EntryActions;
  models: ModelService;
  /** Loaded with the first choice. */
  picker: () => Promise<ModelPicker>;
  log: vscode.LogOutputChannel;
}

type Handler = (...args: unknown[]) => unknown;

/** The id in a menu's argument, a tree element or a plain id; undefined unless the session has such an entry. */
export function entryIdOf(open: OpenSession, argument: unknown): string | undefined {
  const id =
    typeof argument === "string"
      ? argument
      : typeof argument === "object" && argument !== null
        ? (argument as { entryId?: unknown }).entryId
        : undefined;
  return typeof id === "string" && open.session.node(id) !== undefined ? id : undefined;
}

function needSession(sessions: SessionService): OpenSession {
  const open = sessions.current;
  if (open === undefined) throw new Error(vscode.l10n.t("No session is open."));
  return open;
}

/** What a summary should pay attention to; undefined where the person turned away. */
function askFocus(title: string): Thenable<string | undefined> {
  return vscode.window.showInputBox({
    title,
    ignoreFocusOut: true,
    prompt: vscode.l10n.t("What should the summary pay attention to? Leave empty for nothing in particular."),
  });
}

function handlers(services: CommandServices): Record<string, Handler> {
  const { sessions, chat, controller, sessionActions, entryActions, models, picker, log } = services;
  /** The entry that a command is about: given by a menu, or picked. */
  const entry = async (open: OpenSession, argument: unknown) =>
    entryIdOf(open, argument) ?? (await entryActions.pickEntry(open));
  const withEntry =
    (action: (open: OpenSession, entryId: string) => Promise<void>): Handler =>
    async (argument) => {
      const open = needSession(sessions);
      const id = await entry(open, argument);
      if (id !== undefined) await action(open, id);
    };
  return {
    "coppice.newSession": async () => {
      if (!(await sessionActions.newSession())) return;
      await chat.reveal();
      chat.host?.post({ type: "composer.focus" });
    },
    "coppice.openSession": async () => {
      if ((await sessionActions.pickAndOpen()) !== undefined) await chat.reveal();
    },
    "coppice.renameSession": () => sessionActions.rename(needSession(sessions)),
    "coppice.deleteSession": async () => {
      const open = needSession(sessions);
      if (open.session.file !== undefined) {
        await sessionActions.delete(open.session.file, open.title ?? open.session.id);
      }
    },
    "coppice.forkSession": async (argument) => {
      const open = needSession(sessions);
      const forked = await sessionActions.fork(open, entryIdOf(open, argument));
      await chat.reveal(true);
      return forked;
    },
    "coppice.exportSession": () => sessionActions.export(needSession(sessions)),
    "coppice.importSession": () => sessionActions.import(),
    "coppice.openInEditor": () => {
      chat.openInEditor(needSession(sessions));
    },
    "coppice.compact": async () => {
      const open = needSession(sessions);
      const focus = await askFocus(vscode.l10n.t("Compact"));
      if (focus !== undefined) await entryActions.compact(open, focus);
    },
    // A button in the title of the tree is given the focused row, which it is not about: these two take no argument.
    "coppice.undoCompaction": () => entryActions.undoCompaction(needSession(sessions)),
    "coppice.navigate": async () => {
      const open = needSession(sessions);
      const id = await entryActions.pickEntry(open);
      if (id === undefined) return;
      await chat.reveal(true);
      open.showAt(id);
    },
    "coppice.showEntry": withEntry(async (open, id) => {
      await chat.reveal(true);
      open.showAt(id);
    }),
    "coppice.continueFromHere": withEntry((open, id) => entryActions.continueFrom(open, id, { summarize: false })),
    "coppice.continueWithSummary": withEntry(async (open, id) => {
      const customInstructions = await askFocus(
        vscode.l10n.t("Continue from here, with a summary of the branch that is left"),
      );
      if (customInstructions === undefined) return;
      await entryActions.continueFrom(open, id, {
        summarize: true,
        ...(customInstructions === "" ? {} : { customInstructions }),
      });
    }),
    "coppice.draftBranchSummary": withEntry(async (open, id) => {
      const focus = await askFocus(vscode.l10n.t("Write a summary of the branch that is left, and edit it first"));
      if (focus !== undefined) await entryActions.draftSummary(open, id, focus);
    }),
    "coppice.attachSummary": async () => (await entryActions.summaryDrafts).attach(),
    "coppice.discardSummary": async () => (await entryActions.summaryDrafts).discard(),
    "coppice.editAndResend": withEntry(async (open, id) => {
      await chat.reveal();
      await entryActions.editAndResend(open, id);
    }),
    "coppice.label": withEntry((open, id) => entryActions.label(open, id)),
    "coppice.copyEntry": withEntry((open, id) => entryActions.copy(open, id)),
    "coppice.stop": () => controller.stop(sessions.current),
    "coppice.retry": () => needSession(sessions).harness.continueRun(),
    "coppice.selectModel": async () => {
      const model = await (await picker()).pick(sessions.current?.harness.model ?? models.chosen);
      if (model !== undefined) await sessions.current?.harness.setModel(model);
    },
    "coppice.selectThinkingLevel": () => controller.pickThinking(sessions.current),
    "coppice.manageProviders": async () => {
      const model = await (await picker()).manage();
      if (model !== undefined) await sessions.current?.harness.setModel(model);
    },
    "coppice.addSelectionToChat": async () => {
      const attachment = selectionAttachment(vscode.window.activeTextEditor);
      if (attachment === undefined) {
        void vscode.window.showInformationMessage(vscode.l10n.t("Open a file of the workspace to add it to the chat."));
        return;
      }
      const host = await chat.reveal();
      if (host === undefined) return;
      host.attachments = [...host.attachments.filter((known) => known.id !== attachment.id), attachment];
      host.refreshFrame();
      host.post({ type: "composer.focus" });
    },
    "coppice.showLog": () => log.show(),
    "coppice.openSettings": () =>
      vscode.commands.executeCommand("workbench.action.openSettings", "@ext:coppice.coppice"),
  };
}

/** Registers every command; an error is shown once, with the log at hand. */
export function registerCommands(services: CommandServices, extra: Record<string, Handler> = {}): vscode.Disposable[] {
  return Object.entries({ ...handlers(services), ...extra }).map(([id, handler]) =>
    vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        return await handler(...args);
      } catch (error) {
        await reportError(services.log, error, id);
        return undefined;
      }
    }),
  );
}
