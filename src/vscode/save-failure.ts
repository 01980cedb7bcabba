// Why a session could not be saved, in the words of the person who can do something about it.
import * as vscode from "vscode";

/** The reason behind an error of a write, without a full stop: it stands inside of another sentence. */
export function saveFailureWords(error: Error): string {
  switch (codeBehind(error)) {
    case "ENOSPC":
    case "EDQUOT":
      return vscode.l10n.t("the disk is full");
    case "EACCES":
    case "EPERM":
    case "EROFS":
      return vscode.l10n.t("the file or its folder may not be written");
    default:
      return error.message.replace(/\.$/, "");
  }
}

/** The operating system's code at the end of the chain of causes. */
function codeBehind(error: Error): string | undefined {
  let code: string | undefined;
  for (let at: unknown = error; at instanceof Error; at = at.cause) {
    const own = (at as { code?: unknown }).code;
    if (typeof own === "string") code = own;
  }
  return code;
}
