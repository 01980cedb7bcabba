// Commands on rows of the Sessions view: open, rename, delete, fork, export, search, adopt.
import * as vscode from "vscode";
import type { Shell } from "../core/ports.ts";
import type { ChatView } from "./chat-view.ts";
import type { OpenSession } from "./open-session.ts";
import { repositoryIdentity } from "./repository-identity.ts";
import { ago, type SessionActions, type SessionRepos, sessionTitle } from "./session-actions.ts";
import type { ListNode, SessionListView, SessionNode } from "./session-list-view.ts";
import { pickBySearch, type SearchServices } from "./session-search.ts";
import type { SessionService } from "./session-service.ts";
import type { Handler } from "./tree-commands.ts";

export interface SessionListServices extends SearchServices {
  sessions: SessionService;
  sessionActions: SessionActions;
  list: SessionListView;
  chat: ChatView;
  repos: SessionRepos;
  shell: Shell;
}

function isSession(node: unknown): node is SessionNode {
  return typeof node === "object" && node !== null && (node as Partial<ListNode>).kind === "session";
}

/** The rows that a command is about: the menu's, or the focused one, first; with the selection where it is part of it. */
async function chosen({ list }: SessionListServices, node: unknown, nodes?: unknown): Promise<SessionNode[]> {
  const first = node ?? (await list.focused());
  if (!isSession(first)) return [];
  const many = (Array.isArray(nodes) ? nodes : list.selection).filter(isSession);
  return many.includes(first) ? [first, ...many.filter((one) => one !== first)] : [first];
}

export function sessionListCommands(services: SessionListServices): Record<string, Handler> {
  const { sessions, sessionActions, list, chat } = services;
  const withOpened =
    (action: (open: OpenSession) => unknown): Handler =>
    async (node, nodes) => {
      const [first] = await chosen(services, node, nodes);
      if (first === undefined) return;
      await action(await sessions.open(first.thread.session.path));
      list.refresh();
    };
  const open = async (node: SessionNode | undefined) => {
    if (node === undefined) return;
    await sessionActions.open(node.thread.session.path);
    await chat.reveal(true);
  };
  return {
    "coppice.sessions.open": async (node) => open((await chosen(services, node))[0]),
    "coppice.sessions.openRow": async () => {
      const node = await list.opened();
      if (isSession(node)) await open(node);
    },
    "coppice.sessions.openInEditor": withOpened((open) => chat.openInEditor(open)),
    "coppice.sessions.rename": withOpened((open) => sessionActions.rename(open)),
    "coppice.sessions.fork": withOpened(async (open) => {
      await sessionActions.fork(open);
      await chat.reveal(true);
    }),
    "coppice.sessions.export": withOpened((open) => sessionActions.export(open)),
    "coppice.sessions.delete": async (node, nodes) => {
      const picked = await chosen(services, node, nodes);
      if (picked.length === 1) {
        const { session } = picked[0]!.thread;
        await sessionActions.delete(session.path, sessionTitle(session));
      } else if (picked.length > 1) {
        await sessionActions.deleteMany(picked.map((one) => one.thread.session.path));
      }
      list.refresh();
    },
    "coppice.sessions.refresh": () => list.refresh(),
    "coppice.searchSessions": async () => {
      const found = await pickBySearch(services);
      if (found === undefined) return;
      const open = await sessionActions.open(found.path);
      await chat.reveal(true);
      await open.session.ready();
      if (found.entryId !== undefined) open.show(found.entryId);
    },
    "coppice.adoptSessions": () => adopt(services),
  };
}

/** Offers the sessions of the same repository whose own folder is gone. */
async function adopt({ sessionActions, repos, shell, list }: SessionListServices): Promise<void> {
  const cwd = await sessionActions.neededFolder();
  if (cwd === undefined) return;
  const moved = await vscode.window.withProgress(
    { location: { viewId: "coppice.sessions" }, title: vscode.l10n.t("Looking for sessions of a moved folder…") },
    async () => repos.own().findMoved(cwd, await repositoryIdentity(shell, cwd)),
  );
  if (moved.length === 0) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("No session belongs to this repository and to a folder that is gone."),
    );
    return;
  }
  const picked = await vscode.window.showQuickPick(
    moved.map((session) => ({
      label: sessionTitle(session),
      description: ago(session.activeMs),
      detail: session.adoptedCwd ?? session.cwd,
      picked: true,
      path: session.path,
    })),
    {
      title: vscode.l10n.t("Sessions of a Folder That Was Moved"),
      placeHolder: vscode.l10n.t("Those chosen will belong to {0}", cwd),
      canPickMany: true,
      matchOnDetail: true,
    },
  );
  for (const session of picked ?? []) await repos.own().adopt(session.path, cwd);
  list.refresh();
}
