// A run with everything that may follow from it: one compaction after an overflow, retries, the threshold, queued messages.
import type { Agent } from "../agent/agent.ts";
import type { RunOutcome } from "../agent/agent-loop.ts";
import { calculateContextTokens } from "../compaction/token-estimation.ts";
import type { AgentMessage, AssistantMessage } from "../llm/messages.ts";
import type { Model } from "../llm/model.ts";
import { planRetry, type RetryPolicy } from "../llm/retry.ts";
import { detectSilentOverflow } from "../llm/silent-overflow.ts";
import type { Session } from "../session/session.ts";
import type { CompactionControl } from "./compaction-control.ts";
import type { HarnessEvent } from "./harness-events.ts";
import type { HarnessQueues } from "./harness-queues.ts";
import type { OperationPhase } from "./operation-phase.ts";
import type { TurnSettings } from "./turn-settings.ts";

export interface RunHost {
  session: Session;
  agent: Agent;
  queues: HarnessQueues;
  settings: TurnSettings;
  phase: OperationPhase;
  compaction: CompactionControl;
  /** Tokens of the window in use. */
  window: () => number;
  learnWindow: (model: Model, window: number) => void;
  retryPolicy: () => RetryPolicy;
  sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
  emit: (event: HarnessEvent) => Promise<void>;
}

/** From this share of the window on, a reply that was cut off was cut off by the window. */
const FULL_WINDOW_SHARE = 0.9;

export class RunSupervisor {
  readonly #host: RunHost;
  #overflowRecovered = false;
  #retries = 0;

  constructor(host: RunHost) {
    this.#host = host;
  }

  /** A message of the person begins the count of recoveries anew. */
  reset(): void {
    this.#overflowRecovered = false;
    this.#retries = 0;
  }

  /** Runs until nothing is left to do. Without prompts it asks for an answer to the conversation as it stands. */
  async runToEnd(prompts: AgentMessage[] | undefined, signal: AbortSignal, systemPrompt: string): Promise<void> {
    const { compaction, emit, phase, queues } = this.#host;
    phase.enter("turn");
    let outcome = await this.#run(prompts, signal, systemPrompt);
    while (!signal.aborted && outcome !== undefined) {
      if (await this.#recover(outcome, signal)) {
        outcome = await this.#run(undefined, signal, systemPrompt);
        continue;
      }
      if (outcome.failure !== undefined) {
        await emit({ type: "run_failed", failure: outcome.failure });
        break;
      }
      if (!signal.aborted) await phase.during("compaction", () => compaction.compactIfNeeded(signal));
      const queued = queues.take();
      if (queued.length === 0 || signal.aborted) break;
      outcome = await this.#run(queued, signal, systemPrompt);
    }
  }

  async #run(
    prompts: AgentMessage[] | undefined,
    signal: AbortSignal,
    systemPrompt: string,
  ): Promise<RunOutcome | undefined> {
    const { messages } = await this.#host.session.buildContext();
    // Stopped while the run was being set up: what was said is kept, and nothing is sent.
    if (signal.aborted && prompts === undefined) return undefined;
    const { agent, settings } = this.#host;
    const { state } = agent;
    state.messages = messages.slice();
    state.systemPrompt = systemPrompt;
    state.tools = settings.activeTools;
    state.model = settings.requireModel();
    state.thinkingLevel = settings.thinkingLevel;
    if (prompts === undefined) {
      while (isFailed(state.messages.at(-1))) state.messages.pop();
      const last = state.messages.at(-1);
      if (last === undefined || last.role === "assistant") return undefined;
    }
    const stop = () => agent.abort();
    signal.addEventListener("abort", stop, { once: true });
    try {
      const run = prompts === undefined ? agent.continue() : agent.prompt(prompts);
      if (signal.aborted) agent.abort();
      return await run;
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  async #omitLastReply(): Promise<void> {
    const { session } = this.#host;
    const id = session.pathTo(session.getLeafId()).findLast((entry) => session.node(entry)?.role === "assistant");
    if (id !== undefined) await session.appendContextEdit(id, null);
  }

  /** True where the failed request should be made again: after one compaction, or after a wait. */
  async #recover(outcome: RunOutcome, signal: AbortSignal): Promise<boolean> {
    const { failure } = outcome;
    const { compaction, emit, phase } = this.#host;
    const model = this.#host.settings.requireModel();
    const last = lastAssistant(outcome.messages);
    const sameModel = last === undefined || (last.provider === model.provider && last.model === model.id);
    if (failure?.learnedWindow !== undefined) this.#host.learnWindow(model, failure.learnedWindow);
    const silent =
      failure === undefined && last !== undefined ? detectSilentOverflow(last, this.#host.window()) : undefined;
    // Cut off although there was room in the reply: the window was full.
    const cutShort =
      failure === undefined &&
      last?.stopReason === "length" &&
      last.usage.output < model.maxTokens * 0.9 &&
      calculateContextTokens(last.usage) >= this.#host.window() * FULL_WINDOW_SHARE;
    if (sameModel && (failure?.kind === "overflow" || silent === "overflow" || cutShort)) {
      if (this.#overflowRecovered) return false;
      this.#overflowRecovered = true;
      // A whole reply that was merely too large is not asked for again.
      const retry = failure !== undefined || last?.stopReason === "length";
      // What was cut off stays in the file and leaves the context, so that it can be asked for anew.
      if (failure === undefined && retry) await this.#omitLastReply();
      const compacted = await phase.during("compaction", () => compaction.compactForOverflow(signal, retry));
      return compacted && retry && !signal.aborted;
    }
    if (failure === undefined) {
      if (this.#retries > 0) await emit({ type: "auto_retry_end", success: true, attempt: this.#retries });
      this.#retries = 0;
      if (last?.stopReason !== "length") this.#overflowRecovered = false;
      return false;
    }
    const policy = this.#host.retryPolicy();
    const plan = planRetry(failure, this.#retries, policy);
    if (!plan.retry) {
      if (this.#retries > 0) {
        await emit({
          type: "auto_retry_end",
          success: false,
          attempt: this.#retries,
          finalError: failure.message,
        });
      }
      return false;
    }
    this.#retries += 1;
    await emit({
      type: "auto_retry_start",
      attempt: this.#retries,
      maxAttempts: policy.maxRetries,
      delayMs: plan.delayMs,
      errorMessage: failure.message,
    });
    await this.#host.sleep(plan.delayMs, signal).catch(() => {});
    return !signal.aborted;
  }
}

function isFailed(message: AgentMessage | undefined): boolean {
  return message?.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted");
}

function lastAssistant(messages: readonly AgentMessage[]): AssistantMessage | undefined {
  return messages.findLast((message): message is AssistantMessage => message.role === "assistant");
}
