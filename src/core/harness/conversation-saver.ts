// Brings what a run says to disk, at save points and when it ends (seed 1 §8); what the disk refuses is told and stays pending.
import type { AgentEvent } from "../agent/agent-events.ts";
import { HarnessError, toError } from "../errors.ts";
import { asCutOff } from "../llm/cut-off.ts";
import type { AgentMessage } from "../llm/messages.ts";
import type { NewEntry } from "../session/entries.ts";
import type { Session } from "../session/session.ts";
import type { HarnessEvent } from "./harness-events.ts";
import { type PendingSessionWrite, PendingSessionWrites } from "./pending-writes.ts";

export class ConversationSaver {
  readonly #emit: (event: HarnessEvent) => Promise<void>;
  readonly #pending: PendingSessionWrites;
  #cutsOff = false;

  constructor(session: Session, emit: (event: HarnessEvent) => Promise<void>) {
    this.#emit = emit;
    this.#pending = new PendingSessionWrites(session, (saved) => {
      void emit({ type: "entries_saved", saved });
    });
  }

  /** Entries that are not on disk yet. */
  get unsavedCount(): number {
    return this.#pending.size;
  }

  /** From now on a reply that is stopped was stopped by the session's end, and by nobody. */
  cutOff(): void {
    this.#cutsOff = true;
  }

  /** Goes to disk with the next save. */
  add(entries: readonly NewEntry[]): void {
    for (const entry of entries) this.#pending.push({ entry });
  }

  /** Throws `session` where the disk refuses, after `save_failed`. */
  async save(): Promise<void> {
    try {
      await this.#pending.flush();
    } catch (thrown) {
      const error = toError(thrown);
      await this.#emit({ type: "save_failed", error });
      throw new HarnessError("session", `The conversation could not be saved: ${error.message}`, error);
    }
  }

  /** Takes up what the agent says and passes it on: the end of a turn is the save point. */
  async hear(said: AgentEvent): Promise<void> {
    const event = this.#cutsOff ? withCutOff(said) : said;
    if (event.type === "message_end") this.#pending.push(writeOf(event.message));
    await this.#emit(event);
    if (event.type === "turn_end") {
      const hadPendingMutations = this.unsavedCount > 0;
      await this.save().catch(() => {}); // Told by `save_failed`.
      await this.#emit({ type: "save_point", hadPendingMutations });
    } else if (event.type === "agent_end") {
      await this.save().catch(() => {});
    }
  }
}

function withCutOff(event: AgentEvent): AgentEvent {
  if (event.type !== "message_end" || event.message.role !== "assistant") return event;
  return event.message.stopReason === "aborted" ? { ...event, message: asCutOff(event.message) } : event;
}

function writeOf(message: AgentMessage): PendingSessionWrite {
  if (message.role === "custom") {
    const { role: _role, timestamp: _timestamp, ...rest } = message;
    return { entry: { type: "custom_message", ...rest }, message };
  }
  return { entry: { type: "message", message }, message };
}
