// How a session name is written.

/** A session name on one line: control characters and newlines become spaces (behaviours §10, 21). */
export function cleanName(name: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out
  return name.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").trim();
}
