// How large the context is at a point that is only looked at: the last counted reply and what follows it, never the whole.
import { sessionEntryToContextMessages } from "../session/context.ts";
import type { SessionEntry } from "../session/entries.ts";
import type { Session } from "../session/session.ts";
import { notedTokensAfter } from "./compaction-size.ts";
import { estimateTokens, usableUsage } from "./token-estimation.ts";

/** Steps towards the root, and entries read, before the number is given up. */
const MAX_STEPS = 4000;
const MAX_ENTRIES = 200;

export interface ContextSizeAt {
  /** Null where nobody counted it near enough. */
  tokens: number | null;
  /** True where no report of the provider stands behind the number. */
  estimated: boolean;
}

/**
 * Tokens of the context at a leaf (null: the beginning), as the trigger would count them (`estimateContextTokens`). Costs
 * the same in a session of any length and leaves the session's own context as it is.
 * @param overheadTokens system prompt and tools, counted where no usage is reported
 */
export async function contextSizeAt(
  session: Session,
  leafId: string | null,
  overheadTokens: number,
): Promise<ContextSizeAt> {
  const unknown: ContextSizeAt = { tokens: null, estimated: true };
  let waiting: string[] = [];
  let trailing = 0;
  let entries = 0;
  let id = leafId;
  for (let steps = 0; id !== null; steps++) {
    const node = session.node(id);
    if (node === undefined || steps > MAX_STEPS) return unknown;
    // What an edit changed is not in the count of the replies before it.
    if (node.type === "context_edit") return unknown;
    if (node.type === "message" || node.type === "custom_message" || node.type === "branch_summary") waiting.push(id);
    if (waiting.length > MAX_ENTRIES) return unknown;
    if (node.role === "assistant" || node.type === "compaction") {
      entries += waiting.length;
      if (entries > MAX_ENTRIES) return unknown;
      // The boundary itself is the last of them: a compaction is asked for beside what waits.
      const read = await session.getEntries(node.type === "compaction" ? [...waiting, id] : waiting);
      const boundary = read.find((entry) => entry.id === id);
      trailing += sizeOf(read.filter((entry) => entry !== boundary));
      waiting = [];
      if (boundary?.type === "compaction") {
        const noted = notedTokensAfter(boundary);
        return noted === undefined ? unknown : { tokens: noted + trailing, estimated: true };
      }
      if (boundary?.type === "message" && boundary.message.role === "assistant") {
        const counted = usableUsage(boundary.message);
        if (counted > 0) {
          return { tokens: counted + trailing, estimated: boundary.message.usage.estimated === true };
        }
        trailing += sizeOf([boundary]);
      }
    }
    id = node.parentId;
  }
  const tokens = trailing + sizeOf(await session.getEntries(waiting));
  return { tokens: tokens === 0 ? 0 : tokens + overheadTokens, estimated: true };
}

function sizeOf(entries: readonly SessionEntry[]): number {
  let tokens = 0;
  for (const entry of entries) {
    for (const message of sessionEntryToContextMessages(entry)) tokens += estimateTokens(message);
  }
  return tokens;
}
