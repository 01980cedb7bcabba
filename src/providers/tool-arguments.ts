// Reads the argument text of a finished tool call: strictly, never completing what was cut off.

export type ParsedArguments =
  | { arguments: Record<string, unknown>; error?: undefined }
  | { arguments: Record<string, never>; error: string };

const QUOTE_LIMIT = 300;

/**
 * Parses the joined argument fragments of one call. Empty text is an empty object; raw control characters and
 * unknown escapes inside strings are repaired (models emit them), a missing end never is (security §2.21).
 */
export function parseToolArguments(text: string): ParsedArguments {
  if (text.trim() === "") return { arguments: {} };
  for (const candidate of [text, escapeStrings(text)]) {
    try {
      const value: unknown = JSON.parse(candidate);
      if (typeof value === "object" && value !== null && !Array.isArray(value)) {
        return { arguments: value as Record<string, unknown> };
      }
      return { arguments: {}, error: `The arguments are not a JSON object: ${quote(text)}` };
    } catch {
      // The next candidate, or the error below.
    }
  }
  return { arguments: {}, error: `The arguments are not valid JSON: ${quote(text)}` };
}

function quote(text: string): string {
  return text.length <= QUOTE_LIMIT ? text : `${text.slice(0, QUOTE_LIMIT).toWellFormed()}…`;
}

/** The same text with control characters and unknown escapes inside its strings written as JSON wants them. */
function escapeStrings(text: string): string {
  let out = "";
  let inside = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i] as string;
    if (char === '"') {
      inside = !inside;
      out += char;
    } else if (inside && char === "\\") {
      const next = text[i + 1] ?? "";
      const known = next === "u" ? /^[0-9a-fA-F]{4}/.test(text.slice(i + 2, i + 6)) : '"\\/bfnrt'.includes(next);
      out += known && next !== "" ? char + next : "\\\\";
      if (known && next !== "") i++;
    } else if (inside && char < " ") {
      out += `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`;
    } else {
      out += char;
    }
  }
  return out;
}
