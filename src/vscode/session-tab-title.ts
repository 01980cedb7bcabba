// The title of a tab that is about a session: it follows the session's name, whether the tab is looked at or not.
import * as vscode from "vscode";
import type { OpenSession } from "./open-session.ts";

/** What a session is called: its name, else its first prompt. */
export function nameOfOpen(open: OpenSession): string {
  return open.title ?? vscode.l10n.t("Untitled session");
}

/** Keeps the tab's title; `renamed` is called when the session came to be called otherwise. */
export function followTitle(
  panel: vscode.WebviewPanel,
  open: OpenSession,
  title: (name: string) => string,
  renamed: () => void = () => {},
): vscode.Disposable {
  let known = nameOfOpen(open);
  panel.title = title(known);
  const look = () => {
    const name = nameOfOpen(open);
    if (name === known) return;
    known = name;
    panel.title = title(name);
    renamed();
  };
  return vscode.Disposable.from(open.onDidChange(look), open.onDidChangeTree(look));
}
