// One row of the Session Tree as the editor draws it: icon and text say the same, so that neither is needed alone.
import * as vscode from "vscode";
import { attemptsTitle, kindName, rowTexts, shortCost, shortTime, shortTokens } from "./tree-labels.ts";
import type { EntryNode, MoreNode, RowState } from "./tree-nodes.ts";
import { type RowContent, toolsTitle } from "./tree-row.ts";

/** Characters of a label in a row; its tooltip has the whole. */
const MAX_LABEL = 24;

export function moreItem(sessionId: string, node: MoreNode): vscode.TreeItem {
  const text =
    node.direction === "earlier"
      ? vscode.l10n.t("Show earlier ({0} more)", node.hidden)
      : vscode.l10n.t("Show later ({0} more)", node.hidden);
  const item = new vscode.TreeItem(text);
  item.id = `${sessionId}/${node.key}`;
  item.iconPath = new vscode.ThemeIcon("ellipsis");
  item.contextValue = "more";
  item.command = { command: "coppice.tree.open", title: text };
  return item;
}

export function entryItem(sessionId: string, node: EntryNode, state: RowState): vscode.TreeItem {
  const { row } = node;
  const open = row.head && row.below > 0;
  const { label, description } = rowTexts(states(node, state), labelOf(node, state), numbers(state));
  const item = new vscode.TreeItem(
    label,
    open ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None,
  );
  item.id = `${sessionId}/${node.key}`;
  item.iconPath = iconOf(node, state);
  item.description = description;
  item.contextValue = contextValue(node, state);
  item.accessibilityInformation = { label: spoken(node, state) };
  // Without arguments, see `openedRow`.
  item.command = { command: "coppice.tree.open", title: vscode.l10n.t("Show") };
  return item;
}

function labelOf(node: EntryNode, { content, tools, tokensAfter }: RowState): string {
  if (node.folded.length > 1) {
    return content.attempt === true ? attemptsTitle(node.folded.length, content.title) : toolsTitle(tools);
  }
  if (content.kind === "compaction") return compactionLabel(content, tokensAfter);
  if (content.kind === "branchSummary") return vscode.l10n.t("Summary of a branch: {0}", content.title);
  return content.title === "" ? vscode.l10n.t("({0} without text)", kindName(content.kind)) : content.title;
}

function compactionLabel({ tokensBefore = 0 }: RowContent, tokensAfter: number | undefined): string {
  return tokensAfter === undefined
    ? vscode.l10n.t("Compaction of {0} tokens", shortTokens(tokensBefore))
    : vscode.l10n.t("Compaction {0} → ~{1} tokens", shortTokens(tokensBefore), shortTokens(tokensAfter));
}

function iconOf(node: EntryNode, { content, position, shown, running, waiting }: RowState): vscode.ThemeIcon {
  if (waiting) return new vscode.ThemeIcon("bell-dot", new vscode.ThemeColor("charts.yellow"));
  if (position && running) return new vscode.ThemeIcon("sync~spin", new vscode.ThemeColor("charts.blue"));
  if (position) return new vscode.ThemeIcon("target", new vscode.ThemeColor("charts.blue"));
  if (shown) return new vscode.ThemeIcon("eye", new vscode.ThemeColor("charts.yellow"));
  if (content.failure === "failed" && content.kind === "reply") {
    return new vscode.ThemeIcon("error", new vscode.ThemeColor("list.errorForeground"));
  }
  const color = node.row.onPath ? undefined : new vscode.ThemeColor("disabledForeground");
  return new vscode.ThemeIcon(node.row.head ? "git-branch" : symbol(content), color);
}

function symbol({ kind, failure }: RowContent): string {
  switch (kind) {
    case "user":
      return "account";
    case "reply":
      return failure === undefined ? "comment" : "circle-slash";
    case "tools":
    case "result":
      return "tools";
    case "shell":
      return "terminal";
    case "compaction":
      return "fold";
    case "branchSummary":
      return "book";
    case "note":
      return "note";
    case "setting":
      return "settings-gear";
  }
}

function failureWord({ failure }: RowContent): string {
  switch (failure) {
    case "failed":
      return vscode.l10n.t("failed");
    case "stopped":
      return vscode.l10n.t("stopped");
    case "cutOff":
      return vscode.l10n.t("cut off");
    default:
      return "";
  }
}

/** The marks in as few letters as tell them, beside an icon and before the words of the row. */
function states({ row }: EntryNode, { content, label, position, shown, cut, running, waiting }: RowState): string[] {
  return [
    position
      ? waiting
        ? vscode.l10n.t("waiting")
        : running
          ? vscode.l10n.t("running")
          : vscode.l10n.t("position")
      : "",
    shown ? vscode.l10n.t("shown") : "",
    cut ? vscode.l10n.t("kept from here") : "",
    label === undefined ? "" : `“${label.length > MAX_LABEL ? `${label.slice(0, MAX_LABEL).toWellFormed()}…` : label}”`,
    row.head ? (row.below === 0 ? vscode.l10n.t("branch") : vscode.l10n.t("branch +{0}", row.below)) : "",
    row.branches > 1 ? vscode.l10n.t("{0} branches", row.branches) : "",
    failureWord(content),
  ];
}

/** What stands out of a row: position, labels, branches. */
export function marks({ row }: EntryNode, state: RowState): string[] {
  const { content, label, position, shown, cut, running } = state;
  return [
    position ? (running ? vscode.l10n.t("position, running") : vscode.l10n.t("position")) : "",
    state.waiting ? vscode.l10n.t("waiting for approval") : "",
    shown ? vscode.l10n.t("shown in the chat") : "",
    cut ? vscode.l10n.t("cut: stays from here") : "",
    label === undefined ? "" : `“${label}”`,
    row.head
      ? row.below === 0
        ? vscode.l10n.t("other branch")
        : vscode.l10n.t("other branch, {0} more", row.below)
      : "",
    row.branches > 1 ? vscode.l10n.t("{0} branches", row.branches) : "",
    failureWord(content),
  ];
}

function numbers({ content }: RowState): string[] {
  return [
    shortTime(content.timeMs),
    content.kind === "reply" && content.tokens !== undefined
      ? `${content.tokens.estimated ? "~" : ""}${shortTokens(content.tokens.context)}`
      : "",
    content.costUsd === undefined ? "" : shortCost(content.costUsd),
  ];
}

function spoken(node: EntryNode, state: RowState): string {
  const { content, position } = state;
  const place = position
    ? ""
    : node.row.onPath
      ? vscode.l10n.t("on the way to the position")
      : node.row.head
        ? ""
        : vscode.l10n.t("on another branch");
  const tokens = content.tokens === undefined ? "" : vscode.l10n.t("{0} tokens", shortTokens(content.tokens.context));
  return [
    `${kindName(content.kind)}: ${labelOf(node, state)}`,
    ...marks(node, state),
    place,
    shortTime(content.timeMs),
    tokens,
    content.costUsd === undefined ? "" : shortCost(content.costUsd),
  ]
    .filter((part) => part !== "")
    .join(", ");
}

/** Words that the menus of the manifest ask for. */
function contextValue(node: EntryNode, { content, position, undoable, label }: RowState): string {
  const { row } = node;
  return [
    "entry",
    content.kind,
    position ? "position" : "",
    row.onPath ? "active" : "other",
    undoable ? "undoable" : "",
    label === undefined ? "" : "labelled",
    row.onPath && !position && (content.kind === "user" || content.kind === "reply" || content.kind === "tools")
      ? "cut"
      : "",
  ]
    .filter((part) => part !== "")
    .join(" ");
}
