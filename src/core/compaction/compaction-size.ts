// How large the context was right behind a compaction.
import { sessionEntryToContextMessages } from "../session/context.ts";
import type { CompactionEntry } from "../session/entries.ts";
import type { Session } from "../session/session.ts";
import { estimateTokens } from "./token-estimation.ts";

/** The size that a compaction of ours noted, to be compared with its `tokensBefore`; undefined for those of others. */
export function notedTokensAfter(entry: Pick<CompactionEntry, "details">): number | undefined {
  const value = (entry.details as { tokensAfter?: unknown } | null | undefined)?.tokensAfter;
  return typeof value === "number" && value >= 0 ? value : undefined;
}

/**
 * The size that was noted, or else the estimated tokens of the summary and of what stayed word for word. Reads what stayed;
 * leaves the session's own context as it is, which a look at an old compaction must not push out.
 */
export async function tokensAfterCompaction(session: Session, entry: CompactionEntry): Promise<number> {
  const noted = notedTokensAfter(entry);
  if (noted !== undefined) return noted;
  const path = session.pathTo(entry.id);
  const from = entry.firstKeptEntryId === undefined ? -1 : path.indexOf(entry.firstKeptEntryId);
  const kept = entry.retainedTail !== undefined || from < 0 ? [] : path.slice(from, -1);
  const entries = [entry, ...(await session.getEntries(kept)).filter((each) => each.type !== "compaction")];
  let tokens = 0;
  for (const each of entries) {
    for (const message of sessionEntryToContextMessages(each)) tokens += estimateTokens(message);
  }
  return tokens;
}
