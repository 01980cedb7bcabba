// The events of a run, in the order of behaviours §1.
import type { AgentMessage, AssistantMessage, ToolResultMessage } from "../llm/messages.ts";
import type { StreamEvent } from "../llm/stream.ts";
import type { AgentToolResult, AgentToolUpdate } from "./agent-tool.ts";

export type AgentEvent =
  | { type: "agent_start" }
  | { type: "turn_start" }
  | { type: "message_start"; message: AgentMessage }
  | { type: "message_update"; message: AssistantMessage; event: StreamEvent }
  | { type: "message_end"; message: AgentMessage }
  | { type: "tool_execution_start"; toolCallId: string; toolName: string; args: Record<string, unknown> }
  | { type: "tool_execution_update"; toolCallId: string; toolName: string; partialResult: AgentToolUpdate }
  | { type: "tool_execution_end"; toolCallId: string; toolName: string; result: AgentToolResult; isError: boolean }
  | { type: "turn_end"; message: AssistantMessage; toolResults: ToolResultMessage[] }
  | { type: "agent_end"; messages: AgentMessage[]; willRetry?: boolean };
