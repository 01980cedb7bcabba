// The first words of a Markdown text that say something, without its marks (pure: no editor in here).
import { cleanName } from "../core/session/session-name.ts";

const MAX_TITLE = 160;
/** What is looked at: the beginning of a text says what it is about. */
const MAX_LOOK = 4000;
/** Fewer letters and digits than these say too little to stand alone, such as "Done" or "In src:". */
const MIN_TELLING = 12;

/** The first line that says something, without control characters, not too long. */
export function titleLine(text: string): string {
  return oneTitle(/\S[^\n]*/.exec(text.slice(0, 10_000))?.[0] ?? "");
}

function oneTitle(text: string): string {
  // Marks of direction could make a row read as another.
  const line = cleanName(text.replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "")).replace(/\s+/g, " ");
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE).toWellFormed()}…` : line;
}

/** Words in a line of Markdown without the marks for links, pictures, code and emphasis. */
export function withoutMarks(line: string): string {
  // What stands between backticks is taken as it is: `*.ts` is no emphasis.
  return line
    .split(/(`+)(?!`)(.*?[^`])\1(?!`)/)
    .map((part, at) => (at % 3 === 0 ? plain(part) : at % 3 === 1 ? "" : part.trim()))
    .join("");
}

function plain(text: string): string {
  return text
    .replace(/!?\[([^[\]]*)\]\((?:[^()\s]|\([^()\s]*\))*(?:\s+"[^"]*")?\)/g, "$1")
    .replace(/<(https?:[^<>\s]+)>/g, "$1")
    .replace(/`|(?<!\\)(?:\*\*|__|~~)/g, "")
    .replace(/(^|[\s(“"'])[*_](\S(?:[^*_]*\S)?)[*_](?=$|[\s).,:;!?”"'])/g, "$1$2")
    .replace(/\\([\\`*_{}[\]()#+\-.!~>|])/g, "$1");
}

interface Line {
  text: string;
  heading: boolean;
  /** A line of a code block: it says something only where nothing else does, or behind a colon. */
  code: boolean;
}

/** A line of nothing but a rule, a table's border, a tag or a heading's underline. */
const EMPTY = /^(?:[-*_=|:\s]*|<[^<>]*>)$/;
/** Marks at the beginning of a line: quotes, list items, boxes of tasks. */
const LEAD = /^(?:>\s?|(?:[-*+•]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?)/;

function* lines(markdown: string): Generator<Line> {
  let fence = "";
  for (const raw of markdown.slice(0, MAX_LOOK).split("\n")) {
    let text = raw.trim();
    const mark = /^(?:```+|~~~+)/.exec(text)?.[0] ?? "";
    if (mark !== "" && (fence === "" || mark.startsWith(fence))) {
      fence = fence === "" ? mark : "";
      continue;
    }
    if (fence !== "") {
      if (text !== "") yield { text, heading: false, code: true };
      continue;
    }
    for (let lead = LEAD.exec(text); lead !== null; lead = LEAD.exec(text)) text = text.slice(lead[0].length).trim();
    if (EMPTY.test(text)) continue;
    const heading = /^#{1,6}\s+/.exec(text)?.[0] ?? "";
    text = text.slice(heading.length).replace(/\s#+$/, "");
    if (text.startsWith("|")) text = text.replace(/^\||\|$/g, "").replace(/\s*\|\s*/g, " · ");
    text = withoutMarks(text).trim();
    if (/[\p{L}\p{N}]/u.test(text)) yield { text, heading: heading !== "", code: false };
  }
}

/**
 * A title for a text in Markdown: the first words that tell something. What says little by itself ("Done", "In src:") is
 * joined by what follows it. `headings`: false passes over headings, which say the same in every summary.
 */
export function tellingWords(markdown: string, headings = true): string {
  let title = "";
  let code = "";
  let wanted = false;
  for (const line of lines(markdown)) {
    wanted = title.endsWith(":") || (wanted && line.code);
    if (line.code && !wanted) {
      code ||= line.text;
      continue;
    }
    if (line.heading && !headings) continue;
    title = line.code ? `${title} ${line.text}` : joined(title, line.text);
    if (letters(title) >= MIN_TELLING) break;
  }
  const words = oneTitle(title || code).replace(/[\s:]+$/, "");
  return words !== "" ? words : titleLine(markdown);
}

function joined(title: string, more: string): string {
  if (title === "") return more;
  return /[\p{L}\p{N})\]]$/u.test(title) ? `${title}: ${more}` : `${title} ${more}`;
}

function letters(text: string): number {
  return text.match(/[\p{L}\p{N}]/gu)?.length ?? 0;
}
