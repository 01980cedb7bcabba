// The tool `read`: a window of a text file, or an image.
import * as z from "zod/mini";
import type { AgentTool } from "../agent/agent-tool.ts";
import { looksBinary } from "./text-files.ts";
import { contentHash, type ToolEnvironment } from "./tool-environment.ts";
import { MAX_BYTES, MAX_LINES, truncateHead, visibleText } from "./truncate.ts";
import { isWithin, PathRefused, type ResolvedPath, resolvePath } from "./workspace-paths.ts";

const schema = z.object({
  path: z.string(),
  offset: z.optional(z.number().check(z.int(), z.minimum(1))),
  limit: z.optional(z.number().check(z.int(), z.minimum(1))),
});

const IMAGE_TYPES: Record<string, string> = {
  png: "image/png",
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  gif: "image/gif",
  webp: "image/webp",
};
/** Providers refuse more than 5 MB once encoded. */
const MAX_ENCODED_IMAGE = 4.5 * 1024 * 1024;
const CHUNK = 256 * 1024;
/** A line longer than this before the wanted one ends the search (bytes): it could be a hole of gigabytes. */
const MAX_SKIPPED_LINE = 16 * 1024 * 1024;

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let index = 0; index < bytes.length; index += 8192) {
    binary += String.fromCharCode(...bytes.subarray(index, index + 8192));
  }
  return btoa(binary);
}

/** Reads the wanted lines chunk by chunk, so that a file of any size costs what is shown of it. */
async function readLines(env: ToolEnvironment, path: ResolvedPath, offset: number, limit: number, signal: AbortSignal) {
  const handle = await env.fs.open(path.real, "read");
  try {
    // What was opened must be what was looked at, and still lie where it was (security §1 15).
    const same = (await handle.stat()).identity === path.stat?.identity;
    if (!same || (await env.fs.realPath(path.real)) !== path.resolved) {
      throw new PathRefused(`${path.shown} changed while it was looked at, so it was not read.`);
    }
    const size = (await handle.stat()).size;
    const decoder = new TextDecoder("utf-8");
    const lines: string[] = [];
    let line = 1;
    let rest = "";
    let bytes = 0;
    let position = 0;
    let lineStart = 0;
    while (position < size) {
      signal.throwIfAborted();
      const chunk = await handle.read(position, CHUNK);
      if (chunk.length === 0) break;
      if (position === 0 && looksBinary(chunk, chunk.length < size)) return undefined;
      position += chunk.length;
      const parts = (rest + decoder.decode(chunk, { stream: true })).split("\n");
      rest = parts.pop() ?? "";
      for (const part of parts) {
        if (line++ < offset) continue;
        lines.push(part);
        bytes += part.length + 1;
        if (lines.length >= limit || bytes > MAX_BYTES) return { lines, more: true };
      }
      if (line >= offset) {
        // One line without an end: enough of it is known.
        if (rest.length > MAX_BYTES) break;
      } else if (parts.length > 0) lineStart = position;
      else {
        rest = "";
        if (position - lineStart > MAX_SKIPPED_LINE)
          throw new Error(`Line ${line} of ${path.shown} is too long to pass.`);
      }
    }
    if (line >= offset && (rest !== "" || size === 0)) lines.push(rest);
    return { lines, more: position < size, total: line - (rest === "" ? 1 : 0) };
  } finally {
    await handle.close();
  }
}

async function readImage(env: ToolEnvironment, path: ResolvedPath, mimeType: string) {
  const encoded = Math.ceil(path.stat!.size / 3) * 4;
  if (encoded > MAX_ENCODED_IMAGE) {
    const megabytes = (encoded / 1024 / 1024).toFixed(1);
    return {
      content: [{ type: "text" as const, text: `The image is too large to look at (${megabytes} MB encoded).` }],
    };
  }
  const data = toBase64(await env.fs.readFile(path.real));
  return {
    content: [
      { type: "text" as const, text: `Image ${path.shown}` },
      { type: "image" as const, data, mimeType },
    ],
  };
}

/** True in a folder that the person gave the model to read, such as a skill's. */
async function mayBeRead(env: ToolEnvironment, real: string): Promise<boolean> {
  for (const folder of (await env.readable?.()) ?? []) {
    const root = await env.fs.realPath(folder).catch(() => undefined);
    if (root !== undefined && isWithin(real, root, env.windows)) return true;
  }
  return false;
}

/** Makes the tool. */
export function createReadTool(env: ToolEnvironment): AgentTool<z.infer<typeof schema>> {
  const propose: AgentTool<z.infer<typeof schema>>["propose"] = async ({ path }) => {
    const resolved = await resolvePath(env, path);
    if (resolved.inside || (await mayBeRead(env, resolved.real))) return undefined;
    return {
      kind: "read",
      title: `Read ${resolved.real}`,
      path: resolved.real,
      warnings: [`Outside the workspace: ${resolved.real}`],
      hash: contentHash("read", resolved.real),
    };
  };
  return {
    name: "read",
    label: "Read",
    description: `Read a text file (first ${MAX_LINES} lines or ${MAX_BYTES / 1024} KB; go on with offset and limit, in lines) or look at an image.`,
    schema,
    propose,
    async execute({ toolCallId, params, signal }) {
      const path = await resolvePath(env, params.path);
      const proposal = await propose(params, signal);
      if (proposal !== undefined) env.guard(toolCallId, proposal);
      if (path.stat === undefined) throw new Error(`There is no file ${path.shown}.`);
      if (path.stat.kind === "directory") throw new Error(`${path.shown} is a folder. Use ls to list it.`);
      if (path.stat.kind !== "file") throw new Error(`${path.shown} is not a regular file.`);
      const mimeType = IMAGE_TYPES[path.real.slice(path.real.lastIndexOf(".") + 1).toLowerCase()];
      if (mimeType !== undefined) return await readImage(env, path, mimeType);
      const offset = params.offset ?? 1;
      const window = await readLines(env, path, offset, Math.min(params.limit ?? MAX_LINES, MAX_LINES), signal);
      if (window === undefined) {
        return {
          content: [
            { type: "text", text: `${path.shown} is a binary file (${path.stat.size} bytes); it is not shown.` },
          ],
        };
      }
      if (window.lines.length === 0 && offset > 1) {
        throw new Error(`${path.shown} has ${window.total ?? 0} lines; there is no line ${offset}.`);
      }
      const cut = truncateHead(visibleText(window.lines.join("\n")).replace(/^\ufeff/, ""));
      const last = offset + cut.shownLines - 1;
      const more = window.more || cut.truncated;
      const notice = more ? `\n\n[Lines ${offset} to ${last} shown; go on with offset ${last + 1}.]` : "";
      return {
        content: [{ type: "text", text: cut.text + notice }],
        details: { path: path.real, offset, lines: cut.shownLines, truncated: more },
      };
    },
  };
}
