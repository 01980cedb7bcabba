// The hooks at every boundary: what each is given, what it may return, and how results combine (seed 1 §9, behaviours §7).
import type { AgentContext } from "../agent/agent-loop.ts";
import type { AgentToolResult } from "../agent/agent-tool.ts";
import type { CompactionPreparation, CompactionResult } from "../compaction/compaction.ts";
import { toError } from "../errors.ts";
import type {
  AgentMessage,
  AssistantMessage,
  CustomMessage,
  ImageContent,
  ToolResultMessage,
  Usage,
} from "../llm/messages.ts";
import type { Model } from "../llm/model.ts";
import type { RequestOptions } from "../llm/stream.ts";
import type { SessionEntry } from "../session/entries.ts";

export type CompactionReason = "manual" | "threshold" | "overflow";

export interface TreePreparation {
  targetId: string | null;
  oldLeafId: string | null;
  commonAncestorId: string | null;
  entriesToSummarize: SessionEntry[];
  userWantsSummary: boolean;
  customInstructions?: string | undefined;
  replaceInstructions?: boolean | undefined;
  label?: string | undefined;
}

/** Every hook: the event that a handler gets and the result that it may return. */
export interface HookMap {
  before_agent_start: {
    event: { prompt: string; images: readonly ImageContent[]; systemPrompt: string };
    /** Messages go behind the prompt, all handlers' in order; the system prompt holds for this run. */
    result: { messages?: Omit<CustomMessage, "role" | "timestamp">[]; systemPrompt?: string };
  };
  context: { event: { messages: AgentMessage[]; signal: AbortSignal }; result: { messages: AgentMessage[] } };
  before_provider_request: {
    event: { model: Model; options: RequestOptions };
    /** A patch; a key that is present and undefined is taken away. */
    result: { [K in keyof RequestOptions]?: RequestOptions[K] | undefined };
  };
  before_provider_payload: { event: { model: Model; payload: unknown }; result: { payload: unknown } };
  after_provider_response: {
    event: { model: Model; status: number; headers: Record<string, string> };
    result: never;
  };
  tool_call: {
    event: { toolCallId: string; toolName: string; input: Record<string, unknown>; signal: AbortSignal };
    result: { block?: boolean; reason?: string; terminate?: boolean };
  };
  tool_result: {
    event: {
      toolCallId: string;
      toolName: string;
      input: Record<string, unknown>;
      content: AgentToolResult["content"];
      details: unknown;
      isError: boolean;
    };
    result: Partial<Pick<AgentToolResult, "content" | "details" | "isError" | "usage" | "terminate">>;
  };
  session_before_compact: {
    event: {
      preparation: CompactionPreparation;
      branchEntries: SessionEntry[];
      customInstructions?: string | undefined;
      reason: CompactionReason;
      willRetry: boolean;
      signal: AbortSignal;
    };
    result: { cancel?: boolean; compaction?: CompactionResult };
  };
  session_before_tree: {
    event: { preparation: TreePreparation; signal: AbortSignal };
    result: {
      cancel?: boolean;
      /** Only used where the person wants a summary. */
      summary?: { summary: string; usage?: Usage; details?: unknown };
      customInstructions?: string;
      replaceInstructions?: boolean;
      label?: string;
    };
  };
  prepareNextTurn: {
    event: {
      message: AssistantMessage;
      toolResults: ToolResultMessage[];
      context: AgentContext;
      signal: AbortSignal;
    };
    result: Partial<Pick<AgentContext, "messages" | "model" | "thinkingLevel">>;
  };
  shouldStopAfterTurn: {
    event: { message: AssistantMessage; toolResults: ToolResultMessage[]; context: AgentContext };
    result: boolean;
  };
}

export type HookName = keyof HookMap;
export const HOOK_NAMES: readonly HookName[] = [
  "before_agent_start",
  "context",
  "before_provider_request",
  "before_provider_payload",
  "after_provider_response",
  "tool_call",
  "tool_result",
  "session_before_compact",
  "session_before_tree",
  "prepareNextTurn",
  "shouldStopAfterTurn",
];

// biome-ignore lint/suspicious/noConfusingVoidType: a handler without a return statement is a handler
type Returned<N extends HookName> = HookMap[N]["result"] | undefined | void;
export type HookHandler<N extends HookName> = (event: HookMap[N]["event"]) => Returned<N> | Promise<Returned<N>>;

export interface HookFailure {
  hook: HookName;
  /** Who registered the handler, for example an extension id. */
  source: string;
  error: Error;
}

interface Registration {
  source: string;
  // biome-ignore lint/suspicious/noExplicitAny: one list holds the handlers of every hook
  handler: (event: any) => unknown;
}

/** Hooks that ask a person or a model may take as long as they need; they can be cancelled instead. */
const UNLIMITED: ReadonlySet<HookName> = new Set(["session_before_compact", "session_before_tree"]);

class Cancelled extends Error {}

/** Extensions bring promises of their own making. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  return typeof value === "object" && value !== null && "then" in value && typeof value.then === "function";
}

/** A result without the keys that it gives as undefined: those say nothing. */
function given<T extends object>(result: T): T {
  return Object.fromEntries(Object.entries(result).filter(([, value]) => value !== undefined)) as T;
}

function checkMessage(message: Omit<CustomMessage, "role" | "timestamp">): Omit<CustomMessage, "role" | "timestamp"> {
  const { customType, content } = message;
  if (typeof customType !== "string" || (typeof content !== "string" && !Array.isArray(content))) {
    throw new Error("a message needs a customType and content");
  }
  return { ...message, display: message.display !== false };
}

export class Hooks {
  readonly #handlers = new Map<HookName, Registration[]>();
  readonly #report: (failure: HookFailure) => void;
  readonly #timeLimitMs: number;
  enabled = true;

  constructor(report: (failure: HookFailure) => void, timeLimitMs = 30_000) {
    this.#report = report;
    this.#timeLimitMs = timeLimitMs;
  }

  /** Adds a handler behind the others; returns what takes it away. */
  on<N extends HookName>(hook: N, handler: HookHandler<N>, source = "unknown"): () => void {
    if (!HOOK_NAMES.includes(hook)) throw new Error(`There is no hook named "${hook}".`);
    const registration: Registration = { source, handler };
    const list = this.#handlers.get(hook) ?? [];
    list.push(registration);
    this.#handlers.set(hook, list);
    return () => {
      const index = list.indexOf(registration);
      if (index >= 0) list.splice(index, 1);
    };
  }

  has(hook: HookName): boolean {
    return this.enabled && (this.#handlers.get(hook)?.length ?? 0) > 0;
  }

  /**
   * Runs handlers in order; `each` makes the event of the next from what the last returned, or ends the round with
   * `false`. A handler that throws or takes too long is reported and skipped; `failClosed` ends the round instead. An abort
   * ends the round without a report: nobody waits for a handler after Stop.
   */
  async #run<N extends HookName>(
    hook: N,
    event: () => HookMap[N]["event"],
    each: (result: HookMap[N]["result"]) => boolean | undefined,
    signal?: AbortSignal,
    failClosed?: (error: Error) => void,
  ): Promise<void> {
    if (!this.enabled) return;
    for (const { source, handler } of [...(this.#handlers.get(hook) ?? [])]) {
      try {
        const result = await this.#limited(hook, handler(event()), signal);
        if (result !== undefined && result !== null && each(result as HookMap[N]["result"]) === false) return;
      } catch (thrown) {
        const error = toError(thrown);
        if (!(error instanceof Cancelled)) this.#report({ hook, source, error });
        if (failClosed !== undefined) return failClosed(error);
        if (error instanceof Cancelled) return;
      }
    }
  }

  async #limited(hook: HookName, result: unknown, signal: AbortSignal | undefined): Promise<unknown> {
    if (!isThenable(result)) return result;
    let timer: ReturnType<typeof setTimeout> | undefined;
    let onAbort: (() => void) | undefined;
    const limit = new Promise<never>((_, reject) => {
      if (!UNLIMITED.has(hook)) {
        const seconds = Math.round(this.#timeLimitMs / 1000);
        timer = setTimeout(() => reject(new Error(`no answer within ${seconds} s`)), this.#timeLimitMs);
      }
      onAbort = () => reject(new Cancelled("cancelled"));
      if (signal?.aborted) onAbort();
      else signal?.addEventListener("abort", onAbort, { once: true });
    });
    try {
      return await Promise.race([result, limit]);
    } finally {
      clearTimeout(timer);
      if (onAbort !== undefined) signal?.removeEventListener("abort", onAbort);
    }
  }

  /** All messages in order; the last system prompt, each handler seeing the one before. */
  async beforeAgentStart(event: HookMap["before_agent_start"]["event"], signal?: AbortSignal) {
    const messages: Omit<CustomMessage, "role" | "timestamp">[] = [];
    let systemPrompt = event.systemPrompt;
    await this.#run(
      "before_agent_start",
      () => ({ ...event, systemPrompt }),
      (result) => {
        messages.push(...(result.messages ?? []).map(checkMessage));
        if (typeof result.systemPrompt === "string") systemPrompt = result.systemPrompt;
        return undefined;
      },
      signal,
    );
    return { messages, systemPrompt };
  }

  /** Each handler gets the messages of the one before. */
  async context(messages: AgentMessage[], signal: AbortSignal): Promise<AgentMessage[]> {
    let current = messages;
    await this.#run(
      "context",
      () => ({ messages: current, signal }),
      (result) => {
        if (Array.isArray(result.messages)) current = result.messages;
        return undefined;
      },
      signal,
    );
    return current;
  }

  async beforeProviderRequest(model: Model, options: RequestOptions, signal?: AbortSignal): Promise<RequestOptions> {
    const current: RequestOptions = { ...options };
    await this.#run(
      "before_provider_request",
      () => ({ model, options: { ...current } }),
      (patch) => {
        for (const [key, value] of Object.entries(patch)) {
          if (value === undefined) delete current[key as keyof RequestOptions];
          else Object.assign(current, { [key]: value });
        }
        return undefined;
      },
      signal,
    );
    return current;
  }

  async beforeProviderPayload(model: Model, payload: unknown, signal?: AbortSignal): Promise<unknown> {
    let current = payload;
    await this.#run(
      "before_provider_payload",
      () => ({ model, payload: current }),
      (result) => {
        if ("payload" in result) current = result.payload;
        return undefined;
      },
      signal,
    );
    return current;
  }

  async afterProviderResponse(event: HookMap["after_provider_response"]["event"], signal?: AbortSignal): Promise<void> {
    await this.#run(
      "after_provider_response",
      () => event,
      () => undefined,
      signal,
    );
  }

  /** The first block wins; a handler that throws blocks (it fails closed). */
  async toolCall(event: HookMap["tool_call"]["event"]): Promise<HookMap["tool_call"]["result"] | undefined> {
    let verdict: HookMap["tool_call"]["result"] | undefined;
    await this.#run(
      "tool_call",
      () => event,
      (result) => {
        if (result.block !== true) return undefined;
        verdict = result;
        return false;
      },
      event.signal,
      (error) => {
        verdict = { block: true, reason: `A hook failed, so the call was not run: ${error.message}` };
      },
    );
    return verdict;
  }

  /** Fields are replaced one by one; each handler sees what the one before made of the result. */
  async toolResult(
    event: HookMap["tool_result"]["event"],
    signal?: AbortSignal,
  ): Promise<HookMap["tool_result"]["result"] | undefined> {
    let merged: HookMap["tool_result"]["result"] | undefined;
    await this.#run(
      "tool_result",
      () => ({ ...event, ...merged }) as HookMap["tool_result"]["event"],
      (result) => {
        merged = { ...merged, ...given(result) };
        return undefined;
      },
      signal,
    );
    return merged;
  }

  sessionBeforeCompact(event: HookMap["session_before_compact"]["event"]) {
    return this.#mergeUntilCancel("session_before_compact", event);
  }

  sessionBeforeTree(event: HookMap["session_before_tree"]["event"]) {
    return this.#mergeUntilCancel("session_before_tree", event);
  }

  /** The first cancel wins; otherwise each field as the last handler gave it. */
  async #mergeUntilCancel<N extends "session_before_compact" | "session_before_tree">(
    name: N,
    event: HookMap[N]["event"],
  ): Promise<HookMap[N]["result"]> {
    let merged: HookMap[N]["result"] = {};
    await this.#run(
      name,
      () => event,
      (result) => {
        merged = { ...merged, ...given(result) };
        return result.cancel === true ? false : undefined;
      },
      event.signal,
    );
    return merged;
  }

  async prepareNextTurn(event: HookMap["prepareNextTurn"]["event"]) {
    let merged: HookMap["prepareNextTurn"]["result"] | undefined;
    await this.#run(
      "prepareNextTurn",
      () => ({ ...event, context: { ...event.context, ...merged } }),
      (result) => {
        merged = { ...merged, ...given(result) };
        return undefined;
      },
      event.signal,
    );
    return merged;
  }

  /** True as soon as one handler says so. */
  async shouldStopAfterTurn(event: HookMap["shouldStopAfterTurn"]["event"]): Promise<boolean> {
    let stop = false;
    await this.#run(
      "shouldStopAfterTurn",
      () => event,
      (result) => {
        stop ||= result === true;
        return stop ? false : undefined;
      },
    );
    return stop;
  }
}
