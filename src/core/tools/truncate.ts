// Limits on what a tool may hand to the model (behaviours §1): 2000 lines or 50 KB, grep lines of 500 characters.

export const MAX_LINES = 2000;
export const MAX_BYTES = 50 * 1024;
export const MAX_GREP_LINE = 500;

export interface Truncated {
  text: string;
  truncated: boolean;
  /** Lines of the whole text. */
  totalLines: number;
  shownLines: number;
}

const encoder = new TextEncoder();

/** Bytes of a text in UTF-8. */
export function byteLength(text: string): number {
  return encoder.encode(text).length;
}

/** Cuts at a number of UTF-16 units, never inside a surrogate pair. */
export function cutText(text: string, units: number): string {
  if (text.length <= units) return text;
  const last = text.charCodeAt(units - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? units - 1 : units);
}

function keepWithin(lines: readonly string[], fromEnd: boolean): string[] {
  const kept: string[] = [];
  let bytes = 0;
  for (let index = 0; index < lines.length && kept.length < MAX_LINES; index++) {
    const line = fromEnd ? lines[lines.length - 1 - index]! : lines[index]!;
    bytes += byteLength(line) + 1;
    if (bytes > MAX_BYTES) {
      if (kept.length === 0) kept.push(fromEnd ? line.slice(-MAX_BYTES).toWellFormed() : cutText(line, MAX_BYTES));
      break;
    }
    kept.push(line);
  }
  return fromEnd ? kept.reverse() : kept;
}

/** The first lines that fit; for files. */
export function truncateHead(text: string): Truncated {
  const lines = text.split("\n");
  const kept = keepWithin(lines, false);
  const shown = kept.join("\n");
  return { text: shown, truncated: shown.length < text.length, totalLines: lines.length, shownLines: kept.length };
}

/** The last lines that fit; for the output of commands, whose end says how it went. */
export function truncateTail(text: string): Truncated {
  const lines = text.split("\n");
  const kept = keepWithin(lines, true);
  const shown = kept.join("\n");
  return { text: shown, truncated: shown.length < text.length, totalLines: lines.length, shownLines: kept.length };
}

/** A file's text as the model is shown it: plain line ends, and no control bytes but tab and newline. */
export function visibleText(text: string): string {
  return (
    text
      .replaceAll("\r\n", "\n")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control bytes are what is looked for
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
      .toWellFormed()
  );
}

/** A file name on one line: a name may hold newlines, which would forge entries of a list. */
export function oneLine(name: string): string {
  return visibleText(name.replace(/[\r\n]/g, "\ufffd"));
}

/** Output without escape sequences and control bytes other than tab and newline; carriage returns start lines anew. */
export function cleanOutput(text: string): string {
  return (
    text
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
      .replace(/\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g, "")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: escape sequences are what is looked for
      .replace(/\u001b(?:\[[0-?]*[ -/]*[@-~]|[PX^_][^\u001b]*(?:\u001b\\)?|[@-Z\\-_])/g, "")
      .replace(/\r\n/g, "\n")
      .replace(/^.*\r(?=[^\n])/gm, "")
      // biome-ignore lint/suspicious/noControlCharactersInRegex: control bytes are what is looked for
      .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "")
      .toWellFormed()
  );
}
