// Guesses how tall an item will be before it was ever shown.
import type { TranscriptItem } from "../protocol/view-state.ts";

const LINE = 20;
const CHARACTER = 6.7;
const UNKNOWN = 48;
/** Characters looked at for line breaks. */
const SAMPLE = 300;

/** Pixels at this width of the list; wrong by some lines, right enough for the scroll bar. */
export function estimateHeight(item: TranscriptItem, width: number): number {
  try {
    return estimate(item, width) ?? UNKNOWN;
  } catch {
    // Of another shape than it should be: it will be shown as such, and must not blank the page.
    return UNKNOWN;
  }
}

function estimate(item: TranscriptItem, width: number): number | undefined {
  const perLine = Math.max(10, (Math.min(width, 860) - 40) / CHARACTER);
  switch (item.kind) {
    case "user":
      return 56 + Math.min(14, lines(item.text, perLine)) * LINE;
    case "assistant":
      return replyHeight(item, perLine);
    case "cut":
      return 110;
    case "tool":
    case "bash":
      return 26;
    case "compaction":
    case "branchSummary":
      return 44;
    case "custom":
    case "notice":
      return 48 + lines(item.text, perLine) * LINE;
  }
}

function replyHeight(item: Extract<TranscriptItem, { kind: "assistant" }>, perLine: number): number {
  let height = 0;
  for (const block of item.blocks) {
    if (block.type === "text" && block.text !== "") height += 32 + lines(block.text, perLine) * LINE;
    else if (block.type === "thinking" && block.text !== "") height += 26;
  }
  return height + (item.errorMessage === undefined ? 0 : 90);
}

function lines(text: string, perLine: number): number {
  // A sample tells how often lines break; counting all of a long conversation would be felt.
  const sample = Math.min(text.length, SAMPLE);
  let breaks = 0;
  for (let at = text.indexOf("\n"); at >= 0 && at < sample; at = text.indexOf("\n", at + 1)) breaks++;
  const scale = sample === 0 ? 0 : text.length / sample;
  return Math.max(1, breaks * scale * 0.8 + text.length / perLine);
}
