// What waits to be said: into the turn, behind the run, with the next prompt (seed 1 §2, behaviours §1 Queues).
import { type Agent, normalizePromptInput } from "../agent/agent.ts";
import type { QueuedItem } from "../agent/message-queue.ts";
import type { AgentMessage, ImageContent } from "../llm/messages.ts";
import type { HarnessEvent } from "./harness-events.ts";

export interface QueuesHost {
  agent: Pick<Agent, "steering" | "followUp" | "clearQueues">;
  newId: () => string;
  now: () => number;
  emit: (event: HarnessEvent) => Promise<void>;
}

export class HarnessQueues {
  readonly #host: QueuesHost;
  readonly #nextTurn: AgentMessage[] = [];

  constructor(host: QueuesHost) {
    this.#host = host;
  }

  get items(): { steering: readonly QueuedItem[]; followUp: readonly QueuedItem[] } {
    const { steering, followUp } = this.#host.agent;
    return { steering: steering.items, followUp: followUp.items };
  }
  /** Messages for the run. */
  get waiting(): number {
    return this.items.steering.length + this.items.followUp.length;
  }
  /** Messages for the next prompt. */
  get nextTurnCount(): number {
    return this.#nextTurn.length;
  }

  /** Returns the id by which it can be taken back. */
  add(mode: "steer" | "followUp", text: string, images: readonly ImageContent[]): string {
    const { agent, newId, now } = this.#host;
    const [message] = normalizePromptInput(text, images, now());
    const item: QueuedItem = { id: newId(), message: message! };
    (mode === "steer" ? agent.steering : agent.followUp).push(item);
    return item.id;
  }

  /** False where it has gone out. */
  remove(id: string): boolean {
    const { steering, followUp } = this.#host.agent;
    return (steering.remove(id) ?? followUp.remove(id)) !== undefined;
  }

  addForNextTurn(message: AgentMessage): void {
    this.#nextTurn.push(message);
    this.tell();
  }
  takeForNextTurn(): AgentMessage[] {
    return this.#nextTurn.splice(0);
  }

  /** What may go now, as a run of its own. */
  take(): AgentMessage[] {
    const { steering, followUp } = this.#host.agent;
    return [...steering.take(), ...followUp.take()];
  }

  /** Empties both queues of the run; what was in them belongs to the person again. */
  clear(): QueuedItem[] {
    const { steering, followUp } = this.#host.agent.clearQueues();
    return [...steering, ...followUp];
  }

  tell(): void {
    const { steering, followUp } = this.items;
    const event = { steering: steering.slice(), followUp: followUp.slice(), nextTurn: this.nextTurnCount };
    void this.#host.emit({ type: "queue_update", ...event });
  }
}
