// The words of a question before a tool runs, in the person's language: the tools themselves know only English.
import * as vscode from "vscode";

/** Titles, scopes and warnings of the tools; of two that fit, the first. */
export const APPROVAL_WORDS: readonly string[] = [
  "Run a command",
  "Edit {0}",
  "Create {0}",
  "Overwrite {0}",
  "Read {0}",
  "Search {0}",
  "List {0}",
  "Find files in {0}",
  "all edits of files in this workspace",
  "exactly this command: {0}",
  "Outside the workspace: {0}",
  "A link leads to {0}",
  "Files in {0} can run code",
  "Files in {0} steer agents",
  "A workspace file can change settings and run code",
  "{0} can run code",
  "{0} steers agents or holds secrets",
  "The file has another name elsewhere (hard link)",
  "The JSON names a remote $schema, which the editor would fetch",
  "What is there now is no text and cannot be shown ({0} bytes); it would be replaced",
  "Holds invisible or control characters: {0}",
  "Holds characters beyond ASCII, which may look like others",
  "The command is too long to be analysed",
  "The command could not be analysed",
  "The command could not be analysed completely",
  "Runs {0} commands",
  "Which program runs is known only when it runs",
  "Uses the network ({0})",
  "Asks for more rights ({0})",
];

let patterns: readonly { words: string; pattern: RegExp }[] | undefined;

/** What a tool says of itself, translated; as it is where it is none of the known sentences. */
export function approvalWords(text: string): string {
  if (vscode.l10n.bundle === undefined) return text;
  patterns ??= APPROVAL_WORDS.map((words) => ({ words, pattern: patternOf(words) }));
  for (const { words, pattern } of patterns) {
    const found = pattern.exec(text);
    if (found !== null) return vscode.l10n.t(words, ...found.slice(1));
  }
  return text;
}

function patternOf(words: string): RegExp {
  const literal = words.split("{0}").map((part) => part.replace(/[$()*+.?[\\\]^{|}]/g, "\\$&"));
  // A path or a command may hold line breaks.
  return new RegExp(`^${literal.join("([^]*)")}$`);
}
