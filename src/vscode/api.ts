// What other extensions get from `activate`: hooks, tools, and the means to summarise (product.md "For other extensions").
import type * as vscode from "vscode";
import type { AgentTool } from "../core/agent/agent-tool.ts";
import { generateSummary, generateSummaryWithUsage } from "../core/compaction/generate-summary.ts";
import { serializeConversation } from "../core/compaction/serialize-conversation.ts";
import { HOOK_NAMES, type HookHandler, type HookName, type Hooks } from "../core/harness/hooks.ts";
import { type AgentMessage, convertToLlm } from "../core/llm/messages.ts";
import type { SessionEntry } from "../core/session/entries.ts";
import type { SessionContext } from "../core/session/session.ts";
import type { SessionService } from "./session-service.ts";

export const API_VERSION = 1;

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
  on<N extends HookName>(hook: N, handler: HookHandler<N>, source?: string): vscode.Disposable;
  /** Adds a tool to sessions that are opened from now on. Its calls pass the same approvals where it has `propose`. */
  registerTool(tool: AgentTool): vscode.Disposable;
  /** Lets `custom` entries of a type into the context of sessions that are opened from now on. */
  registerProjector(customType: string, projector: CustomProjector): vscode.Disposable;
  /** The session in the chat, or undefined. */
  getSession(): SessionSnapshot | undefined;
  /** Sends a prompt to the session in the chat; rejects where there is none or it is busy. */
  prompt(text: string): Promise<void>;
  convertToLlm: typeof convertToLlm;
  serializeConversation: typeof serializeConversation;
  generateSummary: typeof generateSummary;
  generateSummaryWithUsage: typeof generateSummaryWithUsage;
}

/** Tools and projectors that other extensions registered. */
export interface Registrations {
  tools: AgentTool[];
  projectors: Map<string, CustomProjector>;
}

export function createApi(hooks: Hooks, sessions: SessionService, registrations: Registrations): CoppiceApi {
  return {
    version: API_VERSION,
    hooks: HOOK_NAMES,
    on(hook, handler, source = "an extension") {
      const remove = hooks.on(hook, handler, source);
      return { dispose: remove } as vscode.Disposable;
    },
    registerTool(tool) {
      if (registrations.tools.some((known) => known.name === tool.name)) {
        throw new Error(`A tool named "${tool.name}" is registered already.`);
      }
      registrations.tools.push(tool);
      return {
        dispose: () => {
          const index = registrations.tools.indexOf(tool);
          if (index >= 0) registrations.tools.splice(index, 1);
        },
      } as vscode.Disposable;
    },
    registerProjector(customType, projector) {
      registrations.projectors.set(customType, projector);
      return { dispose: () => registrations.projectors.delete(customType) } as unknown as vscode.Disposable;
    },
    getSession() {
      const open = sessions.current;
      if (open === undefined) return undefined;
      const { session } = open;
      return {
        id: session.id,
        cwd: session.cwd,
        file: session.file,
        name: session.getName(),
        leafId: session.getLeafId(),
        getBranch: () => session.getBranch(),
        buildContext: () => session.buildContext(),
      };
    },
    async prompt(text) {
      const open = sessions.current;
      if (open === undefined) throw new Error("No session is open in the chat.");
      await open.harness.prompt(text);
    },
    convertToLlm,
    serializeConversation,
    generateSummary,
    generateSummaryWithUsage,
  };
}
