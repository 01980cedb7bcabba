// Where the history is cut: what is summarised and what stays verbatim (seed 1 §5.2, the compaction page, behaviours §5).
import type { ContextItem } from "../session/session.ts";
import { estimateTokens } from "./token-estimation.ts";

export interface CutPoint {
  /** Index of the first item that stays; `endIndex` where nothing can be cut. */
  firstKeptIndex: number;
  /** Start of the turn that the cut splits, or -1. */
  turnStartIndex: number;
  isSplitTurn: boolean;
}

/** Items whose first message may begin the kept tail: everything visible but a tool result. */
export function isCutPoint(item: ContextItem): boolean {
  const first = item.messages[0];
  return first !== undefined && first.role !== "toolResult";
}

/** Items that begin a turn: user, shell execution, custom message, branch summary. */
export function startsTurn(item: ContextItem): boolean {
  switch (item.messages[0]?.role) {
    case "user":
    case "bashExecution":
    case "custom":
    case "branchSummary":
      return true;
    default:
      return false;
  }
}

/** Tokens of an item by the estimate, whatever a provider reported. */
export function itemTokens(item: ContextItem): number {
  let tokens = 0;
  for (const message of item.messages) tokens += estimateTokens(message);
  return tokens;
}

/**
 * Walks backwards from `endIndex` until `keepRecentTokens` are gathered, then takes the first valid cut point at or after
 * that item; behind an oversized tail of tool results, the call that they answer. Where the whole range is smaller than
 * `keepRecentTokens`, nothing is cut.
 */
export function findCutPoint(
  entries: readonly ContextItem[],
  startIndex: number,
  endIndex: number,
  keepRecentTokens: number,
): CutPoint {
  const nothing: CutPoint = { firstKeptIndex: startIndex, turnStartIndex: -1, isSplitTurn: false };
  let gathered = 0;
  let reached = -1;
  for (let index = endIndex - 1; index >= startIndex; index--) {
    gathered += itemTokens(entries[index]!);
    if (gathered >= keepRecentTokens) {
      reached = index;
      break;
    }
  }
  if (reached < 0) return nothing;
  let cut = reached;
  while (cut < endIndex && !isCutPoint(entries[cut]!)) cut++;
  if (cut === endIndex) {
    cut = reached;
    while (cut >= startIndex && !isCutPoint(entries[cut]!)) cut--;
    if (cut < startIndex) return nothing;
  }
  return cutAt(entries, startIndex, cut);
}

/** The cut at a given item, with the turn that it splits, if one. */
export function cutAt(entries: readonly ContextItem[], startIndex: number, cut: number): CutPoint {
  if (startsTurn(entries[cut]!)) return { firstKeptIndex: cut, turnStartIndex: -1, isSplitTurn: false };
  for (let index = cut - 1; index >= startIndex; index--) {
    if (startsTurn(entries[index]!)) return { firstKeptIndex: cut, turnStartIndex: index, isSplitTurn: true };
  }
  return { firstKeptIndex: cut, turnStartIndex: -1, isSplitTurn: false };
}
