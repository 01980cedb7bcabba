// One open session at work: prompts, runs, retries, compaction, moves; one operation at a time (seed 1 §1, behaviours §1).
import { Agent, normalizePromptInput } from "../agent/agent.ts";
import type { AgentEvent } from "../agent/agent-events.ts";
import type { DescribeTool, RunOutcome } from "../agent/agent-loop.ts";
import type { AgentTool } from "../agent/agent-tool.ts";
import type { QueuedItem } from "../agent/message-queue.ts";
import type { BeforeToolCall } from "../agent/tool-execution.ts";
import type { CompactionPreparation, CompactionResult, PrepareInput } from "../compaction/compaction.ts";
import { compactionThreshold } from "../compaction/token-budget.ts";
import { calculateContextTokens, estimateTextTokens } from "../compaction/token-estimation.ts";
import { HarnessError, toError } from "../errors.ts";
import type { AgentMessage, AssistantMessage, ImageContent, Usage } from "../llm/messages.ts";
import { clampThinkingLevel, type Model, modelKey, type ThinkingLevel } from "../llm/model.ts";
import { planRetry, type RetryPolicy } from "../llm/retry.ts";
import { detectSilentOverflow } from "../llm/silent-overflow.ts";
import type { ToolDefinition } from "../llm/stream.ts";
import type { NewEntry } from "../session/entries.ts";
import type { Session, SessionContext } from "../session/session.ts";
import { CompactionControl, type ContextUsage } from "./compaction-control.ts";
import type { HarnessEvent, HarnessListener, Phase } from "./harness-events.ts";
import { compactionSettingsFor, type HarnessSettings } from "./harness-settings.ts";
import type { Hooks } from "./hooks.ts";
import { type ModelAccess, ModelRequests, type SentRequest } from "./model-requests.ts";
import { PendingSessionWrites } from "./pending-writes.ts";
import { RESUME_CUSTOM_TYPE } from "./session-memory.ts";
import { type NavigateOptions, type NavigateResult, navigateTree } from "./tree-navigation.ts";
import { undoCompaction } from "./undo-compaction.ts";

export interface HarnessOptions {
  session: Session;
  /** The model for a session that names none, or one that is not to be had. */
  model: Model | undefined;
  thinkingLevel: ThinkingLevel;
  tools: readonly AgentTool[];
  describeTool: DescribeTool;
  access: ModelAccess;
  hooks: Hooks;
  settings: () => HarnessSettings;
  /** The system prompt for the tools in use. */
  systemPrompt: (tools: readonly AgentTool[]) => Promise<string>;
  findModel: (provider: string, modelId: string) => Model | undefined;
  /** Asks the person; called after the `tool_call` hooks and before the tool runs. */
  approve?: (call: BeforeToolCall, signal: AbortSignal) => Promise<{ block?: boolean; reason?: string } | undefined>;
  /** A message id for queues. */
  newId: () => string;
}

export interface HarnessContext extends ContextUsage {
  window: number;
  /** Null while automatic compaction is off. */
  threshold: number | null;
  reserveTokens: number;
  keepRecentTokens: number;
}

const FALLBACK_WINDOW = 128_000;
/** From this share of the window on, a reply that was cut off was cut off by the window. */
const FULL_WINDOW_SHARE = 0.9;

export class AgentHarness {
  readonly session: Session;
  readonly #options: HarnessOptions;
  readonly #agent: Agent;
  readonly #requests: ModelRequests;
  readonly #pending: PendingSessionWrites;
  readonly #compaction: CompactionControl;
  readonly #listeners = new Set<HarnessListener>();
  readonly #nextTurn: AgentMessage[] = [];
  readonly #learnedWindows = new Map<string, number>();
  #phase: Phase = "idle";
  #operation: AbortController | undefined;
  #model: Model | undefined;
  #thinkingLevel: ThinkingLevel;
  #activeTools: readonly AgentTool[];
  #changes: { model?: Model; thinkingLevel?: ThinkingLevel; tools?: readonly AgentTool[] } = {};
  #systemPrompt = "";
  #overheadTokens = 0;
  #overflowRecovered = false;
  #retries = 0;
  #disposed = false;
  #work: Promise<unknown> = Promise.resolve();

  constructor(options: HarnessOptions) {
    this.#options = options;
    this.session = options.session;
    this.#model = options.model;
    this.#thinkingLevel = options.thinkingLevel;
    this.#activeTools = options.tools;
    this.#requests = new ModelRequests(options.access, options.hooks, options.session.id);
    this.#pending = new PendingSessionWrites(options.session, (saved) => {
      void this.#emit({ type: "entries_saved", saved });
    });
    this.#compaction = new CompactionControl({
      session: options.session,
      hooks: options.hooks,
      emit: (event) => this.#emit(event),
      settings: () => this.#compactionSettings(),
      window: () => this.window,
      summarizer: () => this.#summarizer(),
      overheadTokens: () => this.#overheadTokens,
    });
    const settings = options.settings();
    this.#agent = new Agent({
      initialState: {
        systemPrompt: "",
        messages: [],
        tools: options.tools,
        model: options.model as Model,
        thinkingLevel: options.thinkingLevel,
      },
      describeTool: options.describeTool,
      steeringMode: settings.steeringMode,
      followUpMode: settings.followUpMode,
      onQueueChange: () => void this.#emitQueues(),
      config: {
        now: options.access.now,
        stream: (request, turn, signal) => this.#requests.stream(request, turn, signal),
        transformContext: (messages, signal) => options.hooks.context(messages, signal),
        savePoint: () => this.#flush(),
        prepareNextTurn: async (turn, signal) => {
          const own = await this.#prepareNextTurn(signal);
          const context = { ...turn.context, ...own };
          const hooked = await options.hooks.prepareNextTurn({ ...turn, context, signal });
          return { ...own, ...hooked };
        },
        shouldStopAfterTurn: (turn) => options.hooks.shouldStopAfterTurn(turn),
        beforeToolCall: (call, signal) => this.#beforeToolCall(call, signal),
        afterToolCall: (call, result, signal) =>
          options.hooks.toolResult(
            {
              toolCallId: call.call.id,
              toolName: call.tool.name,
              input: call.params,
              content: result.content,
              details: result.details,
              isError: result.isError === true,
            },
            signal,
          ),
      },
    });
    this.#agent.subscribe((event) => this.#onAgentEvent(event));
  }

  // ---- what it is like

  get phase(): Phase {
    return this.#phase;
  }
  get model(): Model | undefined {
    return this.#model;
  }
  get thinkingLevel(): ThinkingLevel {
    return this.#thinkingLevel;
  }
  get activeTools(): readonly AgentTool[] {
    return this.#activeTools;
  }
  get queues(): { steering: readonly QueuedItem[]; followUp: readonly QueuedItem[] } {
    return { steering: this.#agent.steering.items, followUp: this.#agent.followUp.items };
  }
  /** Tokens of the model's window: learned from an overflow, else configured. */
  get window(): number {
    if (this.#model === undefined) return FALLBACK_WINDOW;
    return this.#learnedWindows.get(modelKey(this.#model)) ?? this.#model.contextWindow;
  }
  get lastRequest(): SentRequest | undefined {
    return this.#requests.lastRequest;
  }
  /** Messages that are not on disk yet. */
  get unsavedCount(): number {
    return this.#pending.size;
  }
  /** The active tools as the model is told of them. */
  get toolDefinitions(): ToolDefinition[] {
    return this.#activeTools.map((tool) => this.#options.describeTool(tool));
  }
  get systemPrompt(): string {
    return this.#systemPrompt;
  }

  subscribe(listener: HarnessListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Brings back model, thinking level and tools of the branch; tells where the model is not to be had. */
  async restore(): Promise<void> {
    await this.session.ready();
    this.#applyBranchState(await this.session.buildContext());
    await this.#refreshSystemPrompt();
  }

  /** Size of the context that the next request would carry. */
  async contextUsage(): Promise<HarnessContext> {
    const settings = this.#compactionSettings();
    const usage = this.#compaction.usage(await this.session.buildContext(), this.session.getLeafId());
    return {
      ...usage,
      window: this.window,
      threshold: settings.enabled ? compactionThreshold(this.window, settings) : null,
      reserveTokens: settings.reserveTokens,
      keepRecentTokens: settings.keepRecentTokens,
    };
  }

  // ---- prompts and queues

  /** Sends a prompt and resolves when all that follows from it is done. Throws `busy` while something else is on. */
  prompt(text: string, images: readonly ImageContent[] = []): Promise<void> {
    return this.#exclusive("starting", async (signal) => {
      this.#requireModel();
      await this.session.ready();
      await this.#flush();
      this.#overflowRecovered = false;
      this.#retries = 0;
      if (await this.#inPhase("compaction", () => this.#compaction.compactIfNeeded(signal))) {
        this.#setPhase("starting");
      }
      if (signal.aborted) return;
      await this.#refreshSystemPrompt();
      const hooked = await this.#options.hooks.beforeAgentStart(
        { prompt: text, images, systemPrompt: this.#systemPrompt },
        signal,
      );
      const now = this.#options.access.now();
      const prompts: AgentMessage[] = [
        ...this.#nextTurn.splice(0),
        ...normalizePromptInput(text, images, now),
        ...hooked.messages.map((message): AgentMessage => ({ role: "custom", ...message, timestamp: now })),
      ];
      await this.#recordSettings();
      await this.#runToEnd(prompts, signal, hooked.systemPrompt);
    });
  }

  /** Asks for an answer to the conversation as it stands: after a failure, or from a user message at the position. */
  continueRun(): Promise<void> {
    return this.#exclusive("starting", async (signal) => {
      this.#requireModel();
      await this.session.ready();
      await this.#flush();
      this.#overflowRecovered = false;
      this.#retries = 0;
      await this.#refreshSystemPrompt();
      await this.#recordSettings();
      await this.#runToEnd(undefined, signal, this.#systemPrompt);
    });
  }

  /** Puts a message into the running turn, behind its tools; while nothing runs, refused as `invalid_state`. */
  steer(text: string, images: readonly ImageContent[] = []): string {
    return this.#enqueue("steer", text, images);
  }

  /** Sends a message when the run would stop; while nothing runs, refused as `invalid_state`. */
  followUp(text: string, images: readonly ImageContent[] = []): string {
    return this.#enqueue("followUp", text, images);
  }

  /** Goes ahead of the next prompt, whenever that comes. */
  nextTurn(message: AgentMessage): void {
    this.#nextTurn.push(message);
    void this.#emitQueues();
  }

  removeQueued(id: string): boolean {
    return (this.#agent.steering.remove(id) ?? this.#agent.followUp.remove(id)) !== undefined;
  }

  /** Stops whatever is on. Returns the queued messages, which belong back into the composer. */
  abort(): QueuedItem[] {
    const { steering, followUp } = this.#agent.clearQueues();
    if (this.#phase !== "idle") void this.#emit({ type: "abort" });
    this.#operation?.abort();
    this.#agent.abort();
    return [...steering, ...followUp];
  }

  async waitForIdle(): Promise<void> {
    await this.#work;
  }

  /** Stops, saves what was said, and closes the session. */
  async dispose(): Promise<void> {
    this.#disposed = true;
    this.abort();
    await this.waitForIdle().catch(() => {});
    await this.#flush().catch(() => {});
    await this.session.close();
  }

  /** Tries again to save what is only in memory. */
  async save(): Promise<void> {
    await this.#flush();
  }

  // ---- compaction

  /** What a compaction would do, without doing it. */
  async previewCompaction(cut?: PrepareInput["cut"]): Promise<CompactionPreparation | undefined> {
    await this.session.ready();
    return await this.#compaction.prepare(cut);
  }

  /** Compacts now. Throws `busy`, or CompactionError; returns the id of the entry. */
  async compact(
    options: {
      customInstructions?: string;
      cut?: PrepareInput["cut"];
      /** Taken as the summary instead of asking the model. */
      summary?: string;
      summaryUsage?: Usage;
    } = {},
  ): Promise<string> {
    return await this.#exclusive("compaction", async (signal) => {
      this.#requireModel();
      await this.session.ready();
      await this.#flush();
      const id = await this.#compaction.run({ reason: "manual", signal, ...options });
      await this.#drainQueues(signal);
      return id;
    });
  }

  /** The summary that `compact` would write, to be edited and given back to it; writes nothing. Throws like `compact`. */
  async draftCompaction(
    options: { customInstructions?: string; cut?: PrepareInput["cut"] } = {},
  ): Promise<CompactionResult> {
    return await this.#exclusive("compaction", async (signal) => {
      this.#requireModel();
      await this.session.ready();
      await this.#flush();
      return await this.#compaction.draft({ reason: "manual", signal, ...options });
    });
  }

  /** Takes the newest compaction of the branch back (product.md "Undo"). */
  undoCompaction(compactionId: string): Promise<string | null> {
    return this.#exclusive("branch_summary", async () => {
      await this.session.ready();
      await this.#flush();
      const leafId = await undoCompaction(this.session, compactionId);
      await this.#emit({ type: "session_tree", leafId });
      return leafId;
    });
  }

  /** Lets automatic compaction work again on a branch whose compaction was undone. */
  async resumeAutoCompaction(): Promise<void> {
    await this.session.appendCustomEntry(RESUME_CUSTOM_TYPE);
  }

  // ---- the tree

  /** Moves the position; refused as `busy` while anything is on. */
  navigateTree(entryId: string | null, options: NavigateOptions): Promise<NavigateResult> {
    return this.#exclusive("branch_summary", async (signal) => {
      await this.session.ready();
      await this.#flush();
      const result = await navigateTree(
        {
          session: this.session,
          hooks: this.#options.hooks,
          summarizer: () => this.#summarizer(),
          reserveTokens: () =>
            Math.min(this.#options.settings().branchSummary.reserveTokens, Math.floor(this.window / 4)),
        },
        entryId,
        options,
        signal,
      );
      if (!result.cancelled) {
        this.#applyBranchState(await this.session.buildContext());
        await this.#emit({
          type: "session_tree",
          leafId: result.leafId,
          ...(result.summaryEntryId === undefined ? {} : { summaryEntryId: result.summaryEntryId }),
        });
      }
      return result;
    });
  }

  // ---- model, level, tools: in force at the next turn, recorded at the next flush

  async setModel(model: Model): Promise<void> {
    this.#model = model;
    this.#thinkingLevel = clampThinkingLevel(model, this.#thinkingLevel);
    this.#changes.model = model;
    this.#changes.thinkingLevel = this.#thinkingLevel;
    await this.#emit({ type: "model_update", model });
    await this.#emit({ type: "thinking_level_update", level: this.#thinkingLevel });
  }

  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    this.#thinkingLevel = this.#model === undefined ? level : clampThinkingLevel(this.#model, level);
    this.#changes.thinkingLevel = this.#thinkingLevel;
    await this.#emit({ type: "thinking_level_update", level: this.#thinkingLevel });
  }

  async setActiveTools(names: readonly string[]): Promise<void> {
    this.#activeTools = this.#options.tools.filter((tool) => names.includes(tool.name));
    this.#changes.tools = this.#activeTools;
    await this.#emit({ type: "tools_update", names: this.#activeTools.map((tool) => tool.name) });
  }

  // ---- inside

  /** Runs one operation; the phase goes back to idle and the queues are told when it is over. */
  async #exclusive<T>(phase: Phase, operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (this.#disposed) throw new HarnessError("invalid_state", "The session is closed.");
    if (this.#phase !== "idle") {
      throw new HarnessError("busy", `The session is busy (${this.#phase}). Stop that first, or wait for it.`);
    }
    this.#setPhase(phase);
    const controller = new AbortController();
    this.#operation = controller;
    const work = (async () => {
      try {
        return await operation(controller.signal);
      } finally {
        this.#operation = undefined;
        this.#setPhase("idle");
        await this.#emit({ type: "settled", nextTurnCount: this.#nextTurn.length });
        await this.#emit({ type: "agent_settled", aborted: controller.signal.aborted });
      }
    })();
    this.#work = work.catch(() => {});
    return await work;
  }

  async #inPhase<T>(phase: Phase, operation: () => Promise<T>): Promise<T> {
    const before = this.#phase;
    this.#setPhase(phase);
    try {
      return await operation();
    } finally {
      this.#setPhase(before);
    }
  }

  #setPhase(phase: Phase): void {
    if (this.#phase === phase) return;
    this.#phase = phase;
    void this.#emit({ type: "phase_change", phase });
  }

  #requireModel(): Model {
    if (this.#model === undefined) throw new HarnessError("auth", "No model is chosen yet.");
    return this.#model;
  }

  #compactionSettings() {
    const settings = this.#options.settings();
    if (this.#model === undefined) return settings.compaction;
    return compactionSettingsFor(settings, this.#model, this.window);
  }

  #retryPolicy(): RetryPolicy {
    const { enabled, maxRetries, baseDelayMs, maxDelayMs } = this.#options.settings().retry;
    return { maxRetries: enabled ? maxRetries : 0, baseDelayMs, maxDelayMs };
  }

  #summarizer() {
    return this.#requests.summarizer(
      this.#requireModel(),
      this.window,
      this.#thinkingLevel,
      this.#retryPolicy(),
      (notice) => {
        void this.#emit({ type: "retry_scheduled", ...notice });
      },
    );
  }

  async #refreshSystemPrompt(): Promise<void> {
    this.#systemPrompt = await this.#options.systemPrompt(this.#activeTools);
    const tools = this.#activeTools.map((tool) => this.#options.describeTool(tool));
    this.#overheadTokens = estimateTextTokens(this.#systemPrompt + JSON.stringify(tools));
  }

  /** Model, level and tools that the branch names; what the session cannot have stays as it is and is told. */
  #applyBranchState(context: SessionContext): void {
    this.#changes = {};
    if (context.model !== null) {
      const found = this.#options.findModel(context.model.provider, context.model.modelId);
      if (found !== undefined) {
        this.#model = found;
        void this.#emit({ type: "model_update", model: found });
      } else {
        void this.#emit({ type: "model_unavailable", ...context.model });
      }
      const level = this.#model === undefined ? "off" : clampThinkingLevel(this.#model, context.thinkingLevel);
      this.#thinkingLevel = level;
      void this.#emit({ type: "thinking_level_update", level });
    }
    if (context.activeToolNames !== null) {
      const names = context.activeToolNames;
      this.#activeTools = this.#options.tools.filter((tool) => names.includes(tool.name));
      void this.#emit({ type: "tools_update", names: this.#activeTools.map((tool) => tool.name) });
    }
  }

  /** Queues entries for what differs from what the branch says; nothing where it already says so. */
  async #recordSettings(): Promise<void> {
    const context = await this.session.buildContext();
    const model = this.#requireModel();
    const entries: NewEntry[] = [];
    if (context.model?.provider !== model.provider || context.model.modelId !== model.id) {
      entries.push({ type: "model_change", provider: model.provider, modelId: model.id });
    }
    if (context.thinkingLevel !== this.#thinkingLevel) {
      entries.push({ type: "thinking_level_change", thinkingLevel: this.#thinkingLevel });
    }
    const names = this.#activeTools.map((tool) => tool.name);
    const known = context.activeToolNames ?? this.#options.tools.map((tool) => tool.name);
    if (names.length !== known.length || names.some((name) => !known.includes(name))) {
      entries.push({ type: "active_tools_change", activeToolNames: names });
    }
    this.#changes = {};
    for (const entry of entries) this.#pending.push({ entry });
  }

  /** Between turns: changes of model, level and tools come into force, and a context grown too large is compacted. */
  async #prepareNextTurn(signal: AbortSignal) {
    const { model, thinkingLevel, tools } = this.#changes;
    if (model !== undefined || thinkingLevel !== undefined || tools !== undefined) {
      await this.#recordSettings();
      await this.#flush();
    }
    if (tools !== undefined) await this.#refreshSystemPrompt();
    const compacted = await this.#inPhase("compaction", () => this.#compaction.compactIfNeeded(signal));
    return {
      ...(model === undefined ? {} : { model }),
      ...(thinkingLevel === undefined ? {} : { thinkingLevel }),
      ...(tools === undefined ? {} : { tools, systemPrompt: this.#systemPrompt }),
      ...(compacted ? { messages: (await this.session.buildContext()).messages.slice() } : {}),
    };
  }

  async #beforeToolCall(call: BeforeToolCall, signal: AbortSignal) {
    const verdict = await this.#options.hooks.toolCall({
      toolCallId: call.call.id,
      toolName: call.tool.name,
      input: call.params,
      signal,
    });
    if (verdict?.block === true) return verdict;
    return await this.#options.approve?.(call, signal);
  }

  /** A run with everything that may follow from it: overflow, retries, threshold, queued messages. */
  async #runToEnd(prompts: AgentMessage[] | undefined, signal: AbortSignal, systemPrompt: string): Promise<void> {
    this.#setPhase("turn");
    let outcome = await this.#run(prompts, signal, systemPrompt);
    while (!signal.aborted && outcome !== undefined) {
      if (await this.#recover(outcome, signal)) {
        outcome = await this.#run(undefined, signal, systemPrompt);
        continue;
      }
      if (outcome.failure !== undefined) {
        await this.#emit({ type: "run_failed", failure: outcome.failure });
        break;
      }
      if (!signal.aborted) await this.#inPhase("compaction", () => this.#compaction.compactIfNeeded(signal));
      const queued = [...this.#agent.steering.take(), ...this.#agent.followUp.take()];
      if (queued.length === 0 || signal.aborted) break;
      outcome = await this.#run(queued, signal, systemPrompt);
    }
  }

  async #run(
    prompts: AgentMessage[] | undefined,
    signal: AbortSignal,
    systemPrompt: string,
  ): Promise<RunOutcome | undefined> {
    const { messages } = await this.session.buildContext();
    const state = this.#agent.state;
    state.messages = messages.slice();
    state.systemPrompt = systemPrompt;
    state.tools = this.#activeTools;
    state.model = this.#requireModel();
    state.thinkingLevel = this.#thinkingLevel;
    if (prompts === undefined) {
      while (isFailed(state.messages.at(-1))) state.messages.pop();
      const last = state.messages.at(-1);
      if (last === undefined || last.role === "assistant") return undefined;
    }
    const stop = () => this.#agent.abort();
    signal.addEventListener("abort", stop, { once: true });
    try {
      return await (prompts === undefined ? this.#agent.continue() : this.#agent.prompt(prompts));
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  /** True where the failed request should be made again: after one compaction, or after a wait. */
  async #recover(outcome: RunOutcome, signal: AbortSignal): Promise<boolean> {
    const { failure } = outcome;
    const model = this.#requireModel();
    const last = lastAssistant(outcome.messages);
    const sameModel = last === undefined || (last.provider === model.provider && last.model === model.id);
    if (failure?.learnedWindow !== undefined) this.#learnWindow(model, failure.learnedWindow);
    const silent = failure === undefined && last !== undefined ? detectSilentOverflow(last, this.window) : undefined;
    // Cut off although there was room in the reply: the window was full.
    const cutShort =
      failure === undefined &&
      last?.stopReason === "length" &&
      last.usage.output < model.maxTokens * 0.9 &&
      calculateContextTokens(last.usage) >= this.window * FULL_WINDOW_SHARE;
    if (sameModel && (failure?.kind === "overflow" || silent === "overflow" || cutShort)) {
      if (this.#overflowRecovered) return false;
      this.#overflowRecovered = true;
      // A whole reply that was merely too large is not asked for again.
      const retry = failure !== undefined || last?.stopReason === "length";
      // What was cut off stays in the file and leaves the context, so that it can be asked for anew.
      if (failure === undefined && retry) await this.#omitLastReply();
      const compacted = await this.#inPhase("compaction", () => this.#compaction.compactForOverflow(signal, retry));
      return compacted && retry && !signal.aborted;
    }
    if (failure === undefined) {
      if (this.#retries > 0) await this.#emit({ type: "auto_retry_end", success: true, attempt: this.#retries });
      this.#retries = 0;
      if (last?.stopReason !== "length") this.#overflowRecovered = false;
      return false;
    }
    const policy = this.#retryPolicy();
    const plan = planRetry(failure, this.#retries, policy);
    if (!plan.retry) {
      if (this.#retries > 0) {
        await this.#emit({
          type: "auto_retry_end",
          success: false,
          attempt: this.#retries,
          finalError: failure.message,
        });
      }
      return false;
    }
    this.#retries += 1;
    await this.#emit({
      type: "auto_retry_start",
      attempt: this.#retries,
      maxAttempts: policy.maxRetries,
      delayMs: plan.delayMs,
      errorMessage: failure.message,
    });
    await this.#options.access.sleep(plan.delayMs, signal).catch(() => {});
    return !signal.aborted;
  }

  async #omitLastReply(): Promise<void> {
    const id = this.session
      .pathTo(this.session.getLeafId())
      .findLast((entry) => this.session.node(entry)?.role === "assistant");
    if (id !== undefined) await this.session.appendContextEdit(id, null);
  }

  #learnWindow(model: Model, window: number): void {
    if (!Number.isSafeInteger(window) || window <= 0 || window === this.window) return;
    this.#learnedWindows.set(modelKey(model), window);
    void this.#emit({ type: "window_learned", model, window });
  }

  /** Messages that were typed while something else than a run was on get their run now. */
  async #drainQueues(signal: AbortSignal): Promise<void> {
    const queued = [...this.#agent.steering.take(), ...this.#agent.followUp.take()];
    if (queued.length === 0 || signal.aborted) return;
    await this.#refreshSystemPrompt();
    await this.#recordSettings();
    await this.#runToEnd(queued, signal, this.#systemPrompt);
  }

  #enqueue(mode: "steer" | "followUp", text: string, images: readonly ImageContent[]): string {
    if (this.#phase === "idle") throw new HarnessError("invalid_state", "Nothing is running; send it as a prompt.");
    const [message] = normalizePromptInput(text, images, this.#options.access.now());
    const item: QueuedItem = { id: this.#options.newId(), message: message! };
    (mode === "steer" ? this.#agent.steering : this.#agent.followUp).push(item);
    return item.id;
  }

  async #flush(): Promise<void> {
    try {
      await this.#pending.flush();
    } catch (thrown) {
      const error = toError(thrown);
      await this.#emit({ type: "save_failed", error });
      throw new HarnessError("session", `The conversation could not be saved: ${error.message}`, error);
    }
  }

  async #onAgentEvent(event: AgentEvent): Promise<void> {
    if (event.type === "message_end") this.#pending.push(writeOf(event.message));
    await this.#emit(event);
    if (event.type === "turn_end") {
      const hadPendingMutations = this.#pending.size > 0;
      await this.#flush().catch(() => {}); // Told by `save_failed`; stays pending.
      await this.#emit({ type: "save_point", hadPendingMutations });
    } else if (event.type === "agent_end") {
      await this.#flush().catch(() => {});
    }
  }

  async #emitQueues(): Promise<void> {
    await this.#emit({
      type: "queue_update",
      steering: this.#agent.steering.items.slice(),
      followUp: this.#agent.followUp.items.slice(),
      nextTurn: this.#nextTurn.length,
    });
  }

  async #emit(event: HarnessEvent): Promise<void> {
    for (const listener of this.#listeners) {
      try {
        await listener(event);
      } catch {
        // A listener's fault is its own: the run and the disk do not depend on who watches.
      }
    }
  }
}

function isFailed(message: AgentMessage | undefined): boolean {
  return message?.role === "assistant" && (message.stopReason === "error" || message.stopReason === "aborted");
}

function lastAssistant(messages: readonly AgentMessage[]): AssistantMessage | undefined {
  return messages.findLast((message): message is AssistantMessage => message.role === "assistant");
}

function writeOf(message: AgentMessage): { entry: NewEntry; message: AgentMessage } {
  if (message.role === "custom") {
    const { role: _role, timestamp: _timestamp, ...rest } = message;
    return { entry: { type: "custom_message", ...rest }, message };
  }
  return { entry: { type: "message", message }, message };
}
