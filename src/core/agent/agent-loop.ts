// The loop of a run: inject, ask the model, run its tools, again until nothing is left (seed 1 §2, behaviours §1).
import { toError } from "../errors.ts";
import {
  type AgentMessage,
  type AssistantMessage,
  convertToLlm,
  emptyUsage,
  type ToolResultMessage,
  toolCallsOf,
} from "../llm/messages.ts";
import type { Model, ThinkingLevel } from "../llm/model.ts";
import type { LlmContext, StreamEvent, StreamFailure, ToolDefinition } from "../llm/stream.ts";
import type { AgentEvent } from "./agent-events.ts";
import type { AgentTool } from "./agent-tool.ts";
import { executeToolCalls, type ToolHooks } from "./tool-execution.ts";

/** What a run works on; `prepareNextTurn` may replace parts of it between turns. */
export interface AgentContext {
  systemPrompt: string;
  messages: AgentMessage[];
  tools: readonly AgentTool[];
  model: Model;
  thinkingLevel: ThinkingLevel;
}

export interface AgentLoopConfig extends ToolHooks {
  /** Sends one request; how (keys, hooks, options) is the caller's business. */
  stream: (context: LlmContext, turn: AgentContext, signal: AbortSignal) => AsyncIterable<StreamEvent>;
  /** Prunes or adds before conversion (hook `context`). */
  transformContext?: (messages: AgentMessage[], signal: AbortSignal) => Promise<AgentMessage[]>;
  getSteeringMessages: () => AgentMessage[];
  getFollowUpMessages: () => AgentMessage[];
  /** Takes back what was handed out for a turn that an abort prevented, so that no message is lost. */
  returnMessages?: (messages: AgentMessage[]) => void;
  /** Called before a request leaves and before tools run: everything said so far must be on disk by then. */
  savePoint?: () => Promise<void>;
  /** Only called when another request is coming. */
  prepareNextTurn?: (
    turn: { message: AssistantMessage; toolResults: ToolResultMessage[]; context: AgentContext },
    signal: AbortSignal,
  ) => Promise<Partial<AgentContext> | undefined>;
  shouldStopAfterTurn?: (turn: {
    message: AssistantMessage;
    toolResults: ToolResultMessage[];
    context: AgentContext;
  }) => Promise<boolean> | boolean;
  emit: (event: AgentEvent) => Promise<void>;
  now: () => number;
}

/** How a run ended. */
export interface RunOutcome {
  /** Messages of this run, prompts included. */
  messages: AgentMessage[];
  /** Set where the last request failed. */
  failure?: StreamFailure;
}

/** A reply for a request that could not even be made. */
export function failureMessage(
  context: Pick<AgentContext, "model">,
  stopReason: "error" | "aborted",
  errorMessage: string,
  now: number,
): AssistantMessage {
  return {
    role: "assistant",
    content: [{ type: "text", text: "" }],
    api: context.model.api,
    provider: context.model.provider,
    model: context.model.id,
    usage: emptyUsage(),
    stopReason,
    errorMessage,
    timestamp: now,
  };
}

/** The tools as the model is told of them, in a stable order with byte-stable schemas. */
export type DescribeTool = (tool: AgentTool) => ToolDefinition;

/** Starts a run with new messages; emits `agent_start` to `agent_end`. Never throws. */
export async function runAgentLoop(
  prompts: readonly AgentMessage[],
  context: AgentContext,
  config: AgentLoopConfig,
  describeTool: DescribeTool,
  signal: AbortSignal,
): Promise<RunOutcome> {
  const run = new Run(context, config, describeTool, signal);
  return await run.start(prompts);
}

class Run {
  #context: AgentContext;
  readonly #config: AgentLoopConfig;
  readonly #describeTool: DescribeTool;
  readonly #signal: AbortSignal;
  readonly #messages: AgentMessage[] = [];
  #failure: StreamFailure | undefined;

  constructor(context: AgentContext, config: AgentLoopConfig, describeTool: DescribeTool, signal: AbortSignal) {
    this.#context = context;
    this.#config = config;
    this.#describeTool = describeTool;
    this.#signal = signal;
  }

  async start(prompts: readonly AgentMessage[]): Promise<RunOutcome> {
    await this.#config.emit({ type: "agent_start" });
    await this.#config.emit({ type: "turn_start" });
    for (const message of prompts) await this.#say(message);
    await this.#runLoop();
    await this.#config.emit({ type: "agent_end", messages: this.#messages });
    return { messages: this.#messages, ...(this.#failure === undefined ? {} : { failure: this.#failure }) };
  }

  async #say(message: AgentMessage): Promise<void> {
    await this.#config.emit({ type: "message_start", message });
    await this.#config.emit({ type: "message_end", message });
    this.#context.messages.push(message);
    this.#messages.push(message);
  }

  async #runLoop(): Promise<void> {
    let first = true;
    let another = true;
    let pending = this.#config.getSteeringMessages();
    while (another || pending.length > 0) {
      if (!first) await this.#config.emit({ type: "turn_start" });
      first = false;
      for (const message of pending) await this.#say(message);
      const turn = await this.#turn();
      if (turn === undefined) return;
      another = turn.continues;
      pending = this.#config.getSteeringMessages();
      if (!another && pending.length === 0) pending = this.#config.getFollowUpMessages();
      if (another || pending.length > 0) {
        if (!(await this.#prepare(turn))) return this.#giveBack(pending);
        // What was typed while the next turn was prepared (a compaction takes its time) goes along.
        if (pending.length === 0) pending = this.#config.getSteeringMessages();
      }
    }
  }

  /** Messages taken from a queue for a turn that will not come. */
  #giveBack(pending: AgentMessage[]): void {
    if (pending.length > 0) this.#config.returnMessages?.(pending);
  }

  /** One request with its tools; undefined where the run ends with it. */
  async #turn(): Promise<Turn | undefined> {
    const message = await this.#streamAssistantResponse();
    this.#context.messages.push(message);
    this.#messages.push(message);
    if (message.stopReason === "error" || message.stopReason === "aborted") {
      await this.#config.emit({ type: "turn_end", message, toolResults: [] });
      return undefined;
    }
    const calls = toolCallsOf(message);
    let batch: Awaited<ReturnType<typeof executeToolCalls>> = { results: [], terminate: false };
    if (calls.length > 0) {
      await this.#config.savePoint?.();
      batch = await executeToolCalls(
        message,
        this.#context.tools,
        this.#config,
        this.#config.emit,
        this.#signal,
        this.#config.now,
      );
      this.#context.messages.push(...batch.results);
      this.#messages.push(...batch.results);
    }
    await this.#config.emit({ type: "turn_end", message, toolResults: batch.results });
    if (this.#signal.aborted) return undefined;
    const turn = { message, toolResults: batch.results, context: this.#context };
    if (await this.#stops(turn)) return undefined;
    return { message, toolResults: batch.results, continues: calls.length > 0 && !batch.terminate };
  }

  async #stops(turn: { message: AssistantMessage; toolResults: ToolResultMessage[]; context: AgentContext }) {
    return (await this.#config.shouldStopAfterTurn?.(turn)) === true;
  }

  /** False where the run was aborted meanwhile. */
  async #prepare(turn: Turn): Promise<boolean> {
    const change = await this.#config.prepareNextTurn?.(
      { message: turn.message, toolResults: turn.toolResults, context: this.#context },
      this.#signal,
    );
    if (change !== undefined) this.#context = { ...this.#context, ...change };
    return !this.#signal.aborted;
  }

  async #streamAssistantResponse(): Promise<AssistantMessage> {
    let started = false;
    const emit = this.#config.emit;
    const close = async (message: AssistantMessage): Promise<AssistantMessage> => {
      if (!started) await emit({ type: "message_start", message });
      await emit({ type: "message_end", message });
      return message;
    };
    try {
      await this.#config.savePoint?.();
      let messages = this.#context.messages.slice();
      if (this.#config.transformContext !== undefined) {
        messages = await this.#config.transformContext(messages, this.#signal);
      }
      const request: LlmContext = {
        systemPrompt: this.#context.systemPrompt,
        messages: convertToLlm(messages),
        tools: this.#context.tools.map(this.#describeTool),
      };
      for await (const event of this.#config.stream(request, this.#context, this.#signal)) {
        if (event.type === "done") return await close(event.message);
        if (event.type === "error") {
          this.#failure = event.failure;
          return await close(event.message);
        }
        if (!started) {
          started = true;
          await emit({ type: "message_start", message: event.partial });
        }
        if (event.type !== "start") await emit({ type: "message_update", message: event.partial, event });
      }
      throw new Error("the stream ended without a closing event");
    } catch (thrown) {
      const error = toError(thrown);
      const aborted = this.#signal.aborted;
      this.#failure = { kind: aborted ? "aborted" : "unknown", message: error.message };
      return await close(
        failureMessage(this.#context, aborted ? "aborted" : "error", error.message, this.#config.now()),
      );
    }
  }
}

interface Turn {
  message: AssistantMessage;
  toolResults: ToolResultMessage[];
  continues: boolean;
}
