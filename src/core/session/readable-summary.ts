// A summary as people read it: its file blocks as lists. What is stored and sent keeps the blocks byte for byte.

import { fenceFor } from "../fence.ts";

export interface SummaryParts {
  /** The summary without its file blocks. */
  text: string;
  readFiles: string[];
  changedFiles: string[];
}

/** Headings of the two lists, in the reader's language. */
export interface FileWords {
  read: string;
  changed: string;
}

const TAGS = ["read-files", "modified-files"] as const;

/**
 * Takes the file blocks out of a summary; a file that stands in several blocks is listed once. Only tags that stand on lines
 * of their own are blocks: words that quote them stay words. Linear: a summary may be anything.
 */
export function summaryParts(summary: string): SummaryParts {
  const lines = summary.split("\n");
  const marks = lines.map((line) => (line.includes("-files>") ? line.trim() : ""));
  // The nearest last.
  const closings = TAGS.map((tag) => marks.flatMap((mark, at) => (mark === `</${tag}>` ? [at] : [])).reverse());
  const found = TAGS.map(() => new Set<string>());
  const text: string[] = [];
  for (let at = 0; at < lines.length; at++) {
    const tag = TAGS.findIndex((one) => marks[at] === `<${one}>`);
    const closing = closings[tag];
    while (closing !== undefined && closing.length > 0 && closing.at(-1)! < at) closing.pop();
    const end = closing?.at(-1);
    if (end === undefined) {
      text.push(lines[at]!);
      continue;
    }
    for (const line of lines.slice(at + 1, end)) if (line.trim() !== "") found[tag]!.add(shownPath(line.trim()));
    at = end;
  }
  const [readFiles, changedFiles] = found.map((paths) => [...paths]) as [string[], string[]];
  if (readFiles.length + changedFiles.length === 0) return { text: summary, readFiles, changedFiles };
  return {
    text: text
      .join("\n")
      .replace(/\n{3,}/g, "\n\n")
      .trim(),
    readFiles,
    changedFiles,
  };
}

/** Angle brackets were escaped so that a path cannot close its block; nothing else of a path is undone. */
function shownPath(line: string): string {
  return line.replace(/\\u003c/g, "<").replace(/\\u003e/g, ">");
}

/** The summary as Markdown with its files as lists behind the text; as it is where it names none. */
export function readableSummary(summary: string, words: FileWords): string {
  const { text, readFiles, changedFiles } = summaryParts(summary);
  const lists = [fileList(words.read, readFiles), fileList(words.changed, changedFiles)];
  return [text, ...lists].filter((part) => part !== "").join("\n\n");
}

/** A heading and a list in Markdown; empty where there is nothing to list. */
export function fileList(title: string, paths: readonly string[]): string {
  if (paths.length === 0) return "";
  return [`## ${title}`, "", ...paths.map((path) => `- ${codeSpan(path)}`)].join("\n");
}

function codeSpan(text: string): string {
  const fence = fenceFor(text, 1);
  return fence.length === 1 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
