// Summaries of branches that are left (seed 1 §7, the compaction page, behaviours §6).
import { type AgentMessage, emptyUsage, type Usage } from "../llm/messages.ts";
import { applyContextEdit } from "../session/context.ts";
import type { ContextEditEntry, SessionEntry } from "../session/entries.ts";
import {
  addFileOperations,
  addSummaryDetails,
  createFileOperations,
  type FileOperations,
  fileLists,
  formatFileBlocks,
  type SummaryDetails,
  stripFileBlocks,
} from "./file-operations.ts";
import { type Summarizer, summarizeWithPrompts } from "./generate-summary.ts";
import {
  BRANCH_SUMMARY_PREAMBLE,
  BRANCH_SUMMARY_PROMPT,
  EMPTY_BRANCH_SUMMARY,
  UPDATE_SUMMARIZATION_PROMPT,
} from "./summary-prompts.ts";
import { ensureSurvival } from "./summary-survival.ts";
import { estimateTokens } from "./token-estimation.ts";

/** The message that an entry contributes to a branch summary, or undefined. Tool results and failed replies are left out. */
function branchMessage(entry: SessionEntry): AgentMessage | undefined {
  const timestamp = Date.parse(entry.timestamp);
  switch (entry.type) {
    case "message": {
      const { message } = entry;
      const failed =
        message.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted");
      return failed || message.role === "toolResult" ? undefined : message;
    }
    case "custom_message":
      return {
        role: "custom",
        customType: entry.customType,
        content: entry.content,
        display: entry.display,
        timestamp,
      };
    case "branch_summary":
      return entry.summary === ""
        ? undefined
        : { role: "branchSummary", summary: entry.summary, fromId: entry.fromId, timestamp };
    case "compaction":
      return { role: "compactionSummary", summary: entry.summary, tokensBefore: entry.tokensBefore, timestamp };
    default:
      return undefined;
  }
}

/** A summary message no longer than a number of tokens, cut on a code point. */
function clip(message: AgentMessage, tokens: number): AgentMessage {
  if (message.role !== "branchSummary" && message.role !== "compactionSummary") return message;
  return { ...message, summary: `${message.summary.slice(0, Math.max(0, tokens * 4 - 20)).toWellFormed()}\n[... cut]` };
}

export interface BranchPreparation {
  messages: AgentMessage[];
  fileOps: FileOperations;
  /** Tokens by the estimate. */
  totalTokens: number;
}

/**
 * Chooses messages within a budget of tokens, newest first. A summary that no longer fits is cut to what is left of
 * 90 % of the budget; anything else ends the choice. A budget of 0 means no limit.
 */
export function prepareBranchEntries(entries: readonly SessionEntry[], tokenBudget = 0): BranchPreparation {
  const fileOps = createFileOperations();
  for (const entry of entries) {
    if (entry.type === "branch_summary" || entry.type === "compaction") addSummaryDetails(fileOps, entry);
  }
  const edits = new Map<string, ContextEditEntry>();
  for (const entry of entries) if (entry.type === "context_edit") edits.set(entry.targetId, entry);
  const messages: AgentMessage[] = [];
  let totalTokens = 0;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index]!;
    const whole = branchMessage(entry);
    const edit = edits.get(entry.id);
    const message = edit === undefined || whole === undefined ? whole : applyContextEdit([whole], edit)[0];
    if (message === undefined) continue;
    addFileOperations(fileOps, message);
    const tokens = estimateTokens(message);
    if (tokenBudget > 0 && totalTokens + tokens > tokenBudget) {
      const isSummary = message.role === "branchSummary" || message.role === "compactionSummary";
      const left = Math.floor(tokenBudget * 0.9) - totalTokens;
      if (isSummary && left > 0) {
        const cut = clip(message, left);
        messages.unshift(cut);
        totalTokens += estimateTokens(cut);
      }
      break;
    }
    messages.unshift(message);
    totalTokens += tokens;
  }
  return { messages, fileOps, totalTokens };
}

export interface BranchSummaryResult {
  summary: string;
  usage?: Usage;
  details: SummaryDetails;
}

/**
 * Summarises a branch. `replaceInstructions` makes the custom instructions the whole prompt. A branch with nothing to
 * say gets a fixed text without a request. Throws CompactionError; writes nothing.
 */
export async function generateBranchSummary(
  entries: readonly SessionEntry[],
  summarizer: Summarizer,
  options: {
    signal: AbortSignal;
    reserveTokens: number;
    customInstructions?: string | undefined;
    replaceInstructions?: boolean | undefined;
    pinned?: readonly string[] | undefined;
  },
): Promise<BranchSummaryResult> {
  const budget = Math.max(1000, summarizer.contextWindow - options.reserveTokens);
  const { messages, fileOps } = prepareBranchEntries(entries, budget);
  const details = fileLists(fileOps);
  if (messages.length === 0) return { summary: EMPTY_BRANCH_SUMMARY, usage: emptyUsage(), details };
  const replace = options.replaceInstructions === true && (options.customInstructions ?? "").trim() !== "";
  const first = replace ? options.customInstructions! : BRANCH_SUMMARY_PROMPT;
  const { text, usage } = await summarizeWithPrompts(
    messages,
    summarizer,
    { first, update: replace ? first : UPDATE_SUMMARIZATION_PROMPT },
    { signal: options.signal, customInstructions: replace ? undefined : options.customInstructions },
  );
  const body = ensureSurvival(stripFileBlocks(text), { pinned: options.pinned });
  return { summary: BRANCH_SUMMARY_PREAMBLE + body + formatFileBlocks(details), usage, details };
}
