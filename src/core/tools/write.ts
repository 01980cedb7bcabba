// The tool `write`: a whole file.
import * as z from "zod/mini";
import type { AgentTool, ToolProposal } from "../agent/agent-tool.ts";
import { encodeText, readTextFile } from "./text-files.ts";
import { contentHash, type ToolEnvironment } from "./tool-environment.ts";
import { type ResolvedPath, refuseMoved, resolvePath, writeWarnings } from "./workspace-paths.ts";

const schema = z.object({ path: z.string(), content: z.string() });

/** What a change of one file would be, for `write` and `edit`. */
export function fileProposal(
  verb: string,
  path: ResolvedPath,
  before: string | undefined,
  after: string,
): ToolProposal {
  const stat = path.stat;
  const unread = stat !== undefined && before === undefined;
  // What cannot be shown is bound by what the system says of it, so that a file changed meanwhile is asked about anew.
  const was = unread ? `${stat.identity} ${stat.size} ${stat.mtimeMs}` : (before ?? "");
  const warnings = writeWarnings(path, after);
  if (unread)
    warnings.push(`What is there now is no text and cannot be shown (${stat.size} bytes); it would be replaced`);
  return {
    kind: "edit",
    title: `${verb} ${path.shown}`,
    path: path.real,
    before: before ?? "",
    after,
    warnings,
    hash: contentHash("file", path.real, unread ? "unread" : before === undefined ? "absent" : "text", was, after),
    sessionScope: "all edits of files in this workspace",
    sessionKey: "edits",
  };
}

/** Refuses what cannot be written whoever allows it. */
export function refuseUnwritable(env: ToolEnvironment, path: ResolvedPath): void {
  if (path.stat !== undefined && path.stat.kind !== "file") throw new Error(`${path.shown} is not a regular file.`);
  if (env.isDirty(path.real)) {
    throw new Error(`${path.shown} has unsaved changes in the editor. Ask the user to save it first.`);
  }
}

/** Writes by temporary file and rename, keeping the file's mode; makes missing folders. */
export async function saveFile(env: ToolEnvironment, path: ResolvedPath, bytes: Uint8Array): Promise<void> {
  const folder = path.real.slice(0, path.real.lastIndexOf("/")) || "/";
  await env.fs.makeDirectory(folder, 0o777);
  await refuseMoved(env, folder, path.shown);
  await env.fs.writeFileAtomic(path.real, bytes, path.stat === undefined ? 0o666 : undefined);
}

/** Texts longer than this together are not stored with the result: a session file keeps what was said, not whole files. */
const MAX_STORED_CHANGE = 1024 * 1024;

/** What the screen shows of a change. */
export function changeDetails(path: ResolvedPath, before: string, after: string) {
  return before.length + after.length > MAX_STORED_CHANGE ? { path: path.real } : { path: path.real, before, after };
}

/** Makes the tool. */
export function createWriteTool(env: ToolEnvironment): AgentTool<z.infer<typeof schema>> {
  const plan = async (params: z.infer<typeof schema>) => {
    const path = await resolvePath(env, params.path);
    refuseUnwritable(env, path);
    const before =
      path.stat === undefined ? undefined : await readTextFile(env.fs, path.real, path.shown).catch(() => undefined);
    const verb = path.stat === undefined ? "Create" : "Overwrite";
    return { path, before, proposal: fileProposal(verb, path, before?.text, params.content) };
  };
  return {
    name: "write",
    label: "Write",
    description: "Create a file, or overwrite one completely.",
    schema,
    execution: "sequential",
    propose: async (params) => (await plan(params)).proposal,
    async execute({ toolCallId, params }) {
      const { path, before, proposal } = await plan(params);
      env.guard(toolCallId, proposal);
      await saveFile(env, path, encodeText(params.content, before?.bom === true));
      return {
        content: [{ type: "text", text: `Wrote ${path.shown} (${params.content.split("\n").length} lines).` }],
        details: { ...changeDetails(path, before?.text ?? "", params.content), created: path.stat === undefined },
      };
    },
  };
}
