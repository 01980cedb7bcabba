// A summary that a person asked for: its progress, and the chat at its result.
import * as vscode from "vscode";
import type { OpenSession } from "./open-session.ts";

/** In the status bar: a notification would cover the composer, where the same stands with a button. */
async function inStatusBar<T>(title: string, action: () => Promise<T>): Promise<T> {
  return await vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, action);
}

/** Runs a compaction; the chat has its progress too, with the way to cancel. A cancelled one changes nothing. */
export async function compactWithProgress(
  open: OpenSession,
  options: Parameters<OpenSession["harness"]["compact"]>[0],
): Promise<string | undefined> {
  return await inStatusBar(vscode.l10n.t("Compacting the conversation…"), async () => {
    const seen = open.shownLeafId;
    const id = await open.harness.compact(options);
    // Whoever looked elsewhere sees what became of the position, as after an undo.
    open.returnFrom(seen);
    return id;
  });
}

/** Has a summary written that is to be edited before it counts; the chat has the progress and the way to cancel. */
export async function draftWithProgress<T>(open: OpenSession, write: () => Promise<T>): Promise<T> {
  const text = vscode.l10n.t("Writing the summary…");
  return await inStatusBar(text, async () => {
    open.setProgress({ text, cancellable: true });
    try {
      return await write();
    } finally {
      open.setProgress(undefined);
    }
  });
}
