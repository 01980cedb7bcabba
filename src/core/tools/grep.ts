// The tool `grep`: a pattern in the files of the workspace.
import * as z from "zod/mini";
import type { AgentTool } from "../agent/agent-tool.ts";
import { insideProposal } from "./ls.ts";
import { looksBinary } from "./text-files.ts";
import type { ToolEnvironment } from "./tool-environment.ts";
import { cutText, MAX_GREP_LINE, truncateHead, visibleText } from "./truncate.ts";
import { isWithin, type ResolvedPath, realRoots, resolvePath } from "./workspace-paths.ts";
import { scanFiles } from "./workspace-scan.ts";

const schema = z.object({
  pattern: z.string().check(z.minLength(1)),
  path: z.optional(z.string()),
  glob: z.optional(z.string()),
  ignoreCase: z.optional(z.boolean()),
  literal: z.optional(z.boolean()),
  context: z.optional(z.number().check(z.int(), z.minimum(0), z.maximum(20))),
  limit: z.optional(z.number().check(z.int(), z.minimum(1), z.maximum(1000))),
});
type Params = z.infer<typeof schema>;

const DEFAULT_LIMIT = 100;
const MAX_SCANNED_FILE = 2 * 1024 * 1024;
const TIMEOUT_MS = 30_000;

function shorten(line: string): string {
  return line.length <= MAX_GREP_LINE ? line : `${cutText(line, MAX_GREP_LINE)} [...]`;
}

async function withRipgrep(
  env: ToolEnvironment,
  rg: string,
  target: ResolvedPath,
  params: Params,
  signal: AbortSignal,
) {
  const args = [
    "--no-config",
    "--line-number",
    "--no-heading",
    "--with-filename",
    "--color=never",
    "--hidden",
    "--glob=!.git",
  ];
  if (params.ignoreCase === true) args.push("--ignore-case");
  if (params.literal === true) args.push("--fixed-strings");
  if (params.glob !== undefined) args.push(`--glob=${params.glob}`);
  if (params.context !== undefined) args.push(`--context=${params.context}`);
  args.push("--sort=path", "--regexp", params.pattern, "--", target.real);
  const result = await env.shell.exec(rg, args, {
    cwd: env.cwd,
    signal,
    timeoutMs: TIMEOUT_MS,
    maxBytes: 4 * 1024 * 1024,
  });
  if (result.exitCode === 2 && result.stdout === "") throw new Error(result.stderr.split("\n").slice(0, 3).join("\n"));
  const roots = (await realRoots(env)).map((root) => root.real);
  const prefix = roots.find((root) => isWithin(target.real, root, env.windows));
  return result.stdout
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => (prefix !== undefined && line.startsWith(`${prefix}/`) ? line.slice(prefix.length + 1) : line));
}

/** Without ripgrep only literal text is searched for: a pattern of the model could hold the event loop for ever. */
async function withScan(
  env: ToolEnvironment,
  target: ResolvedPath,
  params: Params,
  limit: number,
  signal: AbortSignal,
) {
  const literal = params.literal === true || !/[\\^$.*+?()[\]{}|]/.test(params.pattern);
  if (!literal) {
    throw new Error("Regular expressions need ripgrep, which was not found here. Search with literal: true instead.");
  }
  const fold = (text: string) => (params.ignoreCase === true ? text.toLowerCase() : text);
  const wanted = fold(params.pattern);
  const matches =
    params.glob === undefined
      ? () => true
      : (await import("picomatch")).default(params.glob, { basename: !params.glob.includes("/"), dot: true });
  const single = target.stat?.kind === "file";
  const lines: string[] = [];
  for await (const file of single ? [""] : scanFiles(env.fs, target.real, signal)) {
    if (!single && !matches(file)) continue;
    const path = single ? target.real : `${target.real}/${file}`;
    const stat = await env.fs.stat(path);
    if (stat === undefined || stat.size > MAX_SCANNED_FILE) continue;
    const bytes = await env.fs.readFile(path);
    if (looksBinary(bytes, false)) continue;
    const content = new TextDecoder().decode(bytes).split("\n");
    const shown = single ? target.shown : target.shown === "." ? file : `${target.shown}/${file}`;
    const around = params.context ?? 0;
    let printed = -1;
    for (const [index, line] of content.entries()) {
      if (!fold(line).includes(wanted)) continue;
      for (let at = Math.max(printed + 1, index - around); at <= Math.min(content.length - 1, index + around); at++) {
        const hit = fold(content[at]!).includes(wanted);
        lines.push(`${shown}${hit ? ":" : "-"}${at + 1}${hit ? ":" : "-"}${content[at]!.replace(/\r$/, "")}`);
        printed = at;
      }
      if (lines.length > limit) return lines;
    }
  }
  return lines;
}

/** Makes the tool. */
export function createGrepTool(env: ToolEnvironment): AgentTool<Params> {
  return {
    name: "grep",
    label: "Search",
    description: `Search file contents by regular expression (or literally). Respects .gitignore. At most ${DEFAULT_LIMIT} lines unless limit is given.`,
    schema,
    propose: (params) => insideProposal(env, "Search", params.path ?? "."),
    async execute({ toolCallId, params, signal }) {
      const proposal = await insideProposal(env, "Search", params.path ?? ".");
      if (proposal !== undefined) env.guard(toolCallId, proposal);
      const target = await resolvePath(env, params.path ?? ".");
      if (target.stat === undefined) throw new Error(`There is nothing at ${target.shown}.`);
      const limit = params.limit ?? DEFAULT_LIMIT;
      const rg = await env.ripgrep();
      const lines =
        rg === undefined
          ? await withScan(env, target, params, limit, signal)
          : await withRipgrep(env, rg, target, params, signal);
      signal.throwIfAborted();
      if (lines.length === 0) return { content: [{ type: "text", text: "No matches." }], details: { matches: 0 } };
      const cut = truncateHead(
        lines
          .slice(0, limit)
          .map((line) => shorten(visibleText(line)))
          .join("\n"),
      );
      const more = lines.length > limit || cut.truncated;
      return {
        content: [{ type: "text", text: cut.text + (more ? "\n[More matches exist; narrow the search.]" : "") }],
        details: { matches: Math.min(lines.length, limit), truncated: more },
      };
    },
  };
}
