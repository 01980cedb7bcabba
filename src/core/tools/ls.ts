// The tool `ls`: the entries of one folder.
import * as z from "zod/mini";
import type { AgentTool, ToolProposal } from "../agent/agent-tool.ts";
import { contentHash, type ToolEnvironment } from "./tool-environment.ts";
import { oneLine, truncateHead } from "./truncate.ts";
import { resolvePath } from "./workspace-paths.ts";

const schema = z.object({
  path: z.optional(z.string()),
  limit: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(5000))),
});

const DEFAULT_LIMIT = 500;

/** A question for looking outside the workspace; nothing inside it. */
export async function insideProposal(
  env: ToolEnvironment,
  verb: string,
  path: string,
): Promise<ToolProposal | undefined> {
  const resolved = await resolvePath(env, path);
  if (resolved.inside) return undefined;
  return {
    kind: "read",
    title: `${verb} ${resolved.real}`,
    path: resolved.real,
    warnings: [`Outside the workspace: ${resolved.real}`],
    hash: contentHash("look", verb, resolved.real),
  };
}

/** Makes the tool. */
export function createLsTool(env: ToolEnvironment): AgentTool<z.infer<typeof schema>> {
  return {
    name: "ls",
    label: "List",
    description: "List a folder, hidden entries included; folders end in a slash.",
    schema,
    propose: (params) => insideProposal(env, "List", params.path ?? "."),
    async execute({ toolCallId, params }) {
      const proposal = await insideProposal(env, "List", params.path ?? ".");
      if (proposal !== undefined) env.guard(toolCallId, proposal);
      const folder = await resolvePath(env, params.path ?? ".");
      if (folder.stat === undefined) throw new Error(`There is no folder ${folder.shown}.`);
      if (folder.stat.kind !== "directory") throw new Error(`${folder.shown} is a file. Use read.`);
      const limit = params.limit ?? DEFAULT_LIMIT;
      const entries = (await env.fs.list(folder.real))
        .map((entry) => entry.name + (entry.kind === "directory" ? "/" : entry.kind === "link" ? "@" : ""))
        .sort((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()));
      if (entries.length === 0) return { content: [{ type: "text", text: "The folder is empty." }] };
      const cut = truncateHead(entries.slice(0, limit).map(oneLine).join("\n"));
      const more = entries.length > limit || cut.truncated;
      const notice = more ? `\n[${entries.length} entries in all]` : "";
      return { content: [{ type: "text", text: cut.text + notice }], details: { entries: entries.length } };
    },
  };
}
