// Puts the native side of the tree together: Session Tree, Sessions, and the commands that belong to them.
import * as vscode from "vscode";
import { toError } from "../core/errors.ts";
import type { Shell } from "../core/ports.ts";
import type { Session } from "../core/session/session.ts";
import { leafThrough } from "../core/session/siblings.ts";
import type { BranchComparisonPanel } from "./branch-comparison-panel.ts";
import type { BranchMapPanel } from "./branch-map-panel.ts";
import { CHAT_PANEL_TYPE, type ChatView } from "./chat-view.ts";
import { entryIdOf } from "./commands/register.ts";
import type { CompactionPreview } from "./compaction-preview.ts";
import type { Configuration } from "./configuration.ts";
import type { ContextInspector, InspectorServices } from "./context-inspector.ts";
import type { Documents } from "./documents.ts";
import type { EntryActions } from "./entry-actions.ts";
import type { OpenSession } from "./open-session.ts";
import { reportError } from "./report-error.ts";
import { recordRepository } from "./repository-identity.ts";
import type { SessionActions, SessionRepos } from "./session-actions.ts";
import { sessionListCommands } from "./session-list-commands.ts";
import { SessionListView } from "./session-list-view.ts";
import type { SessionService } from "./session-service.ts";
import { SessionTreeView } from "./session-tree-view.ts";
import { type Handler, neededEntry, neededSession, treeCommands } from "./tree-commands.ts";

export interface TreeServices {
  extensionUri: vscode.Uri;
  sessions: SessionService;
  sessionActions: SessionActions;
  entryActions: EntryActions;
  chat: ChatView;
  documents: Documents;
  configuration: Configuration;
  repos: SessionRepos;
  shell: Shell;
  /** Opens a session file to read in it. */
  openFile: (path: string) => Promise<Session>;
  previewRequest: InspectorServices["previewRequest"];
  state: vscode.Memento;
  log: vscode.LogOutputChannel;
}

/** Registers views and commands. `sessionsChanged` is for whoever adds or removes session files. */
export function registerTree(services: TreeServices): vscode.Disposable & { sessionsChanged: () => void } {
  const { sessions, log, shell } = services;
  const onError = (error: unknown) => void reportError(log, error, "tree");
  const tree = new SessionTreeView(
    sessions,
    { filter: () => services.configuration.treeFilter(), state: services.state, log },
    onError,
  );
  const list = new SessionListView(sessions, services.sessionActions);
  // Tabs that most windows never open are loaded when they are asked for.
  const loaded: vscode.Disposable[] = [];
  const once = <T extends vscode.Disposable>(load: () => Promise<T>) => {
    let made: Promise<T> | undefined;
    return () => {
      made ??= load().then((part) => {
        loaded.push(part);
        return part;
      });
      return made;
    };
  };
  const preview = once<CompactionPreview>(async () => {
    const module = await import("./compaction-preview.ts");
    return new module.CompactionPreview(services.documents, () => services.chat.reveal(true));
  });
  const inspector = once<ContextInspector>(async () => {
    const module = await import("./context-inspector.ts");
    return new module.ContextInspector({ ...services, onError });
  });
  const comparison = once<BranchComparisonPanel>(async () => {
    const module = await import("./branch-comparison-panel.ts");
    return new module.BranchComparisonPanel({ ...services, onError });
  });
  const map = once<BranchMapPanel>(async () => {
    const module = await import("./branch-map-panel.ts");
    return new module.BranchMapPanel({ ...services, onError });
  });
  // Tabs come back with the window; one whose session or branch is gone by then closes.
  const returning = (
    type: string,
    load: () => Promise<{ restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> }>,
  ) =>
    vscode.window.registerWebviewPanelSerializer(type, {
      deserializeWebviewPanel: async (panel, state) => {
        try {
          await (await load()).restore(panel, state);
        } catch (error) {
          log.info(`A tab did not come back: ${toError(error).message}`);
          panel.dispose();
        }
      },
    });
  const serializers = [
    returning("coppice.inspector", inspector),
    returning("coppice.comparison", comparison),
    returning("coppice.branchMap", map),
    returning(CHAT_PANEL_TYPE, async () => services.chat),
  ];
  const handlers: Record<string, Handler> = {
    ...treeCommands({ ...services, tree }),
    "coppice.inspectContext": async () => (await inspector()).open(neededSession(sessions)),
    "coppice.branchMap": async () => (await map()).open(neededSession(sessions)),
    // In the title of the tree they are given the focused row, which they are not about.
    "coppice.previewCompaction": async () => (await preview()).preview(neededSession(sessions)),
    "coppice.previewBeforeHere": async (argument) => {
      const { open, entryId } = neededEntry({ sessions, tree }, argument);
      return (await preview()).preview(open, entryId);
    },
    "coppice.compactPreviewed": async (choice) => (await preview()).carryOut(choice),
    "coppice.showCut": async () => (await preview()).showCut(),
    "coppice.closePreview": async () => (await preview()).closePreview(),
    "coppice.applyDraft": async () => (await preview()).applyDraft(),
    "coppice.redoCompaction": async () => {
      const { redoCompaction } = await import("./redo-compaction.ts");
      await redoCompaction(neededSession(sessions), services.entryActions);
    },
    "coppice.compareCompaction": async (argument) => {
      const open = neededSession(sessions);
      // The palette names none: the one that the branch in the chat goes on from.
      const id = entryIdOf(open, argument) ?? open.session.nearestOfType("compaction", open.visibleLeafId);
      if (id === undefined) throw new Error(vscode.l10n.t("There is no compaction on this branch."));
      return (await preview()).compare(open, id);
    },
    "coppice.compareBranches": async (argument) => {
      const open = neededSession(sessions);
      const given = entryIdOf(open, argument);
      const other = given !== undefined && leafThrough(open.session, given) !== open.session.getLeafId();
      const entryId = other ? given : await services.entryActions.pickEntry(open);
      if (entryId !== undefined) await (await comparison()).open(open, entryId);
    },
    ...sessionListCommands({ ...services, list, onError }),
  };
  const commands = Object.entries(handlers).map(([id, handler]) =>
    vscode.commands.registerCommand(id, async (...args: unknown[]) => {
      try {
        return await handler(...args);
      } catch (error) {
        await reportError(log, error, id);
        return undefined;
      }
    }),
  );
  // A new session tells its repository with its first prompt.
  const recorded = new WeakSet<OpenSession>();
  const watch = sessions.onDidChangeCurrent((open) => {
    if (open === undefined || recorded.has(open)) return;
    recorded.add(open);
    recordRepository(open, shell, (error) => log.warn(`The repository was not recorded: ${String(error)}`));
  });
  const all = vscode.Disposable.from(tree, list, watch, ...serializers, ...commands);
  return { dispose: () => vscode.Disposable.from(all, ...loaded).dispose(), sessionsChanged: () => list.refreshSoon() };
}
