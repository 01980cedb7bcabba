// What a harness tells whoever listens: the events of the run and those around it (behaviours §1).
import type { AgentEvent } from "../agent/agent-events.ts";
import type { QueuedItem } from "../agent/message-queue.ts";
import type { AgentMessage } from "../llm/messages.ts";
import type { Model, ThinkingLevel } from "../llm/model.ts";
import type { StreamFailure } from "../llm/stream.ts";
import type { CompactionReason, HookFailure } from "./hooks.ts";

/** One operation at a time: what a session is busy with. */
export type Phase = "idle" | "starting" | "turn" | "compaction" | "branch_summary";

export type HarnessEvent =
  | AgentEvent
  | { type: "phase_change"; phase: Phase }
  /** Entries are on disk; `message` is the object that `message_end` carried. */
  | { type: "entries_saved"; saved: readonly { id: string; message?: AgentMessage }[] }
  /** A write failed: everything since stays in memory and goes out with the next one that succeeds. */
  | { type: "save_failed"; error: Error }
  | { type: "save_point"; hadPendingMutations: boolean }
  | { type: "settled"; nextTurnCount: number }
  | { type: "queue_update"; steering: readonly QueuedItem[]; followUp: readonly QueuedItem[]; nextTurn: number }
  | { type: "abort" }
  /** Messages that an abort took out of the queues: they belong to the person again. */
  | { type: "queue_returned"; items: readonly QueuedItem[] }
  | { type: "auto_retry_start"; attempt: number; maxAttempts: number; delayMs: number; errorMessage: string }
  | { type: "auto_retry_end"; success: boolean; attempt: number; finalError?: string }
  | { type: "retry_scheduled"; attempt: number; maxAttempts: number; delayMs: number; errorMessage: string }
  | { type: "compaction_start"; reason: CompactionReason }
  | {
      type: "compaction_end";
      reason: CompactionReason;
      /** Set where an entry was written. */
      entryId?: string;
      tokensBefore?: number;
      /** Estimate. */
      tokensAfter?: number;
      willRetry?: boolean;
      /** Cancelled by the person or a hook: nothing was written. */
      aborted?: boolean;
      errorMessage?: string;
      /** The pass freed too little to go on compacting by itself. */
      stalled?: boolean;
    }
  | { type: "session_tree"; leafId: string | null; summaryEntryId?: string }
  | { type: "model_update"; model: Model | undefined }
  | { type: "thinking_level_update"; level: ThinkingLevel }
  | { type: "tools_update"; names: readonly string[] }
  /** The session names a model that is not to be had here; the current one stays and is said to be another. */
  | { type: "model_unavailable"; provider: string; modelId: string }
  | { type: "model_found"; model: Model }
  /** A compaction was due and waits, because one was undone on the branch: see `resumeAutoCompaction`. */
  | { type: "compaction_waits" }
  | { type: "window_learned"; model: Model; window: number }
  | { type: "run_failed"; failure: StreamFailure }
  | { type: "hook_failed"; failure: HookFailure }
  | { type: "agent_settled"; aborted: boolean };

export type HarnessListener = (event: HarnessEvent) => void | Promise<void>;
