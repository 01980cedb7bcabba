// Signs that a context was too large although the server reported success.
import type { AssistantMessage } from "./messages.ts";

/** `overflow`: the input was larger than the window; `truncated`: the server read less than was sent. */
export type SilentOverflow = "overflow" | "truncated";

/**
 * Judges a finished reply (providers §4, silent signs).
 * @param contextWindow tokens of the model's whole window.
 * @param estimatedInput estimated tokens of the request, where known; a report of under half of it means truncation.
 */
export function detectSilentOverflow(
  message: AssistantMessage,
  contextWindow: number,
  estimatedInput?: number,
): SilentOverflow | undefined {
  if (message.stopReason === "error" || message.stopReason === "aborted" || message.usage.estimated === true) {
    return undefined;
  }
  const { input, cacheRead, cacheWrite, output } = message.usage;
  const whole = input + cacheRead + cacheWrite;
  if (whole > contextWindow) return "overflow";
  if (message.stopReason === "length" && output === 0 && whole >= contextWindow * 0.99) return "overflow";
  if (estimatedInput !== undefined && whole > 0 && whole * 2 < estimatedInput) return "truncated";
  return undefined;
}
