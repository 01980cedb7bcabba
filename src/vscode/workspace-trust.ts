// Restricted Mode: sessions are read, and nothing is sent.
import * as vscode from "vscode";
import { HarnessError } from "../core/errors.ts";

/** Throws `invalid_state` where the workspace is not trusted: before a person is asked for what would then be refused. */
export function requireTrust(): void {
  if (!vscode.workspace.isTrusted) throw new HarnessError("invalid_state", restrictedWords());
}

export function restrictedWords(): string {
  return vscode.l10n.t("This workspace is restricted. Trust it to let Coppice work in it.");
}
