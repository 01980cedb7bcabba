// The contract of a tool that the agent can call.
import type { z } from "zod/mini";
import type { ImageContent, TextContent, Usage } from "../llm/messages.ts";

export interface AgentToolResult {
  content: (TextContent | ImageContent)[];
  /** For the screen and for hooks (diffs, exit codes, paths of full outputs); never sent to the model. */
  details?: unknown;
  isError?: boolean;
  usage?: Usage;
  /** Ends the run after this batch, if every result of the batch says so. */
  terminate?: boolean;
}

export type AgentToolUpdate = Pick<AgentToolResult, "content" | "details">;

export interface ToolExecution<P> {
  toolCallId: string;
  params: P;
  signal: AbortSignal;
  /** A preview of the result so far; ignored once the tool has settled. */
  onUpdate: (update: AgentToolUpdate) => void;
}

/** What a tool is about to do, for the approval card: shown whole before anything happens. */
export interface ToolProposal {
  /** `edit` writes files, `command` runs a program; `read` needs no question inside the workspace. */
  kind: "read" | "edit" | "command";
  /** One line that says what will happen. */
  title: string;
  /** The absolute, link-resolved path that will be touched, if one. */
  path?: string;
  /** The whole command, character for character. */
  command?: string;
  /** Text before and after, for a diff. */
  before?: string;
  after?: string;
  /** Reasons why this must be asked even where edits or all are allowed (outside the workspace, agent settings…). */
  warnings: string[];
  /** Changes when anything that was shown changes: an approval holds for this hash alone. */
  hash: string;
  /** Scope that "Allow for session" would grant, in words; absent where it cannot be granted. */
  sessionScope?: string;
  /** Key of that grant. */
  sessionKey?: string;
}

// biome-ignore lint/suspicious/noExplicitAny: a list of tools holds tools of different parameters
export interface AgentTool<P = any> {
  name: string;
  /** For people. */
  label: string;
  /** For the model. */
  description: string;
  schema: z.ZodMiniType<P>;
  /** `sequential` serialises the whole batch that the call stands in. */
  execution?: "parallel" | "sequential";
  /** Repairs what models commonly get wrong, before validation. */
  prepareArguments?: (raw: Record<string, unknown>) => Record<string, unknown>;
  /** What would happen, computed without doing it; absent for tools that only read inside the workspace. */
  propose?: (params: P, signal: AbortSignal) => Promise<ToolProposal | undefined>;
  execute(execution: ToolExecution<P>): Promise<AgentToolResult>;
}
