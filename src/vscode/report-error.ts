// The one place that tells a person of an error: what happened and what to do, with the log at hand.
import * as vscode from "vscode";
import { CompactionError, HarnessError, SessionError, toError } from "../core/errors.ts";

/** Key-like strings out of a text that goes to the log. */
export function redact(text: string): string {
  return text
    .replace(/\b(sk-[\w-]{6})[\w-]+/g, "$1…")
    .replace(/\b(Bearer\s+)[\w.~+/-]+=*/gi, "$1…")
    .replace(/("?(?:api[_-]?key|authorization|x-api-key|token)"?\s*[:=]\s*"?)[^"\s,}]+/gi, "$1…");
}

/** Logs an error and shows it where the person cannot see it otherwise. What they cancelled themselves is no error. */
export async function reportError(log: vscode.LogOutputChannel, thrown: unknown, context?: string): Promise<void> {
  const error = toError(thrown);
  if (error instanceof CompactionError && error.code === "aborted") return;
  log.error(redact(`${context ?? ""} ${error.stack ?? error.message}`.trim()));
  const known = error instanceof SessionError || error instanceof HarnessError || error instanceof CompactionError;
  const text = known ? error.message : vscode.l10n.t("Coppice: {0}", error.message);
  const show = vscode.l10n.t("Show Log");
  const choice = await vscode.window.showErrorMessage(redact(text), show);
  if (choice === show) log.show(true);
}
