// One operation at a time: what a session is busy with, how it is stopped, and when it is over (behaviours §1 Phases).
import { HarnessError } from "../errors.ts";
import type { HarnessEvent, Phase } from "./harness-events.ts";

export interface OperationHost {
  emit: (event: HarnessEvent) => Promise<void>;
  /** Messages that wait for the next prompt. */
  nextTurnCount: () => number;
}

export class OperationPhase {
  readonly #host: OperationHost;
  #current: Phase = "idle";
  #operation: AbortController | undefined;
  #work: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(host: OperationHost) {
    this.#host = host;
  }

  get current(): Phase {
    return this.#current;
  }

  /** Runs one operation; afterwards the phase is idle again and `settled` and `agent_settled` are told. Throws `busy`. */
  async exclusive<T>(phase: Phase, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#closed) throw new HarnessError("invalid_state", "The session is closed.");
    if (this.#current !== "idle") {
      throw new HarnessError("busy", `The session is busy (${this.#current}). Stop that first, or wait for it.`);
    }
    this.enter(phase);
    const controller = new AbortController();
    this.#operation = controller;
    const work = (async () => {
      try {
        return await operation(controller.signal);
      } finally {
        this.#operation = undefined;
        this.enter("idle");
        await this.#host.emit({ type: "settled", nextTurnCount: this.#host.nextTurnCount() });
        await this.#host.emit({ type: "agent_settled", aborted: controller.signal.aborted });
      }
    })();
    this.#work = work.catch(() => {});
    return await work;
  }

  /** Another phase for a part of an operation. */
  async during<T>(phase: Phase, part: () => Promise<T>): Promise<T> {
    const before = this.#current;
    this.enter(phase);
    try {
      return await part();
    } finally {
      this.enter(before);
    }
  }

  enter(phase: Phase): void {
    if (this.#current === phase) return;
    this.#current = phase;
    void this.#host.emit({ type: "phase_change", phase });
  }

  abort(): void {
    this.#operation?.abort();
  }

  /** True while an operation that was stopped comes to its end. */
  get isStopping(): boolean {
    return this.#operation?.signal.aborted === true;
  }

  async waitForIdle(): Promise<void> {
    await this.#work;
  }

  /** Nothing begins any more. */
  close(): void {
    this.#closed = true;
  }
}
