// A summary as people read it: its file blocks as lists. What is stored and sent keeps the blocks byte for byte.

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

/** Only tags that stand on lines of their own are blocks: words that quote them stay words. */
const BLOCK = /(?:^|\n)[ \t]*<(read-files|modified-files)>[ \t]*\n([\s\S]*?)\n?[ \t]*<\/\1>[ \t]*(?=\n|$)/g;

/** Takes the file blocks out of a summary; a file that stands in several blocks is listed once. */
export function summaryParts(summary: string): SummaryParts {
  const read = new Set<string>();
  const changed = new Set<string>();
  const text = summary.replace(BLOCK, (_block, tag: string, lines: string) => {
    const into = tag === "read-files" ? read : changed;
    for (const line of lines.split("\n")) if (line.trim() !== "") into.add(shownPath(line.trim()));
    return "\n";
  });
  if (read.size + changed.size === 0) return { text: summary, readFiles: [], changedFiles: [] };
  return { text: text.replace(/\n{3,}/g, "\n\n").trim(), readFiles: [...read], changedFiles: [...changed] };
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

/** Backticks inside are held by a longer fence. */
function codeSpan(text: string): string {
  const longest = Math.max(0, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
  const fence = "`".repeat(longest + 1);
  return longest === 0 ? `${fence}${text}${fence}` : `${fence} ${text} ${fence}`;
}
