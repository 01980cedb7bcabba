// The price of each open session for the meter: counted behind the scenes, never while a frame is drawn.
import * as vscode from "vscode";
import { SessionTotals } from "../core/session/session-totals.ts";
import type { OpenSession } from "./open-session.ts";

interface Known {
  totals: SessionTotals;
  costUsd: number | undefined;
  counting: boolean;
}

export class SessionCosts implements vscode.Disposable {
  readonly #known = new WeakMap<OpenSession, Known>();
  readonly #changed = new vscode.EventEmitter<void>();
  /** A price became known or another. */
  readonly onDidChange = this.#changed.event;

  /** US dollars as last counted; undefined while a price is not known. */
  of(open: OpenSession | undefined): number | undefined {
    if (open === undefined) return undefined;
    let known = this.#known.get(open);
    if (known === undefined) {
      known = { totals: new SessionTotals(open.session), costUsd: undefined, counting: false };
      this.#known.set(open, known);
    }
    if (known.totals.isStale && !known.counting) void this.#count(known);
    return known.costUsd;
  }

  async #count(known: Known): Promise<void> {
    known.counting = true;
    const before = known.costUsd;
    try {
      const { usage, unpriced, requests } = await known.totals.update();
      known.costUsd = unpriced > 0 || requests === 0 ? undefined : usage.cost.total;
    } catch {
      known.costUsd = undefined; // A file that cannot be read is told of by the transcript.
    } finally {
      known.counting = false;
    }
    if (known.costUsd !== before) this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}
