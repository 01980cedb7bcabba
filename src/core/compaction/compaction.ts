// Compaction: from a context to a summary entry (seed 1 §5.3, the compaction page, behaviours §5).
import { type AgentMessage, emptyUsage, type Usage } from "../llm/messages.ts";
import type { ContextItem, SessionContext, SessionNode } from "../session/session.ts";
import { cutAt, findCutPoint, isCutPoint, itemTokens, startsTurn } from "./cut-point.ts";
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
import { addUsage, generateSummaryWithUsage, generateTurnPrefixSummary, type Summarizer } from "./generate-summary.ts";
import { SPLIT_TURN_JOINT } from "./summary-prompts.ts";
import { ensureSurvival, lastUserRequest, stripVerbatim } from "./summary-survival.ts";
import type { CompactionSettings } from "./token-budget.ts";
import { estimateContextTokens, estimateTextTokens } from "./token-estimation.ts";

export interface CompactionPreparation {
  /** First entry that stays verbatim. */
  firstKeptEntryId: string;
  messagesToSummarize: AgentMessage[];
  /** The beginning of the split turn; empty unless `isSplitTurn`. */
  turnPrefixMessages: AgentMessage[];
  isSplitTurn: boolean;
  /** Tokens of the context that is replaced, rebuilt from the session. */
  tokensBefore: number;
  previousSummary?: string;
  fileOps: FileOperations;
  settings: CompactionSettings;
  /** Estimate of what stays verbatim. */
  keptTokens: number;
  /** Entries behind the two message lists, for preview and for the command line. */
  summarizeIds: string[];
  prefixIds: string[];
}

export interface CompactionResult {
  summary: string;
  firstKeptEntryId: string;
  tokensBefore: number;
  usage?: Usage;
  details?: unknown;
}

export interface PrepareInput {
  context: SessionContext;
  /** The leaf that the context was built for. */
  leafId: string | null;
  node: (id: string) => SessionNode | undefined;
  /** Effective settings for the model's window. */
  settings: CompactionSettings;
  /** Where to cut instead of by `keepRecentTokens`: before the last turn, or at an entry chosen by hand. */
  cut?: { kind: "lastTurn" } | { kind: "entry"; id: string };
}

/** Index of the first message whose usage was measured on this very context: behind the newest compaction or edit. */
export function trustedFrom(
  context: SessionContext,
  leafId: string | null,
  node: (id: string) => SessionNode | undefined,
): number {
  const after = new Set<string>();
  let id = leafId;
  let boundary = false;
  while (id !== null && !after.has(id)) {
    const current = node(id);
    if (current === undefined) break;
    if (current.type === "compaction" || current.type === "context_edit") {
      boundary = true;
      break;
    }
    after.add(id);
    id = current.parentId;
  }
  if (!boundary) return 0;
  let index = 0;
  for (const item of context.items) {
    if (after.has(item.entry.id)) return index;
    index += item.messages.length;
  }
  return index;
}

/** The first entry to keep: extends over invisible entries (settings, labels) that stand right before the cut. */
function extendOverMetadata(input: PrepareInput, start: number, cut: number): string {
  const visible = new Set(input.context.items.slice(start, cut).map((item) => item.entry.id));
  let id = input.context.items[cut]!.entry.id;
  for (;;) {
    const parentId = input.node(id)?.parentId;
    if (parentId === undefined || parentId === null || visible.has(parentId)) return id;
    const parent = input.node(parentId);
    if (parent === undefined || parent.type === "compaction" || parent.type === "message") return id;
    // Before the previous boundary begins what was summarised earlier.
    if (cut === start) return id;
    id = parentId;
  }
}

function chooseCut(items: readonly ContextItem[], start: number, input: PrepareInput): number {
  if (input.cut === undefined) {
    return findCutPoint(items, start, items.length, input.settings.keepRecentTokens).firstKeptIndex;
  }
  if (input.cut.kind === "entry") {
    const wanted = input.cut.id;
    const index = items.findIndex((item, at) => at >= start && item.entry.id === wanted);
    return index >= 0 && isCutPoint(items[index]!) ? index : start;
  }
  for (let index = items.length - 1; index > start; index--) {
    if (startsTurn(items[index]!)) return index;
  }
  // One turn only: its last reply stays.
  for (let index = items.length - 1; index > start; index--) {
    if (isCutPoint(items[index]!)) return index;
  }
  return start;
}

/**
 * Finds what a compaction would summarise. The range begins at the previous compaction's kept boundary, so that what
 * survived it enters the next summary. Returns undefined where there is nothing to compact: no entries, a compaction as
 * the last one, or neither history nor turn prefix before the cut.
 */
export function prepareCompaction(input: PrepareInput): CompactionPreparation | undefined {
  const { context, settings } = input;
  const items = context.items;
  const previous = items[0]?.entry.type === "compaction" ? items[0].entry : undefined;
  const start = previous === undefined ? 0 : 1;
  if (items.length <= start) return undefined;
  const cut = chooseCut(items, start, input);
  // Messages that pi-agent-core stored with the previous compaction have no entries of their own: they are history.
  const retained = previous === undefined ? [] : items[0]!.messages.slice(1);
  const point = cutAt(items, start, cut);
  const historyEnd = point.isSplitTurn ? point.turnStartIndex : cut;
  const history = items.slice(start, historyEnd);
  const prefix = point.isSplitTurn ? items.slice(point.turnStartIndex, cut) : [];
  if (history.length === 0 && prefix.length === 0) return undefined;

  const fileOps = createFileOperations();
  if (previous !== undefined) addSummaryDetails(fileOps, previous);
  for (const item of [...history, ...prefix]) {
    if (item.entry.type === "branch_summary") addSummaryDetails(fileOps, item.entry);
    for (const message of item.messages) addFileOperations(fileOps, message);
  }
  for (const message of retained) addFileOperations(fileOps, message);

  return {
    firstKeptEntryId: extendOverMetadata(input, start, cut),
    messagesToSummarize: [...retained, ...history.flatMap((item) => item.messages)],
    turnPrefixMessages: prefix.flatMap((item) => item.messages),
    isSplitTurn: point.isSplitTurn,
    tokensBefore: estimateContextTokens(context.messages, trustedFrom(context, input.leafId, input.node)).tokens,
    ...(previous === undefined ? {} : { previousSummary: previous.summary }),
    fileOps,
    settings,
    keptTokens: items.slice(cut).reduce((sum, item) => sum + itemTokens(item), 0),
    summarizeIds: history.map((item) => item.entry.id),
    prefixIds: prefix.map((item) => item.entry.id),
  };
}

/**
 * Writes the summary of a preparation. For a split turn two summaries, one after the other, joined; a split with no
 * history keeps the previous summary as it is (behaviours §5 "data loss"). Throws CompactionError; writes nothing.
 */
export async function compact(
  preparation: CompactionPreparation,
  summarizer: Summarizer,
  options: { signal: AbortSignal; customInstructions?: string | undefined; pinned?: readonly string[] | undefined },
): Promise<CompactionResult> {
  const previousSummary =
    preparation.previousSummary === undefined
      ? undefined
      : stripVerbatim(stripFileBlocks(preparation.previousSummary)).trim();
  const { signal, customInstructions } = options;
  let usage = emptyUsage();
  const parts: string[] = [];
  if (preparation.messagesToSummarize.length > 0) {
    const history = await generateSummaryWithUsage(preparation.messagesToSummarize, summarizer, {
      signal,
      customInstructions,
      previousSummary,
    });
    usage = addUsage(usage, history.usage);
    parts.push(stripFileBlocks(history.text));
  } else if (previousSummary !== undefined) {
    parts.push(previousSummary);
  }
  if (preparation.turnPrefixMessages.length > 0) {
    const prefix = await generateTurnPrefixSummary(preparation.turnPrefixMessages, summarizer, {
      signal,
      customInstructions,
    });
    usage = addUsage(usage, prefix.usage);
    parts.push(stripFileBlocks(prefix.text));
  }
  const details: SummaryDetails = fileLists(preparation.fileOps);
  const summary = ensureSurvival(parts.join(SPLIT_TURN_JOINT), {
    lastRequest: lastUserRequest([...preparation.messagesToSummarize, ...preparation.turnPrefixMessages]),
    previousSummary,
    pinned: options.pinned,
  });
  const text = summary + formatFileBlocks(details);
  return {
    summary: text,
    firstKeptEntryId: preparation.firstKeptEntryId,
    tokensBefore: preparation.tokensBefore,
    usage,
    details: { ...details, tokensAfter: preparation.keptTokens + estimateTextTokens(text) },
  };
}
