// The tool `edit`: exact replacements in one file, all or none.
import * as z from "zod/mini";
import type { AgentTool } from "../agent/agent-tool.ts";
import { encodeText, readTextFile } from "./text-files.ts";
import type { ToolEnvironment } from "./tool-environment.ts";
import { resolvePath } from "./workspace-paths.ts";
import { changeDetails, fileProposal, refuseUnwritable, saveFile } from "./write.ts";

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

/** Places of the `\r\n` of a text, and the text with `\n` instead. */
function withoutCarriageReturns(text: string): { source: string; toOriginal: (index: number) => number } {
  const breaks: number[] = [];
  for (let at = text.indexOf("\r\n"); at >= 0; at = text.indexOf("\r\n", at + 2)) breaks.push(at - breaks.length);
  const toOriginal = (index: number) => {
    let low = 0;
    let high = breaks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (breaks[middle]! < index) low = middle + 1;
      else high = middle;
    }
    return index + low;
  };
  return { source: breaks.length === 0 ? text : text.replaceAll("\r\n", "\n"), toOriginal };
}

/** The line ending that a replacement takes: that of the replaced text, else of the line before, else of the first line. */
function lineEndingAt(text: string, start: number, end: number): "\n" | "\r\n" {
  let at = text.indexOf("\n", start);
  if (at < 0 || at >= end) at = start === 0 ? -1 : text.lastIndexOf("\n", start - 1);
  if (at < 0) at = text.indexOf("\n");
  return at > 0 && text[at - 1] === "\r" ? "\r\n" : "\n";
}

/**
 * Applies edits to a text, each against the original; overlapping ones are refused. Every byte outside the replaced texts
 * stays as it was, mixed line endings included; new lines end as those that they replace.
 */
export function applyEdits(
  text: string,
  edits: readonly { oldText: string; newText: string }[],
  shown: string,
): string {
  const { source, toOriginal } = withoutCarriageReturns(text);
  const placed = edits.map((edit) => {
    const match = findUnique(source, edit.oldText.replaceAll("\r\n", "\n"), shown);
    const start = toOriginal(match.start);
    const end = toOriginal(match.end);
    const newText = edit.newText.replaceAll("\r\n", "\n").replaceAll("\n", lineEndingAt(text, start, end));
    return { start, end, newText };
  });
  placed.sort((a, b) => a.start - b.start);
  let result = "";
  let at = 0;
  for (const edit of placed) {
    if (edit.start < at) throw new Error("Two edits touch the same text. Join them into one.");
    result += text.slice(at, edit.start) + edit.newText;
    at = edit.end;
  }
  result += text.slice(at);
  if (result === text) throw new Error("The edits change nothing.");
  return result;
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
        details: changeDetails(path, file.text, after),
      };
    },
  };
}
