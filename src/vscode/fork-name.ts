// What a fork is called, so that it is told apart from the session that it came from.
import * as vscode from "vscode";

/** Also as another language of the editor wrote it. */
const SUFFIX = / \((?:fork|abzweig)(?: \d+)?\)$/i;

/** "Title (fork)", or the first "Title (fork n)" that is not taken; a fork of a fork counts on. */
export function forkName(title: string, taken: ReadonlySet<string>): string {
  const base = title.replace(SUFFIX, "");
  const first = vscode.l10n.t("{0} (fork)", base);
  if (!taken.has(first)) return first;
  for (let number = 2; ; number++) {
    const name = vscode.l10n.t("{0} (fork {1})", base, number);
    if (!taken.has(name)) return name;
  }
}
