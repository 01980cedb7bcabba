// Texts of files that the model is told to follow: what hides in them is taken out, and the head of a Markdown file is read.

/** Tag and other invisible characters out of a text that the model is told to follow; how many there were (security §1 45). */
export function stripInvisible(text: string): { text: string; removed: number } {
  let removed = 0;
  const cleaned = text.replace(/[\u{e0000}-\u{e007f}\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u00ad]/gu, () => {
    removed++;
    return "";
  });
  return { text: cleaned, removed };
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
const CONTROL_OR_SPACE = /[\u0000-\u001f\u007f-\u009f\s]+/g;

/** A text on one line, without control characters, no longer than `limit` characters. */
export function oneLineText(text: string, limit: number): string {
  const line = stripInvisible(text).text.replace(CONTROL_OR_SPACE, " ").trim();
  return line.length <= limit ? line : `${line.slice(0, limit - 1).toWellFormed()}…`;
}

export interface FrontMatter {
  /** Top-level values; nested ones are left out. */
  values: ReadonlyMap<string, string>;
  body: string;
}

function unquoted(value: string): string {
  const text = value.trim();
  if (/^"(?:[^"\\]|\\.)*"$/.test(text)) {
    try {
      return String(JSON.parse(text));
    } catch {
      return text.slice(1, -1);
    }
  }
  if (/^'(?:[^']|'')*'$/.test(text)) return text.slice(1, -1).replaceAll("''", "'");
  return text.replace(/\s+#.*$/, "");
}

/**
 * The values between two lines of `---` at the beginning: plain, quoted and block (`|`, `>`) texts of the first level, which
 * is all that skills and prompt templates use of YAML. A file without them is all body.
 */
export function parseFrontMatter(text: string): FrontMatter {
  const lines = text
    .replace(/^\ufeff/, "")
    .replaceAll("\r\n", "\n")
    .split("\n");
  const end = lines[0]?.trim() === "---" ? lines.findIndex((line, i) => i > 0 && line.trim() === "---") : -1;
  const values = new Map<string, string>();
  if (end < 0) return { values, body: lines.join("\n") };
  for (let at = 1; at < end; at++) {
    const match = /^([A-Za-z][\w-]*):(?:\s+(.*)|\s*)$/.exec(lines[at]!);
    if (match === null) continue;
    const [, key, first = ""] = match;
    const block: string[] = [];
    while (at + 1 < end && /^(?:\s+\S|\s*$)/.test(lines[at + 1]!)) block.push(lines[++at]!.trim());
    if (/^[|>][+-]?\s*$/.test(first)) values.set(key!, block.join(first.startsWith("|") ? "\n" : " ").trim());
    else if (first !== "" || block.every((line) => !/^-|^[\w-]+:(?:\s|$)/.test(line))) {
      values.set(key!, unquoted([first, ...block].join(" ")));
    }
  }
  return { values, body: lines.slice(end + 1).join("\n") };
}
