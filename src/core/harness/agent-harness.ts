// One open session at work: what a person can ask of it, wired to what carries it out (seed 1 §1, behaviours §1).
import { Agent, normalizePromptInput } from "../agent/agent.ts";
import type { AgentEvent } from "../agent/agent-events.ts";
import type { DescribeTool } from "../agent/agent-loop.ts";
import type { AgentTool } from "../agent/agent-tool.ts";
import type { QueuedItem } from "../agent/message-queue.ts";
import type { BeforeToolCall } from "../agent/tool-execution.ts";
import type { CompactionPreparation, CompactionResult, PrepareInput } from "../compaction/compaction.ts";
import { type ContextSizeAt, contextSizeAt } from "../compaction/context-size-at.ts";
import { compactionThreshold } from "../compaction/token-budget.ts";
import { estimateTextTokens } from "../compaction/token-estimation.ts";
import { HarnessError, toError } from "../errors.ts";
import type { AgentMessage, ImageContent, Usage } from "../llm/messages.ts";
import { type Model, modelKey, type ThinkingLevel } from "../llm/model.ts";
import type { RetryPolicy } from "../llm/retry.ts";
import type { ToolDefinition } from "../llm/stream.ts";
import type { NewEntry } from "../session/entries.ts";
import type { Session } from "../session/session.ts";
import { CompactionControl, type ContextUsage } from "./compaction-control.ts";
import type { HarnessEvent, HarnessListener, Phase } from "./harness-events.ts";
import { compactionSettingsFor, type HarnessSettings } from "./harness-settings.ts";
import type { Hooks } from "./hooks.ts";
import { type ModelAccess, ModelRequests, type SentRequest } from "./model-requests.ts";
import { OperationPhase } from "./operation-phase.ts";
import { PendingSessionWrites } from "./pending-writes.ts";
import { RunSupervisor } from "./run-supervisor.ts";
import { RESUME_CUSTOM_TYPE } from "./session-memory.ts";
import {
  type BranchSummaryDraft,
  draftBranchSummary,
  type NavigateOptions,
  type NavigateResult,
  type NavigationHost,
  navigateTree,
} from "./tree-navigation.ts";
import { TurnSettings } from "./turn-settings.ts";
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

export class AgentHarness {
  readonly session: Session;
  readonly #options: HarnessOptions;
  readonly #agent: Agent;
  readonly #phase: OperationPhase;
  readonly #settings: TurnSettings;
  readonly #runs: RunSupervisor;
  readonly #requests: ModelRequests;
  readonly #pending: PendingSessionWrites;
  readonly #compaction: CompactionControl;
  readonly #listeners = new Set<HarnessListener>();
  readonly #nextTurn: AgentMessage[] = [];
  readonly #learnedWindows = new Map<string, number>();
  #systemPrompt = "";
  #overheadTokens = 0;

  constructor(options: HarnessOptions) {
    this.#options = options;
    this.session = options.session;
    const emit = (event: HarnessEvent) => this.#emit(event);
    this.#phase = new OperationPhase({ emit, nextTurnCount: () => this.#nextTurn.length });
    const { tools, findModel } = options;
    this.#settings = new TurnSettings({ tools, findModel, emit }, options.model, options.thinkingLevel);
    this.#requests = new ModelRequests(options.access, options.hooks, options.session.id);
    this.#pending = new PendingSessionWrites(options.session, (saved) => {
      void this.#emit({ type: "entries_saved", saved });
    });
    this.#compaction = new CompactionControl({
      session: options.session,
      hooks: options.hooks,
      emit,
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
    this.#runs = new RunSupervisor({
      session: options.session,
      agent: this.#agent,
      settings: this.#settings,
      phase: this.#phase,
      compaction: this.#compaction,
      window: () => this.window,
      learnWindow: (model, window) => this.#learnWindow(model, window),
      retryPolicy: () => this.#retryPolicy(),
      sleep: options.access.sleep,
      emit,
    });
  }

  // ---- what it is like

  get phase(): Phase {
    return this.#phase.current;
  }
  get model(): Model | undefined {
    return this.#settings.model;
  }
  get thinkingLevel(): ThinkingLevel {
    return this.#settings.thinkingLevel;
  }
  get activeTools(): readonly AgentTool[] {
    return this.#settings.activeTools;
  }
  get queues(): { steering: readonly QueuedItem[]; followUp: readonly QueuedItem[] } {
    return { steering: this.#agent.steering.items, followUp: this.#agent.followUp.items };
  }
  /** Tokens of the model's window: learned from an overflow, else configured. */
  get window(): number {
    const { model } = this.#settings;
    if (model === undefined) return FALLBACK_WINDOW;
    return this.#learnedWindows.get(modelKey(model)) ?? model.contextWindow;
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
    return this.activeTools.map((tool) => this.#options.describeTool(tool));
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
    this.#settings.applyBranch(await this.session.buildContext());
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

  /** Size of the context at a point that is only looked at, cheaply in a session of any length; see `contextSizeAt`. */
  async contextSizeAt(leafId: string | null): Promise<ContextSizeAt> {
    return await contextSizeAt(this.session, leafId, this.#overheadTokens);
  }

  // ---- prompts and queues

  /**
   * Sends a prompt and resolves when all that follows from it is done. Throws `busy` while something else is on.
   * @param onTaken called once the prompt can no longer be lost; where it rejects or is stopped before, whoever asked still
   *   has the words and must keep them
   */
  prompt(text: string, images: readonly ImageContent[] = [], onTaken: () => void = () => {}): Promise<void> {
    return this.#phase.exclusive("starting", async (signal) => {
      this.#settings.requireModel();
      await this.session.ready();
      await this.#flush();
      this.#runs.reset();
      if (await this.#phase.during("compaction", () => this.#compaction.compactIfNeeded(signal))) {
        this.#phase.enter("starting");
      }
      this.#mustGoOn(signal);
      await this.#refreshSystemPrompt();
      const hooked = await this.#options.hooks.beforeAgentStart(
        { prompt: text, images, systemPrompt: this.#systemPrompt },
        signal,
      );
      this.#mustGoOn(signal);
      const now = this.#options.access.now();
      const prompts: AgentMessage[] = [
        ...this.#nextTurn.splice(0),
        ...normalizePromptInput(text, images, now),
        ...hooked.messages.map((message): AgentMessage => ({ role: "custom", ...message, timestamp: now })),
      ];
      await this.#recordSettings();
      this.#mustGoOn(signal);
      onTaken();
      await this.#runs.runToEnd(prompts, signal, hooked.systemPrompt);
    });
  }

  /** Stop is heard while a run is starting too: nothing has been sent then, and nothing will be. */
  #mustGoOn(signal: AbortSignal): void {
    if (signal.aborted) throw new HarnessError("invalid_state", "Stopped before anything was sent.");
  }

  /** Asks for an answer to the conversation as it stands: after a failure, or from a user message at the position. */
  continueRun(): Promise<void> {
    return this.#phase.exclusive("starting", async (signal) => {
      this.#settings.requireModel();
      await this.session.ready();
      await this.#flush();
      this.#runs.reset();
      await this.#refreshSystemPrompt();
      await this.#recordSettings();
      this.#mustGoOn(signal);
      await this.#runs.runToEnd(undefined, signal, this.#systemPrompt);
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

  /** Stops whatever is on. Returns the queued messages, which belong back into the composer; `queue_returned` tells them too. */
  abort(): QueuedItem[] {
    const { steering, followUp } = this.#agent.clearQueues();
    const returned = [...steering, ...followUp];
    if (this.phase !== "idle") void this.#emit({ type: "abort" });
    if (returned.length > 0) void this.#emit({ type: "queue_returned", items: returned });
    this.#phase.abort();
    this.#agent.abort();
    return returned;
  }

  async waitForIdle(): Promise<void> {
    await this.#phase.waitForIdle();
  }

  /** Stops, saves what was said, and closes the session. */
  async dispose(): Promise<void> {
    this.#phase.close();
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
    return await this.#thenDeliver(
      this.#phase.exclusive("compaction", async (signal) => {
        this.#settings.requireModel();
        await this.session.ready();
        await this.#flush();
        return await this.#compaction.run({ reason: "manual", signal, ...options });
      }),
    );
  }

  /** What was typed while an operation was on gets its run when that is over, however it ended. */
  async #thenDeliver<T>(operation: Promise<T>): Promise<T> {
    try {
      return await operation;
    } finally {
      const waiting = this.#agent.steering.items.length + this.#agent.followUp.items.length;
      if (waiting > 0 && this.phase === "idle") {
        await this.#phase.exclusive("starting", (signal) => this.#drainQueues(signal)).catch(() => {});
      }
    }
  }

  /** The summary that `compact` would write, to be edited and given back to it; writes nothing. Throws like `compact`. */
  async draftCompaction(
    options: { customInstructions?: string; cut?: PrepareInput["cut"] } = {},
  ): Promise<CompactionResult> {
    return await this.#thenDeliver(
      this.#phase.exclusive("compaction", async (signal) => {
        this.#settings.requireModel();
        await this.session.ready();
        await this.#flush();
        return await this.#compaction.draft({ reason: "manual", signal, ...options });
      }),
    );
  }

  /** Takes the newest compaction of the branch back (product.md "Undo"). */
  undoCompaction(compactionId: string): Promise<string | null> {
    return this.#thenDeliver(
      this.#phase.exclusive("branch_summary", async () => {
        await this.session.ready();
        await this.#flush();
        const leafId = await undoCompaction(this.session, compactionId);
        await this.#emit({ type: "session_tree", leafId });
        return leafId;
      }),
    );
  }

  /** Lets automatic compaction work again on a branch whose compaction was undone. */
  async resumeAutoCompaction(): Promise<void> {
    await this.session.appendCustomEntry(RESUME_CUSTOM_TYPE);
  }

  // ---- the tree

  /** Moves the position; refused as `busy` while anything is on. */
  navigateTree(entryId: string | null, options: NavigateOptions): Promise<NavigateResult> {
    return this.#navigating(async (host, signal) => {
      const result = await navigateTree(host, entryId, options, signal);
      if (!result.cancelled) {
        this.#settings.applyBranch(await this.session.buildContext());
        await this.#emit({
          type: "session_tree",
          leafId: result.leafId,
          ...(result.summaryEntryId === undefined ? {} : { summaryEntryId: result.summaryEntryId }),
        });
      }
      return result;
    });
  }

  /** The summary that a move would attach, to be edited and given back to `navigateTree`; nothing is written or moved. */
  draftBranchSummary(
    entryId: string | null,
    options: Parameters<typeof draftBranchSummary>[2] = {},
  ): Promise<BranchSummaryDraft | undefined> {
    return this.#navigating((host, signal) => draftBranchSummary(host, entryId, options, signal));
  }

  #navigating<T>(operation: (host: NavigationHost, signal: AbortSignal) => Promise<T>): Promise<T> {
    const done = this.#phase.exclusive("branch_summary", async (signal) => {
      await this.session.ready();
      await this.#flush();
      const host: NavigationHost = {
        session: this.session,
        hooks: this.#options.hooks,
        summarizer: () => this.#summarizer(),
        reserveTokens: () =>
          Math.min(this.#options.settings().branchSummary.reserveTokens, Math.floor(this.window / 4)),
      };
      return await operation(host, signal);
    });
    return this.#thenDeliver(done);
  }

  // ---- model, level, tools: in force at the next turn, recorded at the next flush

  setModel(model: Model): Promise<void> {
    return this.#settings.setModel(model);
  }
  /** To be called when more models became known. */
  lookForMissingModel(): Promise<void> {
    return this.#settings.lookForMissing();
  }
  setThinkingLevel(level: ThinkingLevel): Promise<void> {
    return this.#settings.setThinkingLevel(level);
  }
  setActiveTools(names: readonly string[]): Promise<void> {
    return this.#settings.setActiveTools(names);
  }

  // ---- inside

  #compactionSettings() {
    const settings = this.#options.settings();
    const { model } = this.#settings;
    if (model === undefined) return settings.compaction;
    return compactionSettingsFor(settings, model, this.window);
  }

  #retryPolicy(): RetryPolicy {
    const { enabled, maxRetries, baseDelayMs, maxDelayMs } = this.#options.settings().retry;
    return { maxRetries: enabled ? maxRetries : 0, baseDelayMs, maxDelayMs };
  }

  #summarizer() {
    return this.#requests.summarizer(
      this.#settings.requireModel(),
      this.window,
      this.#settings.thinkingLevel,
      this.#retryPolicy(),
      (notice) => {
        void this.#emit({ type: "retry_scheduled", ...notice });
      },
    );
  }

  async #refreshSystemPrompt(): Promise<void> {
    this.#systemPrompt = await this.#options.systemPrompt(this.#settings.activeTools);
    const tools = this.#settings.activeTools.map((tool) => this.#options.describeTool(tool));
    this.#overheadTokens = estimateTextTokens(this.#systemPrompt + JSON.stringify(tools));
  }

  async #recordSettings(): Promise<void> {
    const entries = this.#settings.record(await this.session.buildContext());
    for (const entry of entries) this.#pending.push({ entry });
  }

  /** Between turns: changes of model, level and tools come into force, and a context grown too large is compacted. */
  async #prepareNextTurn(signal: AbortSignal) {
    const { model, thinkingLevel, tools } = this.#settings.changes;
    if (model !== undefined || thinkingLevel !== undefined || tools !== undefined) {
      await this.#recordSettings();
      await this.#flush();
    }
    if (tools !== undefined) await this.#refreshSystemPrompt();
    const compacted = await this.#phase.during("compaction", () => this.#compaction.compactIfNeeded(signal));
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

  #learnWindow(model: Model, window: number): void {
    if (!Number.isSafeInteger(window) || window <= 0 || window === this.window) return;
    this.#learnedWindows.set(modelKey(model), window);
    void this.#emit({ type: "window_learned", model, window });
  }

  /** Messages that were typed while something else than a run was on get their run now. */
  async #drainQueues(signal: AbortSignal): Promise<void> {
    const queued = [...this.#agent.steering.take(), ...this.#agent.followUp.take()];
    if (queued.length === 0 || signal.aborted) return;
    this.#runs.reset();
    await this.#refreshSystemPrompt();
    await this.#recordSettings();
    await this.#runs.runToEnd(queued, signal, this.#systemPrompt);
  }

  #enqueue(mode: "steer" | "followUp", text: string, images: readonly ImageContent[]): string {
    if (this.phase === "idle") throw new HarnessError("invalid_state", "Nothing is running; send it as a prompt.");
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

function writeOf(message: AgentMessage): { entry: NewEntry; message: AgentMessage } {
  if (message.role === "custom") {
    const { role: _role, timestamp: _timestamp, ...rest } = message;
    return { entry: { type: "custom_message", ...rest }, message };
  }
  return { entry: { type: "message", message }, message };
}
