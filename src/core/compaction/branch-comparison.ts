// Two branches of a session from where they part: what each says, changes and costs.
import type { AgentMessage, Usage } from "../llm/messages.ts";
import type { SessionEntry } from "../session/entries.ts";
import type { Session } from "../session/session.ts";
import { isVisible } from "../session/siblings.ts";
import { addFileOperations, createFileOperations, fileLists, type SummaryDetails } from "./file-operations.ts";

export interface Spending {
  /** Requests that a usage was stored for. */
  requests: number;
  /** Tokens that were sent, cached ones included, and written. */
  input: number;
  output: number;
  /** US dollars of what has a price. */
  costUsd: number;
  /** True where some request has no known price, so that `costUsd` is not all. */
  unpriced: boolean;
}

export interface BranchSide {
  leafId: string;
  /** Visible entries behind the common one, root side first. */
  entries: SessionEntry[];
  files: SummaryDetails;
  spending: Spending;
}

export interface BranchComparison {
  /** The last visible entry that both share; null where they begin apart. */
  commonId: string | null;
  /** Visible entries that both share. */
  shared: number;
  /** What the shared part cost: once, for both. */
  sharedSpending: Spending;
  sides: [BranchSide, BranchSide];
}

function usageOf(entry: SessionEntry): Usage | undefined {
  switch (entry.type) {
    case "message":
      return entry.message.role === "assistant" ? entry.message.usage : undefined;
    case "compaction":
    case "branch_summary":
    case "usage":
      return entry.usage;
    default:
      return undefined;
  }
}

/** What entries cost together. */
export function spendingOf(entries: readonly SessionEntry[]): Spending {
  const sum: Spending = { requests: 0, input: 0, output: 0, costUsd: 0, unpriced: false };
  for (const entry of entries) {
    const usage = usageOf(entry);
    if (usage === undefined) continue;
    sum.requests++;
    sum.input += usage.input + usage.cacheRead + usage.cacheWrite;
    sum.output += usage.output;
    if (usage.unpriced === true) sum.unpriced = true;
    else sum.costUsd += usage.cost?.total ?? 0;
  }
  return sum;
}

function filesOf(entries: readonly SessionEntry[]): SummaryDetails {
  const operations = createFileOperations();
  for (const entry of entries) {
    if (entry.type === "message") addFileOperations(operations, entry.message as AgentMessage);
  }
  return fileLists(operations);
}

/** Compares the branches that end at two leaves. Reads both and what they share; writes nothing. */
export async function compareBranches(session: Session, left: string, right: string): Promise<BranchComparison> {
  await session.ready();
  const paths = [session.pathTo(left), session.pathTo(right)] as const;
  let parted = 0;
  while (parted < paths[0].length && parted < paths[1].length && paths[0][parted] === paths[1][parted]) parted++;
  const visible = (ids: readonly string[]) =>
    ids.filter((id) => {
      const node = session.node(id);
      return node !== undefined && isVisible(node);
    });
  const sharedIds = paths[0].slice(0, parted);
  const shared = visible(sharedIds);
  const side = async (leafId: string, path: readonly string[]): Promise<BranchSide> => {
    const all = await session.getEntries(path.slice(parted));
    const shown = new Set(visible(path.slice(parted)));
    return {
      leafId,
      entries: all.filter((entry) => shown.has(entry.id)),
      files: filesOf(all),
      spending: spendingOf(all),
    };
  };
  return {
    commonId: shared.at(-1) ?? null,
    shared: shared.length,
    sharedSpending: spendingOf(await session.getEntries(sharedIds)),
    sides: [await side(left, paths[0]), await side(right, paths[1])],
  };
}
