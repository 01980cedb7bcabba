// The Sessions view: this workspace's sessions by day, forks below what they were forked from.
import * as vscode from "vscode";
import type { OpenSession, SessionStatus } from "./open-session.ts";
import type { ListedSession, SessionActions } from "./session-actions.ts";
import { ago, sessionTitle } from "./session-actions.ts";
import { type Group, groupByDay, type Thread } from "./session-groups.ts";
import type { SessionService } from "./session-service.ts";
import { rowTexts } from "./tree-labels.ts";

export const SESSIONS_VIEW_ID = "coppice.sessions";
/** The list is read again at most this often while sessions grow. */
const REFRESH_MS = 2000;

export type ListNode = { kind: "group"; group: Group } | { kind: "session"; thread: Thread; parent: ListNode };
export type SessionNode = Extract<ListNode, { kind: "session" }>;

export class SessionListView implements vscode.TreeDataProvider<ListNode>, vscode.Disposable {
  readonly #sessions: SessionService;
  readonly #actions: SessionActions;
  readonly #view: vscode.TreeView<ListNode>;
  readonly #changed = new vscode.EventEmitter<ListNode | undefined>();
  readonly #disposables: vscode.Disposable[] = [];
  readonly onDidChangeTreeData = this.#changed.event;
  readonly #nodes = new Map<string, SessionNode>();
  readonly #statuses = new Map<string, string>();
  #timer: NodeJS.Timeout | undefined;

  constructor(sessions: SessionService, actions: SessionActions) {
    this.#sessions = sessions;
    this.#actions = actions;
    this.#view = vscode.window.createTreeView<ListNode>(SESSIONS_VIEW_ID, {
      treeDataProvider: this,
      showCollapseAll: true,
      canSelectMany: true,
    });
    this.#disposables.push(
      this.#view,
      this.#changed,
      sessions.onDidChangeCurrent(() => this.refreshSoon()),
      sessions.onDidChangeSession((open) => this.#sessionChanged(open)),
      this.#view.onDidChangeVisibility(({ visible }) => visible && this.refresh()),
      vscode.window.onDidChangeWindowState(({ focused }) => focused && this.refresh()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("coppice.sessions")) this.refresh();
      }),
    );
  }

  get selection(): readonly ListNode[] {
    return this.#view.selection;
  }

  /** The row that a key is about: the focused one, which need not be selected. */
  async focused(): Promise<ListNode | undefined> {
    return (await (await import("./focused-row.ts")).focusedRow(this.#view)) ?? this.selection[0];
  }

  /** The row that was just clicked, or opened by Enter. */
  async opened(): Promise<ListNode | undefined> {
    return await (await import("./focused-row.ts")).openedRow(this.#view);
  }

  /** Reads the list again, if anybody looks at it. */
  refresh(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#view.visible) this.#changed.fire(undefined);
  }

  refreshSoon(): void {
    this.#timer ??= setTimeout(() => this.refresh(), REFRESH_MS / 10);
  }

  /** A status or a title: one row. Activity: the list a little later, as its order may change. */
  #sessionChanged(open: OpenSession): void {
    const { file } = open.session;
    if (file === undefined) return;
    const state = `${open.status} ${open.title ?? ""}`;
    if (this.#statuses.get(file) === state) return;
    this.#statuses.set(file, state);
    this.#updateBadge();
    const node = this.#nodes.get(file);
    // One that is new is missed at once; the others are only in another order.
    if (node === undefined) return this.refreshSoon();
    this.#changed.fire(node);
    this.#timer ??= setTimeout(() => this.refresh(), REFRESH_MS);
  }

  #updateBadge(): void {
    const waiting = this.#sessions.all.filter((open) => open.status === "waiting").length;
    this.#view.badge =
      waiting === 0 ? undefined : { value: waiting, tooltip: vscode.l10n.t("{0} waiting for your approval", waiting) };
  }

  async getChildren(parent?: ListNode): Promise<ListNode[]> {
    if (parent?.kind === "group") return parent.group.threads.map((thread) => this.#node(thread, parent));
    if (parent?.kind === "session") return parent.thread.forks.map((thread) => this.#node(thread, parent));
    const list = await this.#actions.list();
    this.#nodes.clear();
    return groupByDay(list, Date.now(), vscode.env.language).map((group) => ({ kind: "group", group }));
  }

  #node(thread: Thread, parent: ListNode): SessionNode {
    const node: SessionNode = { kind: "session", thread, parent };
    this.#nodes.set(thread.session.path, node);
    return node;
  }

  getParent(node: ListNode): ListNode | undefined {
    return node.kind === "group" ? undefined : node.parent;
  }

  getTreeItem(node: ListNode): vscode.TreeItem {
    if (node.kind === "group") {
      const item = new vscode.TreeItem(groupTitle(node.group), vscode.TreeItemCollapsibleState.Expanded);
      item.id = `day/${node.group.key}`;
      item.contextValue = "group";
      return item;
    }
    const { session, forks } = node.thread;
    const open = this.#sessions.all.find((candidate) => candidate.session.file === session.path);
    const current = open !== undefined && open === this.#sessions.current;
    const title = open?.title ?? sessionTitle(session);
    const status = statusText(open?.status);
    const item = new vscode.TreeItem(
      title,
      forks.length > 0 ? vscode.TreeItemCollapsibleState.Expanded : vscode.TreeItemCollapsibleState.None,
    );
    // The editor keeps whether a row that it knows is open: one that came to have forks is another row.
    item.id = `session/${session.path}${forks.length > 0 ? "/forks" : ""}`;
    const facts = [
      current ? vscode.l10n.t("in the chat") : "",
      status,
      session.fromPi ? "Pi" : "",
      session.imported === true ? vscode.l10n.t("imported") : "",
      node.parent.kind === "session" ? vscode.l10n.t("fork") : "",
      session.problem === undefined ? ago(session.activeMs) : vscode.l10n.t("cannot be read"),
    ].filter((fact) => fact !== "");
    const rest = facts.filter((fact) => fact !== status);
    // The bell beside it says for what.
    const short = open?.status === "waiting" ? vscode.l10n.t("waiting") : status;
    Object.assign(item, rowTexts([short], title, rest));
    item.iconPath = iconOf(session, open?.status, current, node.parent.kind === "session");
    item.accessibilityInformation = {
      label: [title, ...facts, vscode.l10n.t("{0} messages", session.messages)].join(", "),
    };
    item.contextValue = session.problem === undefined ? `session${session.fromPi ? " pi" : ""}` : "damaged";
    if (session.problem === undefined) {
      // Without arguments, see `openedRow`.
      item.command = { command: "coppice.sessions.openRow", title: vscode.l10n.t("Open") };
    }
    return item;
  }

  resolveTreeItem(item: vscode.TreeItem, node: ListNode): vscode.TreeItem {
    if (node.kind === "group") return item;
    const { session } = node.thread;
    const tooltip = new vscode.MarkdownString();
    const lines = [
      session.problem ?? sessionTitle(session),
      vscode.l10n.t("{0} messages", session.messages),
      new Date(session.activeMs).toLocaleString(vscode.env.language),
      session.path,
    ];
    for (const line of lines) {
      tooltip.appendText(line);
      tooltip.appendMarkdown("\n\n");
    }
    item.tooltip = tooltip;
    return item;
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

function groupTitle(group: Group): string {
  if (group.daysAgo === 0) return vscode.l10n.t("Today");
  if (group.daysAgo === 1) return vscode.l10n.t("Yesterday");
  return group.title;
}

function statusText(status: SessionStatus | undefined): string {
  switch (status) {
    case "running":
      return vscode.l10n.t("running");
    case "waiting":
      return vscode.l10n.t("waiting for approval");
    case "news":
      return vscode.l10n.t("new answer");
    default:
      return "";
  }
}

function iconOf(
  session: ListedSession,
  status: SessionStatus | undefined,
  current: boolean,
  fork: boolean,
): vscode.ThemeIcon {
  if (session.problem !== undefined) {
    return new vscode.ThemeIcon("warning", new vscode.ThemeColor("list.warningForeground"));
  }
  if (status === "waiting") return new vscode.ThemeIcon("bell-dot", new vscode.ThemeColor("charts.yellow"));
  if (status === "running") return new vscode.ThemeIcon("sync~spin", new vscode.ThemeColor("charts.blue"));
  if (current) return new vscode.ThemeIcon("comment-discussion", new vscode.ThemeColor("charts.blue"));
  if (status === "news") return new vscode.ThemeIcon("circle-filled", new vscode.ThemeColor("charts.blue"));
  return new vscode.ThemeIcon(fork ? "repo-forked" : session.fromPi ? "terminal" : "comment");
}
