// Holds the page's language and translations; the English text is the key, `{0}` the first argument.

let table: Readonly<Record<string, string>> = {};

/** Replaces the table; it comes with every snapshot. */
export function setStrings(strings: Readonly<Record<string, string>>): void {
  table = strings;
}

/** The text in the person's language, arguments filled in. */
export function t(text: string, ...args: (string | number)[]): string {
  const found = Object.hasOwn(table, text) ? table[text]! : text;
  return args.length === 0 ? found : found.replace(/\{(\d)\}/g, (all, n: string) => String(args[Number(n)] ?? all));
}

/** The editor's display language, in which numbers and times are written: the browser's own may be another. */
export function language(): string {
  return (typeof document === "undefined" ? "" : document.documentElement.lang) || "en";
}
