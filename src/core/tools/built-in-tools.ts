// The tools that Coppice brings along.
import type { AgentTool } from "../agent/agent-tool.ts";
import { createBashTool } from "./bash.ts";
import { createEditTool } from "./edit.ts";
import { createFindTool } from "./find.ts";
import { createGrepTool } from "./grep.ts";
import { createLsTool } from "./ls.ts";
import { createReadTool } from "./read.ts";
import type { ToolEnvironment } from "./tool-environment.ts";
import { createWriteTool } from "./write.ts";

/** All of them, in the order in which the model is told of them. */
export function createBuiltInTools(env: ToolEnvironment): AgentTool[] {
  return [
    createReadTool(env),
    createEditTool(env),
    createWriteTool(env),
    createBashTool(env),
    createGrepTool(env),
    createFindTool(env),
    createLsTool(env),
  ];
}
