// The selection of the active editor, or its file, as an attachment of the next message.
import * as vscode from "vscode";
import { fenceFor } from "../../core/fence.ts";

const MAX_SELECTION = 100_000;

/** Undefined where no file of the workspace is open. */
export function selectionAttachment(editor: vscode.TextEditor | undefined) {
  if (editor === undefined) return undefined;
  const { document, selection } = editor;
  if (vscode.workspace.getWorkspaceFolder(document.uri) === undefined) return undefined;
  const path = vscode.workspace.asRelativePath(document.uri, false);
  if (selection.isEmpty) {
    return { id: `file:${path}`, title: path, detail: vscode.l10n.t("file"), text: `File: ${path}` };
  }
  const [first, last] = [selection.start.line + 1, selection.end.line + 1];
  const text = document.getText(selection).slice(0, MAX_SELECTION).toWellFormed();
  const fence = fenceFor(text, 3);
  return {
    id: `selection:${path}:${first}-${last}`,
    title: `${path}:${first}-${last}`,
    detail: vscode.l10n.t("selection"),
    text: `${path}, lines ${first} to ${last}:\n${fence}${document.languageId}\n${text}\n${fence}`,
  };
}
