// Asks what the Session Tree shows; loaded when it is asked for.
import * as vscode from "vscode";
import { TREE_FILTERS, type TreeFilter } from "../core/session/tree-filter.ts";

/** The filter that was picked, or undefined. */
export async function pickTreeFilter(current: TreeFilter): Promise<TreeFilter | undefined> {
  const names: Record<TreeFilter, [string, string]> = {
    default: [vscode.l10n.t("Default"), vscode.l10n.t("Messages, tools in one line, compactions, summaries, labels")],
    "no-tools": [vscode.l10n.t("Without Tools"), vscode.l10n.t("Messages, compactions, summaries, labels")],
    "user-only": [vscode.l10n.t("Only Mine"), vscode.l10n.t("Your messages and labels")],
    "labeled-only": [vscode.l10n.t("Only Labelled"), vscode.l10n.t("Entries with a label")],
    all: [vscode.l10n.t("All"), vscode.l10n.t("Every entry of the file, settings and markers too")],
  };
  const picked = await vscode.window.showQuickPick(
    TREE_FILTERS.map((filter) => ({
      label: `${filter === current ? "$(check) " : "$(blank) "}${names[filter][0]}`,
      detail: names[filter][1],
      filter,
    })),
    { title: vscode.l10n.t("What the Session Tree Shows") },
  );
  return picked?.filter;
}
