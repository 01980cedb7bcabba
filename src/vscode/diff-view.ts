// A change of a text as the chat shows it: unified hunks, capped.
import { structuredPatch } from "diff";
import type { DiffView } from "../protocol/view-state.ts";

const MAX_LINES = 400;
const MAX_LINE_CHARS = 500;
/** Beyond this a diff costs more than it tells; the editor's own shows it. */
const MAX_DIFF_CHARS = 2_000_000;

/** Hunks with three lines around; `truncated` where the rest is only in the editor's diff. */
export function diffView(path: string, before: string, after: string): DiffView {
  if (before.length + after.length > MAX_DIFF_CHARS) {
    return { path, lines: [], added: 0, removed: 0, truncated: true };
  }
  const patch = structuredPatch(path, path, before, after, "", "", { context: 3, maxEditLength: 20_000 });
  if (patch === undefined) return { path, lines: [], added: 0, removed: 0, truncated: true };
  const lines: string[] = [];
  let added = 0;
  let removed = 0;
  for (const hunk of patch.hunks) {
    lines.push(`@@ -${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines} @@`);
    for (const line of hunk.lines) {
      if (line.startsWith("\\")) continue;
      if (line.startsWith("+")) added++;
      else if (line.startsWith("-")) removed++;
      lines.push(line.length > MAX_LINE_CHARS ? `${line.slice(0, MAX_LINE_CHARS).toWellFormed()} […]` : line);
    }
  }
  return { path, lines: lines.slice(0, MAX_LINES), added, removed, truncated: lines.length > MAX_LINES };
}
