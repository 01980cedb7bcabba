// What a session has cost so far: every request of every branch, counted once and only when it is new.
import { giveWay, isTurnOver } from "../give-way.ts";
import { type AgentMessage, emptyUsage, type Usage } from "../llm/messages.ts";
import type { SessionEntry } from "./entries.ts";
import type { Session } from "./session.ts";
import { addToUsage } from "./session-report.ts";

/** Entries read in one go. */
const BATCH = 64;

export interface Totals {
  usage: Usage;
  /** Requests whose price is not known; while there are any, the whole price is not known either. */
  unpriced: number;
  requests: number;
}

/** The usage that an entry reports, or undefined. */
export function usageOf(entry: SessionEntry): Usage | undefined {
  if (entry.type === "message") return (entry.message as AgentMessage & { usage?: Usage }).usage ?? undefined;
  if (entry.type === "compaction" || entry.type === "branch_summary" || entry.type === "usage") return entry.usage;
  return undefined;
}

/** Copies that an undone compaction left behind tell of the same request: same time, model and numbers. */
function requestKey(entry: SessionEntry, usage: Usage): string | undefined {
  if (entry.type !== "message" || entry.message.role !== "assistant") return undefined;
  const { timestamp, provider, model } = entry.message;
  return JSON.stringify([timestamp, provider, model, usage.totalTokens, usage.input, usage.output, usage.cacheRead]);
}

export class SessionTotals {
  readonly #session: Session;
  #totals: Totals = { usage: emptyUsage(), unpriced: 0, requests: 0 };
  #seen = 0;
  #requests = new Set<string>();
  #updating: Promise<Totals> | undefined;

  constructor(session: Session) {
    this.#session = session;
  }

  /** True while entries have joined that are not counted yet. */
  get isStale(): boolean {
    return this.#session.size() !== this.#seen;
  }

  /** Counts what is new, slice by slice. */
  update(): Promise<Totals> {
    this.#updating ??= this.#count().finally(() => {
      this.#updating = undefined;
    });
    return this.#updating;
  }

  async #count(): Promise<Totals> {
    await this.#session.ready();
    if (this.#session.size() < this.#seen) {
      this.#totals = { usage: emptyUsage(), unpriced: 0, requests: 0 };
      this.#requests = new Set();
      this.#seen = 0;
    }
    const fresh: string[] = [];
    let number = 0;
    for (const id of this.#session.allIds()) if (number++ >= this.#seen && this.#mayCost(id)) fresh.push(id);
    for (let from = 0; from < fresh.length; from += BATCH) {
      for (const entry of await this.#session.getEntries(fresh.slice(from, from + BATCH))) this.#add(entry);
      if (isTurnOver()) await giveWay();
    }
    this.#seen = number;
    return structuredClone(this.#totals);
  }

  #mayCost(id: string): boolean {
    const node = this.#session.node(id);
    switch (node?.type) {
      case "message":
        return node.role === "assistant" || node.role === "toolResult";
      case "compaction":
      case "branch_summary":
      case "usage":
        return true;
      default:
        return false;
    }
  }

  #add(entry: SessionEntry): void {
    const usage = usageOf(entry);
    if (usage === undefined || usage === null) return;
    const key = requestKey(entry, usage);
    if (key !== undefined && this.#requests.has(key)) return;
    if (key !== undefined) this.#requests.add(key);
    addToUsage(this.#totals.usage, usage);
    const spent = usage.totalTokens || usage.input + usage.output;
    if (!(spent > 0)) return;
    this.#totals.requests++;
    if (usage.unpriced === true) this.#totals.unpriced++;
  }
}
