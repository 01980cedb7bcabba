// Facts of a session for the command line: counts, branches, context, totals (product.md, the command line).
import type { AgentMessage, Usage } from "../llm/messages.ts";
import { emptyUsage } from "../llm/messages.ts";
import type { SessionEntry } from "./entries.ts";
import type { BadLine, Session, SessionContext } from "./session.ts";
import { nearestBelow } from "./siblings.ts";

const BATCH = 500;

export interface SessionStats {
  /** Messages of each role, abandoned branches and compacted history included. */
  messages: Record<string, number>;
  toolCalls: number;
  usage: Usage;
}

export interface SessionReport {
  version: number;
  id: string;
  cwd: string;
  entries: number;
  types: Record<string, number>;
  bad: readonly BadLine[];
  leafId: string | null;
  name: string | null;
  labels: Record<string, string>;
  roots: string[];
  tips: string[];
  model: SessionContext["model"];
  thinkingLevel: string;
  activeTools: string[] | null;
  stats: SessionStats;
}

/** Reads every entry once. */
export async function reportSession(session: Session, context: SessionContext): Promise<SessionReport> {
  await session.ready();
  const ids = [...session.allIds()];
  const types: Record<string, number> = Object.create(null);
  const stats: SessionStats = { messages: Object.create(null), toolCalls: 0, usage: emptyUsage() };
  const readable = new Set<string>();
  for (let from = 0; from < ids.length; from += BATCH) {
    for (const entry of await session.getEntries(ids.slice(from, from + BATCH))) {
      readable.add(entry.id);
      const type = entry.type === "unknown" ? entry.originalType : entry.type;
      types[type] = (types[type] ?? 0) + 1;
      count(entry, stats);
    }
  }
  const labels: Record<string, string> = Object.create(null);
  for (const id of ids) {
    const label = session.getLabel(id);
    if (label !== undefined) labels[id] = label;
  }
  // `leaf` entries say where the position is; they are no ends of branches.
  const stands = (id: string) => readable.has(id) && session.node(id)?.type !== "leaf";
  return {
    version: session.header.version,
    id: session.id,
    cwd: session.cwd,
    entries: readable.size,
    types,
    bad: session.badLines(),
    leafId: session.getLeafId(),
    name: session.getName() ?? null,
    labels,
    roots: nearestBelow(session, null, stands),
    tips: ids.filter((id) => stands(id) && nearestBelow(session, id, stands).length === 0),
    model: context.model,
    thinkingLevel: context.thinkingLevel,
    activeTools: context.activeToolNames,
    stats,
  };
}

function count(entry: SessionEntry, stats: SessionStats): void {
  if (entry.type === "message") {
    const { role } = entry.message;
    stats.messages[role] = (stats.messages[role] ?? 0) + 1;
    if (role === "assistant")
      stats.toolCalls += entry.message.content.filter((part) => part.type === "toolCall").length;
    const { usage } = entry.message as AgentMessage & { usage?: Usage };
    if (usage !== undefined) addToUsage(stats.usage, usage);
  } else if (entry.type === "compaction" || entry.type === "branch_summary" || entry.type === "usage") {
    if (entry.usage !== undefined) addToUsage(stats.usage, entry.usage);
  }
}

/** Adds up; numbers that are none count as 0, and one part without a price leaves the sum without one. */
export function addToUsage(total: Usage, usage: Usage): void {
  if (usage.unpriced === true) total.unpriced = true;
  for (const key of ["input", "output", "cacheRead", "cacheWrite", "totalTokens"] as const) {
    total[key] += number(usage[key]);
  }
  for (const key of ["input", "output", "cacheRead", "cacheWrite", "total"] as const) {
    total.cost[key] += number(usage.cost?.[key]);
  }
}
function number(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) ? value : 0;
}
