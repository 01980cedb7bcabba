// A compaction that a person started: its progress, and the chat at its result.
import * as vscode from "vscode";
import type { OpenSession } from "./open-session.ts";

/** Runs a compaction; the chat has its progress too, with the way to cancel. A cancelled one changes nothing. */
export async function compactWithProgress(
  open: OpenSession,
  options: Parameters<OpenSession["harness"]["compact"]>[0],
): Promise<string | undefined> {
  return await vscode.window.withProgress(
    // In the status bar: a notification would cover the composer, where the same stands with a button.
    { location: vscode.ProgressLocation.Window, title: vscode.l10n.t("Compacting the conversation…") },
    async () => {
      const seen = open.shownLeafId;
      const id = await open.harness.compact(options);
      // Whoever looked elsewhere sees what became of the position, as after an undo.
      open.returnFrom(seen);
      return id;
    },
  );
}
