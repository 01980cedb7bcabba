// Messages waiting for their moment in a run: steering, follow-up and next-turn (behaviours §1 Queues).
import type { AgentMessage } from "../llm/messages.ts";

export type QueueMode = "one-at-a-time" | "all";

export interface QueuedItem {
  id: string;
  message: AgentMessage;
}

/** First in, first out; `take` hands out one or all according to the mode. */
export class MessageQueue {
  readonly #mode: () => QueueMode;
  #items: QueuedItem[] = [];
  readonly #onChange: () => void;

  constructor(mode: () => QueueMode, onChange: () => void = () => {}) {
    this.#mode = mode;
    this.#onChange = onChange;
  }

  get items(): readonly QueuedItem[] {
    return this.#items;
  }

  push(item: QueuedItem): void {
    this.#items.push(item);
    this.#onChange();
  }

  /** Puts items back to the front, in order. */
  unshift(items: readonly QueuedItem[]): void {
    if (items.length === 0) return;
    this.#items.unshift(...items);
    this.#onChange();
  }

  /** The messages that may go now. */
  take(): AgentMessage[] {
    if (this.#items.length === 0) return [];
    const taken = this.#items.splice(0, this.#mode() === "all" ? this.#items.length : 1);
    this.#onChange();
    return taken.map((item) => item.message);
  }

  /** Everything, whatever the mode. */
  drain(): QueuedItem[] {
    const drained = this.#items.splice(0);
    if (drained.length > 0) this.#onChange();
    return drained;
  }

  /** Takes one back before it went out; undefined where it is gone. */
  remove(id: string): QueuedItem | undefined {
    const index = this.#items.findIndex((item) => item.id === id);
    if (index < 0) return undefined;
    const [removed] = this.#items.splice(index, 1);
    this.#onChange();
    return removed;
  }
}
