// The types of what other extensions get from `activate`: hooks, tools, and the means to summarise (product.md "For other extensions").
import type { AgentTool } from "../core/agent/agent-tool.ts";
import type { Summarizer, SummaryOptions, SummaryWithUsage } from "../core/compaction/generate-summary.ts";
import type { HookHandler, HookName } from "../core/harness/hooks.ts";
import type { AgentMessage, Message } from "../core/llm/messages.ts";
import type { SessionEntry } from "../core/session/entries.ts";
import type { SessionContext } from "../core/session/session.ts";

/** Taken back by `dispose`; the editor's own disposables are of this shape. */
export interface Disposable {
  dispose(): unknown;
}

/** Turns a `custom` entry into messages of the context. */
export type CustomProjector = (entry: Extract<SessionEntry, { type: "custom" }>) => AgentMessage[];

/** A session as another extension may look at it. */
export interface SessionSnapshot {
  id: string;
  cwd: string;
  file: string | undefined;
  name: string | undefined;
  leafId: string | null;
  getBranch(): Promise<SessionEntry[]>;
  buildContext(): Promise<SessionContext>;
}

export interface CoppiceApi {
  readonly version: number;
  readonly hooks: readonly HookName[];
  /** Adds a handler; disposing takes it away. */
  on<N extends HookName>(hook: N, handler: HookHandler<N>, source?: string): Disposable;
  /** Adds a tool to sessions that are opened from now on. Its calls pass the same approvals where it has `propose`. */
  registerTool(tool: AgentTool): Disposable;
  /** Lets `custom` entries of a type into the context of sessions that are opened from now on. */
  registerProjector(customType: string, projector: CustomProjector): Disposable;
  /** The session in the chat, or undefined. */
  getSession(): SessionSnapshot | undefined;
  /** Sends a prompt to the session in the chat; rejects where there is none or it is busy. */
  prompt(text: string): Promise<void>;
  /** The transcript as a provider understands it: summaries and custom messages as user messages. */
  convertToLlm(messages: readonly AgentMessage[]): Message[];
  /** A conversation as text for a summariser; tool results are cut at 2000 characters. */
  serializeConversation(messages: readonly Message[]): string;
  /** A structured summary by any model that the caller wraps as a `Summarizer`. */
  generateSummary(messages: readonly AgentMessage[], summarizer: Summarizer, options: SummaryOptions): Promise<string>;
  generateSummaryWithUsage(
    messages: readonly AgentMessage[],
    summarizer: Summarizer,
    options: SummaryOptions,
  ): Promise<SummaryWithUsage>;
}
