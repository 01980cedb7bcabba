// The tools that Coppice brings along.
import type { AgentTool } from "../agent/agent-tool.ts";
import type { Session } from "../session/session.ts";
import { createBashTool } from "./bash.ts";
import { createEditTool } from "./edit.ts";
import { createFindTool } from "./find.ts";
import { createGrepTool } from "./grep.ts";
import { createLsTool } from "./ls.ts";
import { createReadTool } from "./read.ts";
import { createRecallTool } from "./recall.ts";
import type { ToolEnvironment } from "./tool-environment.ts";
import { createWriteTool } from "./write.ts";

/** All of them, in the order in which the model is told of them; `recall` where there is a session to search. */
export function createBuiltInTools(env: ToolEnvironment, session?: Session): AgentTool[] {
  return [
    createReadTool(env),
    createEditTool(env),
    createWriteTool(env),
    createBashTool(env),
    createGrepTool(env),
    createFindTool(env),
    createLsTool(env),
    ...(session === undefined ? [] : [createRecallTool(session)]),
  ];
}
