// Words for numbers, times and kinds in native views.
import * as vscode from "vscode";
import * as numbers from "../protocol/short-numbers.ts";
import type { RowKind } from "./tree-row.ts";

/** 950, 1.2k, 45k, 1.3M. */
export function shortTokens(tokens: number): string {
  return numbers.shortTokens(tokens, vscode.env.language);
}

/** US dollars with as many digits as the amount needs. */
export function shortCost(usd: number): string {
  return numbers.shortCost(usd, vscode.env.language);
}

/** Making a format costs some fifty times as much as using it. */
const formats = new Map<string, Intl.DateTimeFormat>();

function formatted(date: Date, options: Intl.DateTimeFormatOptions): string {
  const key = `${vscode.env.language} ${Object.keys(options).length}`;
  let format = formats.get(key);
  if (format === undefined) {
    format = new Intl.DateTimeFormat(vscode.env.language, options);
    formats.set(key, format);
  }
  return format.format(date);
}

/** The time today, the day as well for the others; empty for an unknown one. */
export function shortTime(ms: number, now = Date.now()): string {
  if (ms === 0) return "";
  const date = new Date(ms);
  const time: Intl.DateTimeFormatOptions = { hour: "2-digit", minute: "2-digit" };
  const today = date.toDateString() === new Date(now).toDateString();
  return formatted(date, today ? time : { day: "numeric", month: "short", ...time });
}

/**
 * Label and description of a row whose words are as long as they are: its state comes first, because the end of a row is not
 * seen in a narrow side bar.
 */
export function rowTexts(
  states: readonly string[],
  words: string,
  more: readonly string[],
): { label: string; description: string } {
  const joined = (parts: readonly string[]) => parts.filter((part) => part !== "").join(" · ");
  const state = joined(states);
  return state === ""
    ? { label: words, description: joined(more) }
    : { label: state, description: joined([words, ...more]) };
}

/** Attempts at one reply that failed, by what the last of them met. */
export function attemptsTitle(count: number, last: string): string {
  return last === "" ? vscode.l10n.t("{0} attempts", count) : vscode.l10n.t("{0} attempts: {1}", count, last);
}

export function kindName(kind: RowKind): string {
  switch (kind) {
    case "user":
      return vscode.l10n.t("You");
    case "reply":
      return vscode.l10n.t("Reply");
    case "tools":
      return vscode.l10n.t("Tools");
    case "result":
      return vscode.l10n.t("Tool result");
    case "shell":
      return vscode.l10n.t("Shell");
    case "compaction":
      return vscode.l10n.t("Compaction");
    case "branchSummary":
      return vscode.l10n.t("Summary of a branch");
    case "note":
      return vscode.l10n.t("Note");
    case "setting":
      return vscode.l10n.t("Setting");
  }
}
