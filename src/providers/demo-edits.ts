// The edits that the demo can make: found in a file's text, exact and unique.

/** A replacement for the edit tool: `oldText` stands exactly once in the file. */
export interface DemoEdit {
  oldText: string;
  newText: string;
}

const WARM = " Good to see you!";
const WARMER = " How nice that you are here!";

/** Makes the first greeting of a file friendlier, or undefined where it holds none. */
export function friendlier(shown: string): DemoEdit | undefined {
  const text = withoutLineNumbers(shown);
  const literal = /(["'`])((?:Hello|Hi|Hey|Welcome|Good day)\b(?:(?!\1)[^\n\\]|\\.)*)\1/.exec(text);
  if (literal === null) return undefined;
  const [whole, quote, greeting] = literal as unknown as [string, string, string];
  const line = unique(text, whole) ? whole : lineAround(text, literal.index);
  if (line === undefined) return undefined;
  const warmer = greeting.endsWith(WARM)
    ? greeting.slice(0, -WARM.length) + WARMER
    : greeting.endsWith(WARMER)
      ? greeting.slice(0, -WARMER.length) + WARM
      : greeting + WARM;
  return { oldText: line, newText: line.replace(whole, () => quote + warmer + quote) };
}

/** Puts a comment before the first line that stands only once. */
export function touched(shown: string): DemoEdit | undefined {
  const text = withoutLineNumbers(shown);
  const line = text.split("\n").find((candidate) => candidate.trim() !== "" && unique(text, candidate));
  return line === undefined ? undefined : { oldText: line, newText: `// A comment by the scripted demo.\n${line}` };
}

/** The file's own text where a tool shows it with a number before each line. */
function withoutLineNumbers(text: string): string {
  const lines = text.split("\n");
  const numbered = /^\s*\d+[\t|:→] ?/;
  return lines.every((line) => line.trim() === "" || numbered.test(line))
    ? lines.map((line) => line.replace(numbered, "")).join("\n")
    : text;
}

function unique(text: string, part: string): boolean {
  return text.indexOf(part) === text.lastIndexOf(part);
}

function lineAround(text: string, index: number): string | undefined {
  const start = text.lastIndexOf("\n", index) + 1;
  const end = text.indexOf("\n", index);
  const line = text.slice(start, end < 0 ? text.length : end);
  return unique(text, line) ? line : undefined;
}
