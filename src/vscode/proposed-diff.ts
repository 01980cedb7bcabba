// The tab of a proposed change goes with its question, unless the person has made it theirs.
import * as vscode from "vscode";
import type { OpenSession } from "./open-session.ts";

function tabOf(uri: vscode.Uri): vscode.Tab | undefined {
  return vscode.window.tabGroups.all
    .flatMap((group) => group.tabs)
    .find(({ input }) => input instanceof vscode.TabInputTextDiff && input.modified.toString() === uri.toString());
}

/** True where something is selected in one of the tab's texts: somebody is about to use it. */
function isSelectedIn({ input }: vscode.Tab): boolean {
  if (!(input instanceof vscode.TabInputTextDiff)) return false;
  const sides = [input.original.toString(), input.modified.toString()];
  return vscode.window.visibleTextEditors.some(
    ({ document, selection }) => sides.includes(document.uri.toString()) && !selection.isEmpty,
  );
}

/**
 * Closes the diff with the right side `uri` once the question about the call is answered. One that was pinned, kept by a
 * double click or in which text is selected stays.
 */
export function closeWithAnswer(open: OpenSession, callId: string, uri: vscode.Uri): void {
  const wasPreview = tabOf(uri)?.isPreview === true;
  const answered = () => {
    if (open.approvals.proposalOf(callId) !== undefined) return;
    watch.dispose();
    const tab = tabOf(uri);
    if (tab === undefined || tab.isPinned || (wasPreview && !tab.isPreview) || isSelectedIn(tab)) return;
    void vscode.window.tabGroups.close(tab, true);
  };
  const watch = open.onDidChange(answered);
  answered();
}
