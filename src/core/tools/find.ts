// The tool `find`: files by a glob.
import * as z from "zod/mini";
import type { AgentTool } from "../agent/agent-tool.ts";
import { insideProposal } from "./ls.ts";
import type { ToolEnvironment } from "./tool-environment.ts";
import { oneLine, truncateHead } from "./truncate.ts";
import { resolvePath } from "./workspace-paths.ts";
import { scanFiles } from "./workspace-scan.ts";

const schema = z.object({
  pattern: z.string().check(z.minLength(1), z.maxLength(1000)),
  path: z.optional(z.string()),
  limit: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(5000))),
});
type Params = z.infer<typeof schema>;

const DEFAULT_LIMIT = 500;
const TIMEOUT_MS = 30_000;

async function* candidates(env: ToolEnvironment, folder: string, signal: AbortSignal): AsyncGenerator<string> {
  const rg = await env.ripgrep();
  if (rg === undefined) {
    yield* scanFiles(env.fs, folder, signal);
    return;
  }
  const args = ["--no-config", "--files", "--hidden", "--glob=!.git", "--sort=path"];
  const result = await env.shell.exec(rg, args, {
    cwd: folder,
    signal,
    timeoutMs: TIMEOUT_MS,
    maxBytes: 16 * 1024 * 1024,
  });
  for (const line of result.stdout.split("\n")) if (line !== "") yield line.replaceAll("\\", "/");
}

/** Makes the tool. */
export function createFindTool(env: ToolEnvironment): AgentTool<Params> {
  return {
    name: "find",
    label: "Find files",
    description: `Find files by glob, such as **/*.ts. Respects .gitignore. At most ${DEFAULT_LIMIT} unless limit is given.`,
    schema,
    propose: (params) => insideProposal(env, "Find files in", params.path ?? "."),
    async execute({ toolCallId, params, signal }) {
      const proposal = await insideProposal(env, "Find files in", params.path ?? ".");
      if (proposal !== undefined) env.guard(toolCallId, proposal);
      const folder = await resolvePath(env, params.path ?? ".");
      if (folder.stat?.kind !== "directory") throw new Error(`There is no folder ${folder.shown}.`);
      const limit = params.limit ?? DEFAULT_LIMIT;
      const { default: picomatch } = await import("picomatch");
      const matches = picomatch(params.pattern, { basename: !params.pattern.includes("/"), dot: true });
      const found: string[] = [];
      for await (const path of candidates(env, folder.real, signal)) {
        if (matches(path)) found.push(folder.shown === "." ? path : `${folder.shown}/${path}`);
        if (found.length > limit) break;
      }
      signal.throwIfAborted();
      if (found.length === 0) return { content: [{ type: "text", text: "No files match." }], details: { files: 0 } };
      const cut = truncateHead(found.slice(0, limit).map(oneLine).join("\n"));
      const more = found.length > limit || cut.truncated;
      return {
        content: [{ type: "text", text: cut.text + (more ? "\n[More files match; narrow the pattern.]" : "") }],
        details: { files: Math.min(found.length, limit), truncated: more },
      };
    },
  };
}
