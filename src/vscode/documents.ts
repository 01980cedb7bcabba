// Read-only documents of the extension: summaries, whole outputs, both sides of a proposed change.
import * as vscode from "vscode";

export const DOCUMENT_SCHEME = "coppice";
const MAX_DOCUMENTS = 200;

/** Texts by a path of their own; the oldest go when there are too many. Plain text: nothing in them is a command. */
export class Documents implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #changed = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;
  readonly onDidChange = this.#changed.event;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(DOCUMENT_SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return (
      this.#texts.get(uri.path) ?? vscode.l10n.t("This text is no longer held in memory. Open it again from the chat.")
    );
  }

  /** Puts a text under a path; the name's ending decides the language. */
  put(path: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: DOCUMENT_SCHEME, path: path.startsWith("/") ? path : `/${path}` });
    this.#texts.delete(uri.path);
    this.#texts.set(uri.path, text);
    const oldest = this.#texts.keys().next().value;
    if (this.#texts.size > MAX_DOCUMENTS && oldest !== undefined) this.#texts.delete(oldest);
    this.#changed.fire(uri);
    return uri;
  }

  async show(path: string, text: string): Promise<void> {
    await vscode.window.showTextDocument(this.put(path, text), { preview: true });
  }

  /** The editor's own diff of two texts; returns its right side. */
  async showDiff(name: string, before: string, after: string, title: string, id: string): Promise<vscode.Uri> {
    const safe = name.replace(/^.*[\\/]/, "") || "text";
    const left = this.put(`/${id}/before/${safe}`, before);
    const right = this.put(`/${id}/after/${safe}`, after);
    await vscode.commands.executeCommand("vscode.diff", left, right, title, { preview: true });
    return right;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#changed.dispose();
  }
}
