// How large the context was at each turn of a session: read slice by slice, each reply once.

import type { MapLane } from "../session/branch-map.ts";
import type { Session } from "../session/session.ts";
import { usageOf } from "../session/session-totals.ts";
import { calculateContextTokens } from "./token-estimation.ts";

const BATCH = 16;
/** After this time the event loop gets its turn (milliseconds). */
const SLICE_MS = 8;

export class TurnSizes {
  readonly #session: Session;
  readonly #tokens = new Map<string, number>();

  constructor(session: Session) {
    this.#session = session;
  }

  /** Tokens of the context at a reply; 0 where nobody counted it, undefined while it has not been read. */
  of(replyId: string | undefined): number | undefined {
    return replyId === undefined ? 0 : this.#tokens.get(replyId);
  }

  /** Reads what is missing, the first lane first; `some` is told after each slice with the lanes that know more. */
  async read(
    lanes: readonly MapLane[],
    some: (lanes: ReadonlySet<number>) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const missing: { id: string; lane: number }[] = [];
    lanes.forEach((lane, index) => {
      // The newest turns first: they are what is looked for.
      for (let at = lane.turns.length - 1; at >= 0; at--) {
        const id = lane.turns[at]!.replyId;
        if (id !== undefined && !this.#tokens.has(id)) missing.push({ id, lane: index });
      }
    });
    let began = Date.now();
    let changed = new Set<number>();
    for (let from = 0; from < missing.length && !signal.aborted; from += BATCH) {
      const batch = missing.slice(from, from + BATCH);
      const entries = await this.#session.getEntries(batch.map(({ id }) => id));
      for (const { id, lane } of batch) {
        this.#tokens.set(id, 0);
        changed.add(lane);
      }
      for (const entry of entries) {
        const usage = usageOf(entry);
        if (usage !== undefined) this.#tokens.set(entry.id, calculateContextTokens(usage));
      }
      if (Date.now() - began < SLICE_MS) continue;
      some(changed);
      changed = new Set();
      await new Promise((resolve) => setTimeout(resolve, 0));
      began = Date.now();
    }
    if (changed.size > 0) some(changed);
  }
}
