// Asks for a format and a place, and writes the session there. Loaded when it is first used.
import * as vscode from "vscode";
import { SessionError } from "../core/errors.ts";
import type { Session } from "../core/session/session.ts";

export type ExportFormat = "html" | "md" | "jsonl";
export type ExportSession = (session: Session, format: ExportFormat) => Promise<string | Uint8Array>;

/** Exports with dialogs; nothing happens where one is closed. Throws SessionError for an empty session. */
export async function exportWithDialog(session: Session, exportSession: ExportSession): Promise<void> {
  const format = await vscode.window.showQuickPick(
    [
      { label: "HTML", detail: vscode.l10n.t("One self-contained page with the tree"), format: "html" as const },
      { label: "Markdown", detail: vscode.l10n.t("Every branch, as text to read"), format: "md" as const },
      { label: "JSONL", detail: vscode.l10n.t("The session itself, for Coppice or Pi"), format: "jsonl" as const },
    ],
    { title: vscode.l10n.t("Export Session") },
  );
  if (format === undefined) return;
  if (session.size() === 0) throw new SessionError("invalid_argument", vscode.l10n.t("The session is empty."));
  const name = (session.getName() ?? session.id).replace(/[^\p{L}\p{N}._ -]+/gu, "-").slice(0, 80);
  const target = await vscode.window.showSaveDialog({
    title: vscode.l10n.t("Export Session"),
    defaultUri: vscode.Uri.joinPath(vscode.Uri.file(session.cwd), `${name}.${format.format}`),
  });
  if (target === undefined) return;
  const content = await exportSession(session, format.format);
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  await vscode.workspace.fs.writeFile(target, bytes);
  await vscode.window.showTextDocument(target, { preview: true });
}
