// The text of an entry as a tooltip; loaded when a pointer rests on a row.
import * as vscode from "vscode";
import { entryText } from "../core/harness/session-memory.ts";
import type { SessionEntry } from "../core/session/entries.ts";
import { summaryForReading } from "./summary-for-reading.ts";
import { marks } from "./tree-item.ts";
import { kindName, shortCost } from "./tree-labels.ts";
import type { EntryNode, RowState } from "./tree-nodes.ts";

const MAX_TOOLTIP = 2000;

/** What an entry says; a summary as it is read. */
export function tooltipText(entry: SessionEntry | undefined): string {
  if (entry === undefined) return "";
  const text = entryText(entry);
  return entry.type === "compaction" || entry.type === "branch_summary" ? summaryForReading(text) : text;
}

/** The text of an entry for the tooltip: nothing in it is markup. */
export function entryTooltip(node: EntryNode, state: RowState, text: string): vscode.MarkdownString {
  const tooltip = new vscode.MarkdownString();
  const { content } = state;
  const facts = [
    kindName(content.kind),
    content.timeMs === 0 ? "" : new Date(content.timeMs).toLocaleString(vscode.env.language),
    content.tokens === undefined
      ? ""
      : vscode.l10n.t(
          "{0} tokens in all, {1} of them the reply",
          content.tokens.context.toLocaleString(vscode.env.language),
          content.tokens.output.toLocaleString(vscode.env.language),
        ),
    content.tokens?.estimated === true ? vscode.l10n.t("estimated") : "",
    content.costUsd === undefined ? "" : shortCost(content.costUsd),
    ...marks(node, state),
  ];
  tooltip.appendText(facts.filter((fact) => fact !== "").join(" · "));
  tooltip.appendMarkdown("\n\n");
  const shown = text.trim();
  tooltip.appendText(shown.length > MAX_TOOLTIP ? `${shown.slice(0, MAX_TOOLTIP).toWellFormed()} …` : shown);
  return tooltip;
}
