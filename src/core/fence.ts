// Backticks around a text that may hold backticks itself (Markdown).

/** A run of backticks, `least` or more, that is longer than any in the text. Linear: the text may be anything. */
export function fenceFor(text: string, least: number): string {
  let longest = least - 1;
  for (const [run] of text.matchAll(/`+/g)) longest = Math.max(longest, run.length);
  return "`".repeat(longest + 1);
}
