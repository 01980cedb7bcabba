// Tools as the model is told of them: JSON Schema made from zod once, the same bytes ever after.
import * as z from "zod/mini";
import type { AgentTool } from "../agent/agent-tool.ts";
import type { ToolDefinition } from "../llm/stream.ts";

const described = new WeakMap<AgentTool, ToolDefinition>();

/** Definition of a tool; the same object for the same tool (providers §5.10). */
export function describeTool(tool: AgentTool): ToolDefinition {
  const known = described.get(tool);
  if (known !== undefined) return known;
  const { $schema: _dialect, ...parameters } = z.toJSONSchema(tool.schema, { target: "draft-7", io: "input" });
  const definition = {
    name: tool.name,
    description: tool.description,
    parameters: parameters as Record<string, unknown>,
  };
  described.set(tool, definition);
  return definition;
}
