// What a person can do with sessions: begin, open, rename, fork, delete, import, export.
import { existsSync } from "node:fs";
import * as vscode from "vscode";
import { SessionError } from "../core/errors.ts";
import type { JsonlSessionRepo } from "../core/session/jsonl-repo.ts";
import type { ForkPoint } from "../core/session/session-fork.ts";
import type { SessionSummary } from "../core/session/session-summary.ts";
import { leafAt } from "../core/session/siblings.ts";
import type { ExportSession } from "./export-dialog.ts";
import { forkName } from "./fork-name.ts";
import type { OpenSession } from "./open-session.ts";
import { withPatience } from "./patience.ts";
import { forkNotice } from "./session-notices.ts";
import type { SessionService } from "./session-service.ts";

/** How long the page waits for the last session (ms). */
const RESTORE_PATIENCE_MS = 5000;

/** Both places where sessions live: Coppice's own and, if wanted, Pi's. */
export interface SessionRepos {
  own: () => JsonlSessionRepo;
  pi: () => JsonlSessionRepo | undefined;
}

export interface ListedSession extends SessionSummary {
  fromPi: boolean;
}

export interface SessionActionsOptions {
  sessions: SessionService;
  repos: SessionRepos;
  exportSession: ExportSession;
  /** Called when the list of files changed. */
  changed: () => void;
}

/** What a session is called: its name, else the first prompt. */
export function sessionTitle(summary: Pick<SessionSummary, "name" | "firstMessage">): string {
  return summary.name ?? summary.firstMessage?.split("\n", 1)[0] ?? vscode.l10n.t("Untitled session");
}

/** "3 minutes ago" in the person's language. */
export function ago(ms: number, now = Date.now()): string {
  const format = new Intl.RelativeTimeFormat(vscode.env.language, { numeric: "auto" });
  const minutes = Math.round((ms - now) / 60_000);
  if (Math.abs(minutes) < 60) return format.format(minutes, "minute");
  const hours = Math.round(minutes / 60);
  return Math.abs(hours) < 24 ? format.format(hours, "hour") : format.format(Math.round(hours / 24), "day");
}

export class SessionActions {
  readonly #options: SessionActionsOptions;

  constructor(options: SessionActionsOptions) {
    this.#options = options;
  }

  /** The folder of new sessions: the only one, or the one that the person picks; undefined where none is open or picked. */
  async folder(): Promise<string | undefined> {
    const folders = vscode.workspace.workspaceFolders ?? [];
    const current = this.#options.sessions.current?.session.cwd;
    if (folders.length === 0) return undefined;
    if (folders.length === 1) return folders[0]!.uri.fsPath;
    const picked = await vscode.window.showQuickPick(
      folders.map((folder) => ({
        label: folder.name,
        description: folder.uri.fsPath === current ? vscode.l10n.t("current session") : "",
        detail: folder.uri.fsPath,
      })),
      // A page of the chat that is just coming up takes the focus, which would close the question unanswered.
      { title: vscode.l10n.t("Which folder is the session for?"), ignoreFocusOut: true },
    );
    return picked?.detail;
  }

  /** Whether there is a folder for sessions at all. */
  get hasFolder(): boolean {
    return (vscode.workspace.workspaceFolders ?? []).length > 0;
  }

  /** As `folder`; says what is missing where none is open. Who closes the question is told nothing. */
  async neededFolder(): Promise<string | undefined> {
    if (this.hasFolder) return await this.folder();
    void vscode.window.showInformationMessage(vscode.l10n.t("Open a folder first: a session belongs to one."));
    return undefined;
  }

  /**
   * Begins a session, or shows an empty chat where no folder is open. False where the person closed the question for the
   * folder: they stay where they were.
   */
  async newSession(): Promise<boolean> {
    const cwd = await this.folder();
    if (cwd === undefined && this.hasFolder) return false;
    this.#options.sessions.setCurrent(cwd === undefined ? undefined : await this.#options.sessions.create(cwd));
    return true;
  }

  async open(path: string): Promise<OpenSession> {
    const open = await this.#options.sessions.open(path);
    this.#options.sessions.setCurrent(open);
    return open;
  }

  /**
   * The session that was open last comes back, unless another was opened meanwhile. Resolves when it is decided what is
   * shown: what takes longer than `RESTORE_PATIENCE_MS` is left to the list.
   */
  async restoreLast(): Promise<void> {
    const { sessions } = this.#options;
    const file = sessions.lastFile;
    let isLate = false;
    const restoring = async () => {
      if (file === undefined || sessions.current !== undefined || !existsSync(file)) return;
      const open = await sessions.open(file);
      if (sessions.current === undefined && !isLate) sessions.setCurrent(open);
    };
    await withPatience(restoring(), RESTORE_PATIENCE_MS);
    isLate = true;
  }

  /** Sessions of the workspace's folders, newest activity first. */
  async list(signal?: AbortSignal): Promise<ListedSession[]> {
    const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
    const { own, pi } = this.#options.repos;
    const lists = await Promise.all(
      folders.flatMap((cwd) =>
        [
          { repo: own(), fromPi: false },
          { repo: pi(), fromPi: true },
        ].map(async ({ repo, fromPi }) =>
          repo === undefined
            ? []
            : (await repo.list({ cwd, ...(signal === undefined ? {} : { signal }) })).map((item) => ({
                ...item,
                fromPi,
              })),
        ),
      ),
    );
    const byPath = new Map(lists.flat().map((item) => [item.path, item]));
    return [...byPath.values()].sort((a, b) => b.activeMs - a.activeMs);
  }

  async pickAndOpen(): Promise<OpenSession | undefined> {
    type Item = vscode.QuickPickItem & { path?: string };
    const items = this.list().then((list) =>
      list.map(
        (item): Item => ({
          label: sessionTitle(item),
          description: item.fromPi ? `Pi · ${ago(item.activeMs)}` : ago(item.activeMs),
          detail: item.problem ?? vscode.l10n.t("{0} messages", item.messages),
          path: item.path,
        }),
      ),
    );
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("Open Session"),
      placeHolder: vscode.l10n.t("Sessions of this workspace"),
      matchOnDescription: true,
      matchOnDetail: true,
    });
    return picked?.path === undefined ? undefined : await this.open(picked.path);
  }

  async rename(open: OpenSession): Promise<void> {
    const name = await vscode.window.showInputBox({
      title: vscode.l10n.t("Rename Session"),
      ignoreFocusOut: true,
      value: open.session.getName() ?? "",
      prompt: vscode.l10n.t("Leave empty to go back to the first prompt"),
    });
    if (name === undefined) return;
    await open.session.appendSessionName(name);
    open.notifyChanged();
    this.#options.changed();
  }

  async delete(path: string, title: string): Promise<boolean> {
    const open = this.#options.sessions.all.find((candidate) => candidate.session.file === path);
    const confirm = vscode.l10n.t("Move to Trash");
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t("Move the session “{0}” to the trash?", title),
      {
        modal: true,
        detail: open !== undefined && open.phase !== "idle" ? vscode.l10n.t("It is running and will be stopped.") : "",
      },
      confirm,
    );
    if (answer !== confirm) return false;
    if (open !== undefined) await this.#options.sessions.close(open);
    await this.#options.repos.own().delete(path);
    this.#options.changed();
    return true;
  }

  /** Moves several session files to the trash after one question. */
  async deleteMany(paths: readonly string[]): Promise<boolean> {
    const open = this.#options.sessions.all.filter((candidate) => paths.includes(candidate.session.file ?? ""));
    const confirm = vscode.l10n.t("Move to Trash");
    const answer = await vscode.window.showWarningMessage(
      vscode.l10n.t("Move {0} sessions to the trash?", paths.length),
      {
        modal: true,
        detail: open.some((one) => one.phase !== "idle") ? vscode.l10n.t("Some are running and will be stopped.") : "",
      },
      confirm,
    );
    if (answer !== confirm) return false;
    for (const one of open) await this.#options.sessions.close(one);
    for (const path of paths) await this.#options.repos.own().delete(path);
    this.#options.changed();
    return true;
  }

  /**
   * A session that begins as a copy: of the whole, or of the path to an entry, with the results of its calls. It has a name
   * of its own and says what it was forked from.
   */
  async fork(open: OpenSession, entryId?: string): Promise<OpenSession> {
    const point: ForkPoint =
      entryId === undefined ? { kind: "whole" } : { kind: "at", entryId: leafAt(open.session, entryId) };
    const session = await this.#options.repos.own().fork(open.session, point);
    const { title } = open;
    await session.ready();
    // Where nothing was copied it is a new session, which is called by its own first prompt.
    if (title !== undefined && session.size() > 0)
      await session.appendSessionName(forkName(title, await this.#titles()));
    const forked = await this.#options.sessions.take(session);
    forked.live.notice(forkNotice(title), Date.now());
    this.#options.sessions.setCurrent(forked);
    this.#options.changed();
    return forked;
  }

  /** Titles that sessions of the workspace have. */
  async #titles(): Promise<Set<string>> {
    const listed = await this.list().catch(() => []);
    const open = this.#options.sessions.all.map(({ title }) => title ?? "");
    return new Set([...listed.map(sessionTitle), ...open]);
  }

  /** Opens the session that this one was forked from; throws where its file is gone. */
  async openSource(forked: OpenSession): Promise<OpenSession> {
    const source = forked.session.header.parentSession;
    if (source === undefined || !existsSync(source)) {
      throw new SessionError("not_found", vscode.l10n.t("The session that this one was forked from is gone."));
    }
    return await this.open(source);
  }

  async import(): Promise<OpenSession | undefined> {
    const cwd = await this.neededFolder();
    if (cwd === undefined) return undefined;
    const picked = await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Import Session"),
      filters: { [vscode.l10n.t("Session files")]: ["jsonl"] },
      canSelectMany: false,
    });
    if (picked?.[0] === undefined) return undefined;
    const open = await this.#options.sessions.take(await this.#options.repos.own().importFile(picked[0].fsPath, cwd));
    this.#options.sessions.setCurrent(open);
    this.#options.changed();
    return open;
  }

  async export(open: OpenSession): Promise<void> {
    const { exportWithDialog } = await import("./export-dialog.ts");
    await exportWithDialog(open.session, this.#options.exportSession);
  }
}
