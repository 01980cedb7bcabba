// The chat in the side bar, and as a tab of the editor.
import * as vscode from "vscode";
import { sessionTabSchema } from "../protocol/session-tab.ts";
import { ChatHost, type ChatHostServices } from "./chat-host.ts";
import type { OpenSession } from "./open-session.ts";
import { pageHtml, pageOptions } from "./page-html.ts";
import type { SessionService } from "./session-service.ts";
import { followTitle, nameOfOpen } from "./session-tab-title.ts";

export const CHAT_VIEW_ID = "coppice.chat";
export const CHAT_PANEL_TYPE = "coppice.chatPanel";
const CHAT_PAGE = { script: "chat", styles: ["chat"], pictures: true };

export class ChatView implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #extensionUri: vscode.Uri;
  readonly #sessions: SessionService;
  readonly #services: ChatHostServices;
  readonly #disposables: vscode.Disposable[] = [];
  readonly #panels = new Set<ChatHost>();
  #view: vscode.WebviewView | undefined;
  #host: ChatHost | undefined;
  readonly #resolved = new vscode.EventEmitter<void>();

  constructor(extensionUri: vscode.Uri, sessions: SessionService, services: ChatHostServices) {
    this.#extensionUri = extensionUri;
    this.#sessions = sessions;
    this.#services = services;
    this.#disposables.push(
      this.#resolved,
      sessions.onDidChangeCurrent((open) => this.#host?.bind(open)),
      sessions.onDidChangeSession(() => this.#updateBadge()),
    );
  }

  /** The host of the side bar's chat, where it has been shown. */
  get host(): ChatHost | undefined {
    return this.#host;
  }

  get hosts(): ChatHost[] {
    return [...(this.#host === undefined ? [] : [this.#host]), ...this.#panels];
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    view.webview.options = pageOptions(this.#extensionUri);
    const host = new ChatHost(view.webview, this.#services, false);
    this.#host?.dispose();
    this.#host = host;
    view.onDidChangeVisibility(() => {
      host.setVisible(view.visible);
      if (view.visible) this.#sessions.current?.seen();
    });
    view.onDidDispose(() => {
      if (this.#host === host) this.#host = undefined;
      host.dispose();
    });
    host.bind(this.#sessions.current);
    view.webview.html = pageHtml(view.webview, this.#extensionUri, CHAT_PAGE);
    this.#updateBadge();
    this.#resolved.fire();
  }

  /** Shows the side bar's chat and resolves with its host. */
  async reveal(preserveFocus = false): Promise<ChatHost | undefined> {
    if (this.#view !== undefined) this.#view.show(preserveFocus);
    else await vscode.commands.executeCommand(`${CHAT_VIEW_ID}.focus`, { preserveFocus });
    if (this.#host === undefined) {
      await new Promise<void>((resolve) => {
        const wait = this.#resolved.event(() => {
          wait.dispose();
          resolve();
        });
        setTimeout(resolve, 5000);
      });
    }
    return this.#host;
  }

  /** Opens a session as a tab of the editor, bound to that session. */
  openInEditor(open: OpenSession): ChatHost {
    const panel = vscode.window.createWebviewPanel(CHAT_PANEL_TYPE, nameOfOpen(open), vscode.ViewColumn.Active, {
      ...pageOptions(this.#extensionUri),
      retainContextWhenHidden: false,
    });
    return this.#fill(panel, open);
  }

  /** A tab comes back with the window. Throws what opening its session throws. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const open = await this.#sessions.open(sessionTabSchema.parse(state).file);
    panel.webview.options = pageOptions(this.#extensionUri);
    this.#fill(panel, open);
  }

  #fill(panel: vscode.WebviewPanel, open: OpenSession): ChatHost {
    panel.iconPath = vscode.Uri.joinPath(this.#extensionUri, "media", "icon.svg");
    const host = new ChatHost(panel.webview, this.#services, true);
    this.#panels.add(host);
    panel.onDidChangeViewState(() => host.setVisible(panel.visible));
    const named = followTitle(panel, open, (name) => name);
    panel.onDidDispose(() => {
      named.dispose();
      this.#panels.delete(host);
      host.dispose();
    });
    host.bind(open);
    panel.webview.html = pageHtml(panel.webview, this.#extensionUri, CHAT_PAGE);
    return host;
  }

  refreshFrames(): void {
    for (const host of this.hosts) host.refreshFrame();
  }

  #updateBadge(): void {
    if (this.#view === undefined) return;
    const waiting = this.#sessions.all.filter((open) => open.status === "waiting").length;
    this.#view.badge =
      waiting === 0 ? undefined : { value: waiting, tooltip: vscode.l10n.t("{0} waiting for your approval", waiting) };
  }

  dispose(): void {
    for (const host of this.hosts) host.dispose();
    for (const disposable of this.#disposables) disposable.dispose();
  }
}
