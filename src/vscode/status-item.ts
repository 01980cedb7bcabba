// The one status bar item: there only while something is on, and says what.
import * as vscode from "vscode";
import { CHAT_VIEW_ID } from "./chat-view.ts";
import type { SessionService } from "./session-service.ts";

/** Shows which sessions run, compact or wait for an answer; a click opens the chat. */
export function createStatusItem(sessions: SessionService): vscode.Disposable {
  const item = vscode.window.createStatusBarItem("coppice.status", vscode.StatusBarAlignment.Right, 90);
  item.name = "Coppice";
  item.command = `${CHAT_VIEW_ID}.focus`;
  let shown = "";
  const update = () => {
    const waiting = sessions.all.filter((open) => open.status === "waiting").length;
    const compacting = sessions.all.some((open) => open.phase === "compaction" || open.phase === "branch_summary");
    const running = sessions.all.filter((open) => open.status === "running").length;
    let text = "";
    let label = "";
    if (waiting > 0) {
      text = `$(bell-dot) ${vscode.l10n.t("Approve")}`;
      label = vscode.l10n.t("Coppice: {0} waiting for your approval", waiting);
    } else if (compacting) {
      text = `$(fold) ${vscode.l10n.t("Compacting")}`;
      label = vscode.l10n.t("Coppice: summarising the conversation");
    } else if (running > 0) {
      text = "$(sync~spin) Coppice";
      label = vscode.l10n.t("Coppice: {0} running", running);
    }
    if (text === shown) return;
    shown = text;
    item.text = text;
    item.tooltip = label;
    item.accessibilityInformation = { label };
    item.backgroundColor = waiting > 0 ? new vscode.ThemeColor("statusBarItem.warningBackground") : undefined;
    if (text === "") item.hide();
    else item.show();
  };
  return vscode.Disposable.from(item, sessions.onDidChangeSession(update), sessions.onDidChangeCurrent(update));
}
