// A summary as the person reads it, with its lists of files in the editor's language.
import * as vscode from "vscode";
import { readableSummary } from "../core/session/readable-summary.ts";

/** The summary as Markdown; its file blocks are lists. */
export function summaryForReading(summary: string): string {
  return readableSummary(summary, {
    read: vscode.l10n.t("Files read"),
    changed: vscode.l10n.t("Files changed"),
  });
}
