// A compaction that a person started: its progress, a way to cancel it, and the chat at its result.
import * as vscode from "vscode";
import { signalOf } from "./cancellation.ts";
import type { OpenSession } from "./open-session.ts";

/** Runs a compaction with progress and a way to cancel; a cancelled one changes nothing. */
export async function compactWithProgress(
  open: OpenSession,
  options: Parameters<OpenSession["harness"]["compact"]>[0],
): Promise<string | undefined> {
  return await vscode.window.withProgress(
    {
      location: vscode.ProgressLocation.Notification,
      title: vscode.l10n.t("Compacting the conversation…"),
      cancellable: true,
    },
    async (_progress, token) => {
      signalOf(token).addEventListener("abort", () => open.harness.abort());
      const seen = open.shownLeafId;
      const id = await open.harness.compact(options);
      // Whoever looked elsewhere sees what became of the position, as after an undo.
      open.returnFrom(seen);
      return id;
    },
  );
}
