// The agent: the transcript of the current run in memory, its queues, its listeners, one run at a time (seed 1 §1, §2).
import { HarnessError } from "../errors.ts";
import type { AgentMessage, ImageContent, UserMessage } from "../llm/messages.ts";
import type { Model, ThinkingLevel } from "../llm/model.ts";
import type { AgentEvent } from "./agent-events.ts";
import {
  type AgentContext,
  type AgentLoopConfig,
  type DescribeTool,
  type RunOutcome,
  runAgentLoop,
} from "./agent-loop.ts";
import type { AgentTool } from "./agent-tool.ts";
import { MessageQueue, type QueuedItem, type QueueMode } from "./message-queue.ts";

export interface AgentState {
  systemPrompt: string;
  messages: AgentMessage[];
  tools: readonly AgentTool[];
  model: Model;
  thinkingLevel: ThinkingLevel;
}

export interface AgentOptions {
  initialState: AgentState;
  config: Omit<AgentLoopConfig, "emit" | "getSteeringMessages" | "getFollowUpMessages" | "returnMessages">;
  describeTool: DescribeTool;
  /** Asked whenever messages may go. */
  steeringMode?: () => QueueMode;
  followUpMode?: () => QueueMode;
  /** A listener threw: reported, never fatal. */
  onListenerError?: (error: unknown) => void;
  onQueueChange?: () => void;
}

export type AgentListener = (event: AgentEvent) => void | Promise<void>;

/** A prompt as messages: a text becomes a user message, with its images behind the text. */
export function normalizePromptInput(
  input: string | AgentMessage | readonly AgentMessage[],
  images: readonly ImageContent[],
  now: number,
): AgentMessage[] {
  if (typeof input !== "string") return Array.isArray(input) ? [...input] : [input as AgentMessage];
  const message: UserMessage = {
    role: "user",
    content: images.length === 0 ? input : [{ type: "text", text: input }, ...images],
    timestamp: now,
  };
  return [message];
}

const oneAtATime = () => "one-at-a-time" as const;

export class Agent {
  readonly state: AgentState;
  readonly steering: MessageQueue;
  readonly followUp: MessageQueue;
  readonly #config: AgentOptions["config"];
  readonly #describeTool: DescribeTool;
  readonly #listeners = new Set<AgentListener>();
  readonly #onListenerError: (error: unknown) => void;
  #abort: AbortController | undefined;
  #idle: Promise<unknown> = Promise.resolve();
  #lastId = 0;

  constructor(options: AgentOptions) {
    this.state = options.initialState;
    this.#config = options.config;
    this.#describeTool = options.describeTool;
    this.#onListenerError = options.onListenerError ?? (() => {});
    const onChange = options.onQueueChange ?? (() => {});
    this.steering = new MessageQueue(options.steeringMode ?? oneAtATime, onChange);
    this.followUp = new MessageQueue(options.followUpMode ?? oneAtATime, onChange);
  }

  get isStreaming(): boolean {
    return this.#abort !== undefined;
  }

  /** Signal of the run that is on, or undefined. */
  get signal(): AbortSignal | undefined {
    return this.#abort?.signal;
  }

  /** Listeners are awaited one after the other; one that throws is reported and passed over. */
  subscribe(listener: AgentListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Runs until nothing is left to do. Throws `busy` while a run is on: steer or follow up instead. */
  prompt(input: string | AgentMessage | readonly AgentMessage[], images: readonly ImageContent[] = []) {
    return this.#runWithLifecycle(normalizePromptInput(input, images, this.#config.now()));
  }

  /**
   * Goes on from the transcript as it stands. Behind a reply, queued steering and then follow-up messages become the
   * prompt; without any, `invalid_state`.
   */
  continue(): Promise<RunOutcome> {
    const last = this.state.messages.at(-1);
    if (last === undefined) throw new HarnessError("invalid_state", "There is nothing to continue.");
    if (last.role !== "assistant") return this.#runWithLifecycle([]);
    const queued = this.steering.take();
    const prompts = queued.length > 0 ? queued : this.followUp.take();
    if (prompts.length === 0) {
      throw new HarnessError("invalid_state", "The last message is a reply and nothing is queued.");
    }
    return this.#runWithLifecycle(prompts);
  }

  abort(): void {
    this.#abort?.abort();
  }

  /** Takes every queued message back. */
  clearQueues(): { steering: QueuedItem[]; followUp: QueuedItem[] } {
    return { steering: this.steering.drain(), followUp: this.followUp.drain() };
  }

  /** Resolves when no run is on. */
  async waitForIdle(): Promise<void> {
    await this.#idle;
  }

  /** Empties transcript and queues; refused during a run. */
  reset(): void {
    if (this.isStreaming) throw new HarnessError("busy", "A run is on; stop it before resetting.");
    this.state.messages = [];
    this.clearQueues();
  }

  #runWithLifecycle(prompts: AgentMessage[]): Promise<RunOutcome> {
    if (this.#abort !== undefined) {
      throw new HarnessError("busy", "A run is on: send the message as steering or as a follow-up.");
    }
    const controller = new AbortController();
    this.#abort = controller;
    const run = this.#run(prompts, controller.signal).finally(() => {
      this.#abort = undefined;
    });
    this.#idle = run.catch(() => {});
    return run;
  }

  async #run(prompts: AgentMessage[], signal: AbortSignal): Promise<RunOutcome> {
    // The transcript grows during the run, so that whoever looks sees it as it stands.
    const context: AgentContext = {
      systemPrompt: this.state.systemPrompt,
      messages: this.state.messages,
      tools: this.state.tools,
      model: this.state.model,
      thinkingLevel: this.state.thinkingLevel,
    };
    return await runAgentLoop(
      prompts,
      context,
      {
        ...this.#config,
        prepareNextTurn: async (turn, turnSignal) => {
          const change = await this.#config.prepareNextTurn?.(turn, turnSignal);
          if (change !== undefined) Object.assign(this.state, change);
          return change;
        },
        getSteeringMessages: () => this.steering.take(),
        getFollowUpMessages: () => this.followUp.take(),
        returnMessages: (messages) =>
          this.steering.unshift(messages.map((message) => ({ id: this.#nextId(), message }))),
        emit: (event) => this.#emit(event),
      },
      this.#describeTool,
      signal,
    );
  }

  #nextId(): string {
    this.#lastId += 1;
    return `returned-${this.#lastId}`;
  }

  async #emit(event: AgentEvent): Promise<void> {
    for (const listener of this.#listeners) {
      try {
        await listener(event);
      } catch (error) {
        this.#onListenerError(error);
      }
    }
  }
}
