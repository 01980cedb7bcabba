// Decides when to compact and does it: by hand, by threshold, after an overflow (seed 1 §5.1, behaviours §5).
import {
  type CompactionPreparation,
  type CompactionResult,
  compact,
  type PrepareInput,
  prepareCompaction,
  trustedFrom,
} from "../compaction/compaction.ts";
import { fileLists } from "../compaction/file-operations.ts";
import type { Summarizer } from "../compaction/generate-summary.ts";
import { type CompactionSettings, compactionThreshold, shouldCompact } from "../compaction/token-budget.ts";
import { type ContextTokens, estimateContextTokens } from "../compaction/token-estimation.ts";
import { CompactionError, toError } from "../errors.ts";
import type { Usage } from "../llm/messages.ts";
import type { NewEntry } from "../session/entries.ts";
import type { Session, SessionContext } from "../session/session.ts";
import type { HarnessEvent } from "./harness-events.ts";
import type { CompactionReason, Hooks } from "./hooks.ts";
import { compactionSuspended, pinnedTexts } from "./session-memory.ts";

export interface CompactionHost {
  session: Session;
  hooks: Hooks;
  emit: (event: HarnessEvent) => Promise<void>;
  /** Effective settings and window of the model in use. */
  settings: () => CompactionSettings;
  window: () => number;
  summarizer: () => Summarizer;
  /** Tokens of system prompt and tools by the estimate; counted where no usage is reported. */
  overheadTokens: () => number;
}

export interface CompactRequest {
  reason: CompactionReason;
  signal: AbortSignal;
  customInstructions?: string | undefined;
  cut?: PrepareInput["cut"] | undefined;
  /** The request that overflowed is tried again afterwards. */
  willRetry?: boolean;
  /** A summary that the person wrote or edited: taken as it is, no model is asked. */
  summary?: string | undefined;
  /** What the draft behind `summary` cost. */
  summaryUsage?: Usage | undefined;
}

export interface ContextUsage extends ContextTokens {
  /** True where no report of the provider stands behind the number. */
  estimated: boolean;
}

/** A pass that leaves more than this share of what was there freed nothing worth having. */
const NO_PROGRESS_SHARE = 0.95;
/** After a failed automatic pass the context must grow by this share of the window before the next. */
const RETRY_AFTER_SHARE = 0.05;
const MAX_FAILURES = 3;

export class CompactionControl {
  readonly #host: CompactionHost;
  /** Leaf behind which automatic compaction made no progress; it waits until that is no longer on the path. */
  #stalledAt: string | undefined;
  /** Automatic passes that failed since the last one that worked, and how large the context was then. */
  #failures = 0;
  #failedTokens = 0;

  constructor(host: CompactionHost) {
    this.#host = host;
  }

  /** Tokens of a context as the trigger counts them. */
  usage(context: SessionContext, leafId: string | null): ContextUsage {
    const from = trustedFrom(context, leafId, (id) => this.#host.session.node(id));
    const estimate = estimateContextTokens(context.messages, from);
    const reply = estimate.lastUsageIndex === null ? undefined : context.messages[estimate.lastUsageIndex];
    const estimated = reply?.role !== "assistant" || reply.usage.estimated === true;
    // A reply's usage stands for the whole request; an estimate of messages knows nothing of prompt and tools.
    const overhead = reply === undefined && context.messages.length > 0 ? this.#host.overheadTokens() : 0;
    return { ...estimate, tokens: estimate.tokens + overhead, estimated };
  }

  /** What a compaction would do now, or undefined where there is nothing to compact. */
  async prepare(cut?: PrepareInput["cut"]): Promise<CompactionPreparation | undefined> {
    const { session } = this.#host;
    const leafId = session.getLeafId();
    if (leafId !== null && session.node(leafId)?.type === "compaction") return undefined;
    const context = await session.buildContext();
    return prepareCompaction({
      context,
      leafId,
      node: (id) => session.node(id),
      settings: this.#host.settings(),
      ...(cut === undefined ? {} : { cut }),
    });
  }

  /** Compacts when the threshold is passed; true where an entry was written. Failures are told, never thrown. */
  async compactIfNeeded(signal: AbortSignal): Promise<boolean> {
    const { session } = this.#host;
    const settings = this.#host.settings();
    if (!settings.enabled) return false;
    const leafId = session.getLeafId();
    const context = await session.buildContext();
    const { tokens } = this.usage(context, leafId);
    if (!shouldCompact(tokens, this.#host.window(), settings)) return false;
    if (await compactionSuspended(session, leafId)) {
      await this.#host.emit({ type: "compaction_waits" });
      return false;
    }
    if (this.#stalledAt !== undefined) {
      if (session.pathTo(leafId).includes(this.#stalledAt)) return false;
      this.#stalledAt = undefined;
    }
    // What failed is not asked for again with every turn: only when there is a good deal more to gain, and not for ever.
    const grown = tokens > this.#failedTokens + this.#host.window() * RETRY_AFTER_SHARE;
    if (this.#failures >= MAX_FAILURES || (this.#failures > 0 && !grown)) return false;
    try {
      return (await this.run({ reason: "threshold", signal })) !== undefined;
    } catch (error) {
      // Only what cost a request counts: with nothing to compact, looking again is free.
      if (error instanceof CompactionError && error.code === "summarization_failed") {
        this.#failures += 1;
        this.#failedTokens = tokens;
      }
      return false; // Told by `compaction_end`; the context stays as it is and the next prompt is accepted.
    }
  }

  /** True where a compaction is due that waits for the person, who undid one on this branch. */
  async isWaiting(tokens: number, leafId: string | null): Promise<boolean> {
    const settings = this.#host.settings();
    if (!settings.enabled || !shouldCompact(tokens, this.#host.window(), settings)) return false;
    return await compactionSuspended(this.#host.session, leafId);
  }

  /** After an overflow the context must become smaller than it is, however small the budget makes it look. */
  async compactForOverflow(signal: AbortSignal, willRetry: boolean): Promise<boolean> {
    for (const cut of [undefined, { kind: "lastTurn" } as const]) {
      try {
        const request: CompactRequest = { reason: "overflow", signal, willRetry };
        if (cut !== undefined) request.cut = cut;
        return (await this.run(request)) !== undefined;
      } catch (error) {
        if (!(error instanceof CompactionError) || error.code !== "nothing_to_compact") return false;
      }
    }
    return false;
  }

  /**
   * Runs one compaction from preparation to entry. Throws CompactionError; on any error nothing is written and the context
   * stays as it was. Returns the id of the entry.
   */
  async run(request: CompactRequest): Promise<string> {
    const { session, emit } = this.#host;
    const { reason } = request;
    const preparation = await this.prepare(request.cut);
    if (preparation === undefined) {
      throw new CompactionError("nothing_to_compact", "There is nothing to compact: all of it is recent.");
    }
    const before = this.usage(await session.buildContext(), session.getLeafId());
    await emit({ type: "compaction_start", reason });
    try {
      const { result, fromHook } = await this.#summarize(preparation, request);
      if (request.signal.aborted) throw new CompactionError("aborted", "The compaction was cancelled.");
      const entry: Extract<NewEntry, { type: "compaction" }> = {
        type: "compaction",
        summary: result.summary,
        firstKeptEntryId: result.firstKeptEntryId,
        tokensBefore: result.tokensBefore,
        ...(result.details === undefined ? {} : { details: this.#comparable(result.details, before) }),
        ...(result.usage === undefined ? {} : { usage: result.usage }),
        ...(fromHook ? { fromHook: true } : {}),
      };
      const [entryId] = await session.appendEntries([entry]);
      this.#failures = 0;
      const after = this.usage(await session.buildContext(), entryId!);
      // A person who compacts by hand sees what it brought; by itself it must not go on for nothing.
      const stalled = reason !== "manual" && this.#noProgress(after.tokens, before.tokens);
      if (stalled) this.#stalledAt = entryId;
      await emit({
        type: "compaction_end",
        reason,
        entryId: entryId!,
        tokensBefore: result.tokensBefore,
        tokensAfter: after.tokens,
        ...(request.willRetry === true ? { willRetry: true } : {}),
        ...(stalled ? { stalled: true } : {}),
      });
      return entryId!;
    } catch (thrown) {
      const error = toError(thrown);
      const aborted =
        error instanceof CompactionError && (error.code === "aborted" || error.code === "cancelled_by_hook");
      await emit({ type: "compaction_end", reason, ...(aborted ? { aborted } : { errorMessage: error.message }) });
      throw error;
    }
  }

  /** A summary as a compaction would write it, for the person to edit; writes nothing. Throws CompactionError. */
  async draft(request: CompactRequest): Promise<CompactionResult> {
    const preparation = await this.prepare(request.cut);
    if (preparation === undefined) {
      throw new CompactionError("nothing_to_compact", "There is nothing to compact: all of it is recent.");
    }
    const { result } = await this.#summarize(preparation, request);
    if (request.signal.aborted) throw new CompactionError("aborted", "The compaction was cancelled.");
    return result;
  }

  /** Where the size before stands for a whole request, the size after must too: with system prompt and tools. */
  #comparable(details: unknown, before: ContextUsage): unknown {
    const { tokensAfter } = (details ?? {}) as { tokensAfter?: unknown };
    if (typeof tokensAfter !== "number" || before.lastUsageIndex === null) return details;
    return { ...(details as object), tokensAfter: tokensAfter + this.#host.overheadTokens() };
  }

  #noProgress(tokensAfter: number, tokensBefore: number): boolean {
    const threshold = compactionThreshold(this.#host.window(), this.#host.settings());
    return tokensAfter > threshold || tokensAfter > tokensBefore * NO_PROGRESS_SHARE;
  }

  async #summarize(
    preparation: CompactionPreparation,
    request: CompactRequest,
  ): Promise<{ result: CompactionResult; fromHook: boolean }> {
    const { session, hooks } = this.#host;
    const { signal, customInstructions } = request;
    if (hooks.has("session_before_compact")) {
      const verdict = await hooks.sessionBeforeCompact({
        preparation,
        branchEntries: await session.getBranch(),
        customInstructions,
        reason: request.reason,
        willRetry: request.willRetry === true,
        signal,
      });
      if (verdict.cancel === true)
        throw new CompactionError("cancelled_by_hook", "An extension cancelled the compaction.");
      if (typeof verdict.compaction?.summary === "string" && verdict.compaction.summary.trim() !== "") {
        return {
          result: {
            ...verdict.compaction,
            firstKeptEntryId: verdict.compaction.firstKeptEntryId ?? preparation.firstKeptEntryId,
            tokensBefore: verdict.compaction.tokensBefore ?? preparation.tokensBefore,
          },
          fromHook: true,
        };
      }
    }
    if (request.summary !== undefined) {
      const result: CompactionResult = {
        summary: request.summary,
        firstKeptEntryId: preparation.firstKeptEntryId,
        tokensBefore: preparation.tokensBefore,
        details: fileLists(preparation.fileOps),
        ...(request.summaryUsage === undefined ? {} : { usage: request.summaryUsage }),
      };
      return { result, fromHook: false };
    }
    const leafId = session.getLeafId();
    const path = session.pathTo(leafId);
    const kept = new Set(path.slice(path.indexOf(preparation.firstKeptEntryId)));
    const pinned = await pinnedTexts(session, leafId, kept);
    const result = await compact(preparation, this.#host.summarizer(), { signal, customInstructions, pinned });
    return { result, fromHook: false };
  }
}
