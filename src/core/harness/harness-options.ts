// What a session needs to act: its model and tools, and how it reaches providers, settings, hooks and the person.
import type { DescribeTool } from "../agent/agent-loop.ts";
import type { AgentTool } from "../agent/agent-tool.ts";
import type { BeforeToolCall } from "../agent/tool-execution.ts";
import type { Model, ThinkingLevel } from "../llm/model.ts";
import type { Session } from "../session/session.ts";
import type { HarnessSettings } from "./harness-settings.ts";
import type { Hooks } from "./hooks.ts";
import type { ModelAccess } from "./model-requests.ts";

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
