// Who watches a session at work. A listener's fault is its own: the run and the disk do not depend on it.
import type { HarnessEvent, HarnessListener } from "./harness-events.ts";

export class HarnessListeners {
  readonly #listeners = new Set<HarnessListener>();

  /** Returns what ends it. */
  subscribe(listener: HarnessListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Tells one after the other; resolves when all have heard it. */
  async emit(event: HarnessEvent): Promise<void> {
    for (const listener of this.#listeners) {
      try {
        await listener(event);
      } catch {
        // See above.
      }
    }
  }
}
