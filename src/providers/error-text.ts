// Makes one readable line of whatever a server sent as its error, without keys, markup or control characters.

const LIMIT = 600;

/** The message inside an error body: `{error:{message}}`, `{error}`, `{message}`, `{detail}` or plain text. */
export function errorText(body: unknown): string {
  if (typeof body === "string") return body;
  if (typeof body !== "object" || body === null) return body === undefined || body === null ? "" : String(body);
  const record = body as Record<string, unknown>;
  for (const key of ["error", "message", "detail", "errorMessage"]) {
    const inner = record[key];
    if (typeof inner === "string" && inner.trim() !== "") return inner;
    if (typeof inner === "object" && inner !== null) {
      const text = errorText(inner);
      if (text !== "") return text;
    }
  }
  return JSON.stringify(body);
}

/** The code or type of an error body, the more specific first. */
export function errorCode(body: unknown): string | undefined {
  if (typeof body !== "object" || body === null) return undefined;
  const record = body as Record<string, unknown>;
  const inner = record.error;
  if (typeof inner === "object" && inner !== null) {
    const code = errorCode(inner);
    if (code !== undefined) return code;
  }
  for (const key of ["code", "type"]) {
    const value = record[key];
    if (typeof value === "string" && value !== "" && value !== "error") return value;
    if (typeof value === "number" && key === "code") return String(value);
  }
  return undefined;
}

/** True for a page meant for a browser, such as a proxy's error page or a captive portal. */
export function looksLikeHtml(text: string): boolean {
  return /^\s*(<!doctype|<html|<head|<body|<\?xml)/i.test(text);
}

/**
 * One line for people and for the session file.
 * @param secrets texts that must not appear; keys that a server quotes back are cut out as well.
 */
export function readableError(text: string, secrets: readonly (string | undefined)[] = []): string {
  let line = looksLikeHtml(text) ? htmlTitle(text) : text;
  for (const secret of secrets) {
    if (secret !== undefined && secret.length >= 4) line = line.split(secret).join("[key]");
  }
  line = line
    .replace(/\bBearer\s+[\w.~+/=-]{8,}/gi, "Bearer [key]")
    .replace(/\b(sk|key|xai|gsk|pk)-[\w*-]{8,}/gi, "[key]")
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is removed
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ")
    .replace(/ {2,}/g, " ")
    .trim();
  return line.length <= LIMIT ? line.toWellFormed() : `${line.slice(0, LIMIT).toWellFormed()}…`;
}

function htmlTitle(html: string): string {
  const title = /<title[^>]*>([^<]{1,200})/i.exec(html)?.[1] ?? /<h1[^>]*>([^<]{1,200})/i.exec(html)?.[1];
  return title === undefined ? "a web page" : `a web page titled "${title.trim()}"`;
}
