// The tool `edit`: exact replacements in one file, all or none.
import * as z from "zod/mini";
import type { AgentTool } from "../agent/agent-tool.ts";
import { encodeText, readTextFile } from "./text-files.ts";
import type { ToolEnvironment } from "./tool-environment.ts";
import { resolvePath } from "./workspace-paths.ts";
import { fileProposal, refuseUnwritable, saveFile } from "./write.ts";

const schema = z.object({
  path: z.string(),
  edits: z.array(z.object({ oldText: z.string(), newText: z.string() })).check(z.minLength(1)),
});

interface Match {
  start: number;
  end: number;
}

function occurrences(text: string, part: string): number[] {
  const found: number[] = [];
  for (let at = text.indexOf(part); at >= 0 && found.length < 3; at = text.indexOf(part, at + 1)) found.push(at);
  return found;
}

/** One character for one character, so that positions stay: typographic quotes, dashes and spaces to plain ones. */
function plain(text: string): string {
  return text
    .replace(/[\u2018\u2019\u201a\u201b\u2032]/g, "'")
    .replace(/[\u201c\u201d\u201e\u201f\u2033]/g, '"')
    .replace(/[\u2010-\u2015\u2212]/g, "-")
    .replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ");
}

/**
 * Finds the one place of a text: exactly, or, where that is nowhere, with quotes, dashes and spaces taken alike. Throws where
 * it is nowhere or in several places: nothing is guessed.
 */
export function findUnique(text: string, part: string, shown: string): Match {
  if (part === "") throw new Error("oldText is empty.");
  let found = occurrences(text, part);
  if (found.length === 0) found = occurrences(plain(text), plain(part));
  if (found.length === 0) {
    throw new Error(`oldText was not found in ${shown}. Read the file again and copy the text exactly.`);
  }
  if (found.length > 1) {
    throw new Error(`oldText stands in ${shown} more than once. Add lines around it until it is unique.`);
  }
  return { start: found[0]!, end: found[0]! + part.length };
}

/** Applies edits to a text, each against the original; overlapping ones are refused. Line endings stay as they are. */
export function applyEdits(
  text: string,
  edits: readonly { oldText: string; newText: string }[],
  shown: string,
): string {
  const crlf = text.includes("\r\n");
  const source = crlf ? text.replaceAll("\r\n", "\n") : text;
  const placed = edits.map((edit) => ({
    ...findUnique(source, edit.oldText.replaceAll("\r\n", "\n"), shown),
    newText: edit.newText.replaceAll("\r\n", "\n"),
  }));
  placed.sort((a, b) => a.start - b.start);
  let result = "";
  let at = 0;
  for (const edit of placed) {
    if (edit.start < at) throw new Error("Two edits touch the same text. Join them into one.");
    result += source.slice(at, edit.start) + edit.newText;
    at = edit.end;
  }
  result += source.slice(at);
  if (result === source) throw new Error("The edits change nothing.");
  if (!crlf) return result;
  // A file of mixed endings keeps those of the lines that are not touched only where all are alike.
  return result.replaceAll("\n", "\r\n");
}

/** Makes the tool. */
export function createEditTool(env: ToolEnvironment): AgentTool<z.infer<typeof schema>> {
  const plan = async (params: z.infer<typeof schema>) => {
    const path = await resolvePath(env, params.path);
    refuseUnwritable(env, path);
    const file = await readTextFile(env.fs, path.real, path.shown);
    const after = applyEdits(file.text, params.edits, path.shown);
    return { path, file, after, proposal: fileProposal("Edit", path, file.text, after) };
  };
  return {
    name: "edit",
    label: "Edit",
    description:
      "Replace exact, unique pieces of text in one file. Each oldText must match once in the original file; edits must not overlap.",
    schema,
    execution: "sequential",
    prepareArguments: (raw) => {
      // Some models send one edit without the list.
      const { oldText, newText, ...rest } = raw;
      if (Array.isArray(raw.edits) || typeof oldText !== "string") return raw;
      return { ...rest, edits: [{ oldText, newText }] };
    },
    propose: async (params) => (await plan(params)).proposal,
    async execute({ toolCallId, params }) {
      const { path, file, after, proposal } = await plan(params);
      env.guard(toolCallId, proposal);
      await saveFile(env, path, encodeText(after, file.bom));
      const count = params.edits.length;
      return {
        content: [{ type: "text", text: `Changed ${path.shown} (${count} ${count === 1 ? "place" : "places"}).` }],
        details: { path: path.real, before: file.text, after },
      };
    },
  };
}
