// Writes token counts, durations and costs the way that a narrow column can hold.
import { shortCost, shortDecimal, shortTokens } from "../protocol/short-numbers.ts";
import { language } from "./strings.ts";

/** 950, 1.2k, 45k, 1.3M. */
export function formatTokens(tokens: number): string {
  return shortTokens(tokens, language());
}

/** 45,210 (in German 45.210): whole, with separators, for tooltips and screen readers. */
export function formatWhole(value: number): string {
  return Math.round(value).toLocaleString(language());
}

/** Milliseconds as 240 ms, 3.2 s, 2 m 5 s. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${Math.max(0, Math.round(ms))} ms`;
  if (ms < 59_950) return `${shortDecimal(ms / 1000, language())} s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)} m ${seconds % 60} s`;
}

/** US dollars: $0.0042, $0.13, $12.40. */
export function formatCost(usd: number): string {
  return shortCost(usd, language());
}
