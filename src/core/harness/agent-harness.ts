// One open session at work: what a person can ask of it, wired to what carries it out (seed 1 §1, behaviours §1).
import { type Agent, normalizePromptInput } from "../agent/agent.ts";
import type { AgentTool } from "../agent/agent-tool.ts";
import type { QueuedItem } from "../agent/message-queue.ts";
import type { CompactionPreparation, CompactionResult, PrepareInput } from "../compaction/compaction.ts";
import { type ContextSizeAt, contextSizeAt } from "../compaction/context-size-at.ts";
import { compactionThreshold } from "../compaction/token-budget.ts";
import { HarnessError } from "../errors.ts";
import type { AgentMessage, ImageContent, Usage } from "../llm/messages.ts";
import type { Model, ThinkingLevel } from "../llm/model.ts";
import type { RetryPolicy } from "../llm/retry.ts";
import type { ToolDefinition } from "../llm/stream.ts";
import type { Session } from "../session/session.ts";
import { CompactionControl, type ContextUsage } from "./compaction-control.ts";
import { ConversationSaver } from "./conversation-saver.ts";
import { createHarnessAgent } from "./harness-agent.ts";
import type { HarnessEvent, HarnessListener, Phase } from "./harness-events.ts";
import { HarnessListeners } from "./harness-listeners.ts";
import type { HarnessOptions } from "./harness-options.ts";
import { HarnessQueues } from "./harness-queues.ts";
import { compactionSettingsFor } from "./harness-settings.ts";
import { ModelRequests, type SentRequest } from "./model-requests.ts";
import { ModelWindows } from "./model-windows.ts";
import { OperationPhase } from "./operation-phase.ts";
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
import { TurnPrompt } from "./turn-prompt.ts";
import { TurnSettings } from "./turn-settings.ts";
import { undoCompaction } from "./undo-compaction.ts";

export interface HarnessContext extends ContextUsage {
  window: number;
  /** Null while automatic compaction is off. */
  threshold: number | null;
  reserveTokens: number;
  keepRecentTokens: number;
  /** A compaction is due that waits for the person, who undid one on this branch. */
  waits: boolean;
}

export class AgentHarness {
  readonly session: Session;
  readonly #options: HarnessOptions;
  readonly #agent: Agent;
  readonly #phase: OperationPhase;
  readonly #settings: TurnSettings;
  readonly #runs: RunSupervisor;
  readonly #requests: ModelRequests;
  readonly #saver: ConversationSaver;
  readonly #compaction: CompactionControl;
  readonly #listeners = new HarnessListeners();
  readonly #queues: HarnessQueues;
  readonly #windows = new ModelWindows();
  readonly #prompt: TurnPrompt;

  constructor(options: HarnessOptions) {
    this.#options = options;
    this.session = options.session;
    const emit = (event: HarnessEvent) => this.#emit(event);
    this.#phase = new OperationPhase({ emit, nextTurnCount: () => this.#queues.nextTurnCount });
    const { tools, findModel } = options;
    this.#settings = new TurnSettings({ tools, findModel, emit }, options.model, options.thinkingLevel);
    this.#requests = new ModelRequests(options.access, options.hooks, options.session.id);
    this.#saver = new ConversationSaver(options.session, emit);
    this.#prompt = new TurnPrompt(options.systemPrompt, options.describeTool);
    this.#compaction = new CompactionControl({
      session: options.session,
      hooks: options.hooks,
      emit,
      settings: () => this.#compactionSettings(),
      window: () => this.window,
      summarizer: () => this.#summarizer(),
      overheadTokens: () => this.#prompt.overheadTokens,
    });
    this.#agent = createHarnessAgent(options, {
      requests: this.#requests,
      savePoint: () => this.#saver.save(),
      prepareNextTurn: (signal) => this.#prepareNextTurn(signal),
      onQueueChange: () => this.#queues.tell(),
    });
    this.#agent.subscribe((event) => this.#saver.hear(event));
    const { newId, access } = options;
    this.#queues = new HarnessQueues({ agent: this.#agent, newId, now: access.now, emit });
    this.#runs = new RunSupervisor({
      session: options.session,
      agent: this.#agent,
      queues: this.#queues,
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
    return this.#queues.items;
  }
  /** Tokens of the model's window: learned from an overflow, else configured. */
  get window(): number {
    return this.#windows.of(this.model);
  }
  get lastRequest(): SentRequest | undefined {
    return this.#requests.lastRequest;
  }
  /** Messages that are not on disk yet. */
  get unsavedCount(): number {
    return this.#saver.unsavedCount;
  }
  /** The active tools as the model is told of them. */
  get toolDefinitions(): ToolDefinition[] {
    return this.activeTools.map((tool) => this.#options.describeTool(tool));
  }
  get systemPrompt(): string {
    return this.#prompt.text;
  }

  subscribe(listener: HarnessListener): () => void {
    return this.#listeners.subscribe(listener);
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
    const leafId = this.session.getLeafId();
    const usage = this.#compaction.usage(await this.session.buildContext(), leafId);
    return {
      ...usage,
      waits: await this.#compaction.isWaiting(usage.tokens, leafId),
      window: this.window,
      threshold: settings.enabled ? compactionThreshold(this.window, settings) : null,
      reserveTokens: settings.reserveTokens,
      keepRecentTokens: settings.keepRecentTokens,
    };
  }

  /** Size of the context at a point that is only looked at, cheaply in a session of any length; see `contextSizeAt`. */
  async contextSizeAt(leafId: string | null): Promise<ContextSizeAt> {
    return await contextSizeAt(this.session, leafId, this.#prompt.overheadTokens);
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
      await this.#saver.save();
      this.#runs.reset();
      if (await this.#phase.during("compaction", () => this.#compaction.compactIfNeeded(signal))) {
        this.#phase.enter("starting");
      }
      this.#mustGoOn(signal);
      await this.#refreshSystemPrompt();
      const hooked = await this.#options.hooks.beforeAgentStart(
        { prompt: text, images, systemPrompt: this.#prompt.text },
        signal,
      );
      this.#mustGoOn(signal);
      const now = this.#options.access.now();
      const prompts: AgentMessage[] = [
        ...this.#queues.takeForNextTurn(),
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
      await this.#saver.save();
      this.#runs.reset();
      await this.#refreshSystemPrompt();
      await this.#recordSettings();
      this.#mustGoOn(signal);
      await this.#runs.runToEnd(undefined, signal, this.#prompt.text);
    });
  }

  /** Puts a message into the running turn, behind its tools; while nothing runs, refused as `invalid_state`. */
  steer(text: string, images: readonly ImageContent[] = []): string {
    this.#mustRun();
    return this.#queues.add("steer", text, images);
  }

  /** Sends a message when the run would stop; while nothing runs, refused as `invalid_state`. */
  followUp(text: string, images: readonly ImageContent[] = []): string {
    this.#mustRun();
    return this.#queues.add("followUp", text, images);
  }

  #mustRun(): void {
    if (this.phase === "idle") throw new HarnessError("invalid_state", "Nothing is running; send it as a prompt.");
  }

  /** Goes ahead of the next prompt, whenever that comes. */
  nextTurn(message: AgentMessage): void {
    this.#queues.addForNextTurn(message);
  }

  removeQueued(id: string): boolean {
    return this.#queues.remove(id);
  }

  /** Stops whatever is on. Returns the queued messages, which belong back into the composer; `queue_returned` tells them too. */
  abort(): QueuedItem[] {
    const returned = this.#queues.clear();
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
    if (!this.#phase.isStopping) this.#saver.cutOff();
    this.abort();
    await this.waitForIdle().catch(() => {});
    await this.#saver.save().catch(() => {});
    await this.session.close();
  }

  /** Tries again to save what is only in memory. */
  async save(): Promise<void> {
    await this.#saver.save();
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
    return await this.#compacting((signal) => this.#compaction.run({ reason: "manual", signal, ...options }));
  }

  /** What was typed while an operation was on gets its run when that is over, however it ended. */
  async #thenDeliver<T>(operation: Promise<T>): Promise<T> {
    try {
      return await operation;
    } finally {
      if (this.#queues.waiting > 0 && this.phase === "idle") {
        await this.#phase.exclusive("starting", (signal) => this.#drainQueues(signal)).catch(() => {});
      }
    }
  }

  /** The summary that `compact` would write, to be edited and given back to it; writes nothing. Throws like `compact`. */
  async draftCompaction(
    options: { customInstructions?: string; cut?: PrepareInput["cut"] } = {},
  ): Promise<CompactionResult> {
    return await this.#compacting((signal) => this.#compaction.draft({ reason: "manual", signal, ...options }));
  }

  #compacting<T>(operation: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return this.#thenDeliver(
      this.#phase.exclusive("compaction", async (signal) => {
        this.#settings.requireModel();
        await this.session.ready();
        await this.#saver.save();
        return await operation(signal);
      }),
    );
  }

  /** Takes the newest compaction of the branch back (product.md "Undo"). */
  undoCompaction(compactionId: string): Promise<string | null> {
    return this.#thenDeliver(
      this.#phase.exclusive("branch_summary", async () => {
        await this.session.ready();
        await this.#saver.save();
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
      await this.#saver.save();
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
    await this.#prompt.refresh(this.#settings.activeTools);
  }

  async #recordSettings(): Promise<void> {
    this.#saver.add(this.#settings.record(await this.session.buildContext()));
  }

  /** Between turns: changes of model, level and tools come into force, and a context grown too large is compacted. */
  async #prepareNextTurn(signal: AbortSignal) {
    const { model, thinkingLevel, tools } = this.#settings.changes;
    if (model !== undefined || thinkingLevel !== undefined || tools !== undefined) {
      await this.#recordSettings();
      await this.#saver.save();
    }
    if (tools !== undefined) await this.#refreshSystemPrompt();
    const compacted = await this.#phase.during("compaction", () => this.#compaction.compactIfNeeded(signal));
    return {
      ...(model === undefined ? {} : { model }),
      ...(thinkingLevel === undefined ? {} : { thinkingLevel }),
      ...(tools === undefined ? {} : { tools, systemPrompt: this.#prompt.text }),
      ...(compacted ? { messages: (await this.session.buildContext()).messages.slice() } : {}),
    };
  }

  #learnWindow(model: Model, window: number): void {
    if (this.#windows.learn(model, window)) void this.#emit({ type: "window_learned", model, window });
  }

  /** Messages that were typed while something else than a run was on get their run now. */
  async #drainQueues(signal: AbortSignal): Promise<void> {
    const queued = this.#queues.take();
    if (queued.length === 0 || signal.aborted) return;
    this.#runs.reset();
    await this.#refreshSystemPrompt();
    await this.#recordSettings();
    await this.#runs.runToEnd(queued, signal, this.#prompt.text);
  }

  #emit(event: HarnessEvent): Promise<void> {
    return this.#listeners.emit(event);
  }
}
