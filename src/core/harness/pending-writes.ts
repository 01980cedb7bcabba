// What a run has said and the disk does not have yet, and its way there (seed 1 §8, product.md "Save points").
import type { AgentMessage } from "../llm/messages.ts";
import type { NewEntry } from "../session/entries.ts";
import type { Session } from "../session/session.ts";

export interface PendingSessionWrite {
  entry: NewEntry;
  /** The message object of a `message` entry, by which the screen finds its row again. */
  message?: AgentMessage;
}

export interface SavedWrite extends PendingSessionWrite {
  id: string;
}

export class PendingSessionWrites {
  readonly #session: Session;
  readonly #onSaved: (saved: readonly SavedWrite[]) => void;
  #pending: PendingSessionWrite[] = [];
  #flushing: Promise<boolean> | undefined;

  constructor(session: Session, onSaved: (saved: readonly SavedWrite[]) => void) {
    this.#session = session;
    this.#onSaved = onSaved;
  }

  get size(): number {
    return this.#pending.length;
  }

  push(write: PendingSessionWrite): void {
    this.#pending.push(write);
  }

  /**
   * Appends everything pending in order, in one write with one sync. Resolves with whether there was something to write.
   * Where the write fails, everything stays pending for the next flush, and the error is thrown.
   */
  async flush(): Promise<boolean> {
    while (this.#flushing !== undefined) await this.#flushing.catch(() => {});
    if (this.#pending.length === 0) return false;
    this.#flushing = this.#write();
    try {
      return await this.#flushing;
    } finally {
      this.#flushing = undefined;
    }
  }

  async #write(): Promise<boolean> {
    const batch = this.#pending.slice();
    const ids = await this.#session.appendEntries(batch.map((write) => write.entry));
    this.#pending.splice(0, batch.length);
    this.#onSaved(batch.map((write, index) => ({ ...write, id: ids[index]! })));
    return true;
  }
}
