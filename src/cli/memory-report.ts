// What the memory core makes of a context: tokens per message, and what a compaction would do.
import type { AgentMessage } from "../core/llm/messages.ts";
import type { Session, SessionContext } from "../core/session/session.ts";

export const DEFAULTS = { keepRecentTokens: 20_000, reserveTokens: 16_384 };

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

export function memoryReport(_session: Session, context: SessionContext, _settings: MemorySettings): MemoryReport {
  return {
    context: context.items.flatMap((item) =>
      item.messages.map((message) => ({ entryId: item.entry.id, role: message.role, tokens: 0 })),
    ),
    contextTokens: { tokens: 0, usageTokens: 0, trailingTokens: 0 },
    compaction: null,
  };
}
