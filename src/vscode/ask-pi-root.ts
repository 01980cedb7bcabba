// Asked once of a person who has Pi: where new sessions should live (product.md "Session files").
import * as vscode from "vscode";

const ASKED_KEY = "coppice.askedPiRoot";

/** Asks where there is a folder of Pi and nothing was set or answered yet; says nothing otherwise. */
export async function askPiRoot(state: vscode.Memento, piRoot: string): Promise<void> {
  const configuration = vscode.workspace.getConfiguration("coppice");
  const set = configuration.inspect<string>("sessions.root")?.globalValue;
  if (set !== undefined || state.get(ASKED_KEY, false)) return;
  await state.update(ASKED_KEY, true);
  const own = vscode.l10n.t("Coppice’s Own");
  const pi = vscode.l10n.t("Pi’s Folder");
  const answer = await vscode.window.showInformationMessage(
    vscode.l10n.t(
      "You have sessions of Pi. Where should new sessions of Coppice live? Pi’s are listed here either way.",
    ),
    own,
    pi,
  );
  if (answer === pi) await configuration.update("sessions.root", piRoot, vscode.ConfigurationTarget.Global);
}
