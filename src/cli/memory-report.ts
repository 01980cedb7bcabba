// What the memory core makes of a context: tokens per message, and what a compaction would do.
import { prepareCompaction, trustedFrom } from "../core/compaction/compaction.ts";
import { fileLists } from "../core/compaction/file-operations.ts";
import { DEFAULT_COMPACTION_SETTINGS, effectiveSettings } from "../core/compaction/token-budget.ts";
import { estimateContextTokens, estimateTokens } from "../core/compaction/token-estimation.ts";
import type { AgentMessage } from "../core/llm/messages.ts";
import type { Session, SessionContext } from "../core/session/session.ts";

export const DEFAULTS = {
  keepRecentTokens: DEFAULT_COMPACTION_SETTINGS.keepRecentTokens,
  reserveTokens: DEFAULT_COMPACTION_SETTINGS.reserveTokens,
};

export interface MemorySettings {
  keepRecentTokens: number;
  reserveTokens: number;
  /** Tokens; undefined takes the settings as they are. */
  window: number | undefined;
}

export interface MemoryReport {
  context: { entryId: string; role: AgentMessage["role"]; tokens: number }[];
  contextTokens: { tokens: number; usageTokens: number; trailingTokens: number };
  compaction: {
    firstKeptEntryId: string;
    isSplitTurn: boolean;
    summarize: string[];
    prefix: string[];
    tokensBefore: number;
    readFiles: string[];
    modifiedFiles: string[];
  } | null;
}

export function memoryReport(session: Session, context: SessionContext, settings: MemorySettings): MemoryReport {
  const leafId = session.getLeafId();
  const node = (id: string) => session.node(id);
  const { keepRecentTokens, reserveTokens, window } = settings;
  const wanted = { enabled: true, keepRecentTokens, reserveTokens };
  const effective = window === undefined ? wanted : effectiveSettings(wanted, window);
  const tokens = estimateContextTokens(context.messages, trustedFrom(context, leafId, node));
  const plan = prepareCompaction({ context, leafId, node, settings: effective });
  return {
    context: context.items.flatMap((item) =>
      item.messages.map((message) => ({
        entryId: item.entry.id,
        role: message.role,
        tokens: estimateTokens(message),
      })),
    ),
    contextTokens: {
      tokens: tokens.tokens,
      usageTokens: tokens.usageTokens,
      trailingTokens: tokens.trailingTokens,
    },
    compaction:
      plan === undefined
        ? null
        : {
            firstKeptEntryId: plan.firstKeptEntryId,
            isSplitTurn: plan.isSplitTurn,
            summarize: plan.summarizeIds,
            prefix: plan.prefixIds,
            tokensBefore: plan.tokensBefore,
            ...fileLists(plan.fileOps),
          },
  };
}
