// A text that the person edits before it counts: an unsaved tab of the editor, closed without a question once it was used.
import * as vscode from "vscode";

export class DraftDocument {
  readonly #document: vscode.TextDocument;

  private constructor(document: vscode.TextDocument) {
    this.#document = document;
  }

  /** Opens the text beside nothing else, ready to be edited. */
  static async open(content: string): Promise<DraftDocument> {
    const document = await vscode.workspace.openTextDocument({ language: "markdown", content });
    await vscode.window.showTextDocument(document, { preview: false });
    return new DraftDocument(document);
  }

  /** What the context keys of menus know the tab by. */
  get path(): string {
    return this.#document.uri.path;
  }

  /** The text as it stands, without space around it. */
  get text(): string {
    return this.#document.getText().trim();
  }

  is(document: vscode.TextDocument | undefined): boolean {
    return document?.uri.toString() === this.#document.uri.toString();
  }

  /** Closes its tabs, whichever tab is in front; what it held is used or given up, so that nobody is asked to save it. */
  async close(): Promise<void> {
    if (this.#document.isClosed) return;
    // An untitled text that is empty counts as unchanged.
    const edit = new vscode.WorkspaceEdit();
    const all = this.#document.validateRange(new vscode.Range(0, 0, this.#document.lineCount, 0));
    edit.delete(this.#document.uri, all);
    await vscode.workspace.applyEdit(edit);
    const uri = this.#document.uri.toString();
    const isOurs = ({ input }: vscode.Tab) => input instanceof vscode.TabInputText && input.uri.toString() === uri;
    await vscode.window.tabGroups.close(vscode.window.tabGroups.all.flatMap((group) => group.tabs.filter(isOurs)));
  }
}
