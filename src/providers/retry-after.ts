// How long a server asks to wait, from its headers or its words.

/**
 * Milliseconds until a retry is welcome, or undefined where the server did not say so understandably.
 * @param now epoch milliseconds, for dates.
 */
export function retryAfterMs(headers: Headers | undefined, text: string, now: number): number | undefined {
  const exact = Number(headers?.get("retry-after-ms") ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return Math.ceil(exact);
  const value = headers?.get("retry-after")?.trim();
  if (value !== undefined && value !== "") {
    const seconds = Number(value);
    if (Number.isFinite(seconds) && seconds >= 0) return Math.ceil(seconds * 1_000);
    const date = /[a-z]{3}/i.test(value) ? Date.parse(value) : Number.NaN;
    if (Number.isFinite(date)) return Math.max(0, date - now);
  }
  const words = /(?:try again|retry) (?:in|after) ([\d.]+)\s*(ms|milliseconds?|s|sec|seconds?|m|min|minutes?)\b/i.exec(
    text,
  );
  if (words === null) return undefined;
  const amount = Number(words[1]);
  if (!Number.isFinite(amount)) return undefined;
  const unit = (words[2] ?? "s").toLowerCase();
  const factor = unit.startsWith("ms") || unit.startsWith("milli") ? 1 : unit.startsWith("m") ? 60_000 : 1_000;
  return Math.ceil(amount * factor);
}
