// Which files a conversation read and changed, carried from summary to summary (compaction page, behaviours §5 Files).
import type { AgentMessage } from "../llm/messages.ts";

export interface FileOperations {
  read: Set<string>;
  modified: Set<string>;
}

/** `details` of the default compaction and branch summary. */
export interface SummaryDetails {
  readFiles: string[];
  modifiedFiles: string[];
}

export function createFileOperations(): FileOperations {
  return { read: new Set(), modified: new Set() };
}

/** Adds the paths of the calls of `read`, `write` and `edit` in a message. */
export function addFileOperations(operations: FileOperations, message: AgentMessage): void {
  if (message.role !== "assistant") return;
  for (const part of message.content ?? []) {
    if (part.type !== "toolCall") continue;
    const path = part.arguments?.path;
    if (typeof path !== "string" || path === "") continue;
    if (part.name === "read") operations.read.add(path);
    else if (part.name === "write" || part.name === "edit") operations.modified.add(path);
  }
}

/** Adds the lists that an earlier summary stored; what a hook stored is its own business and is left alone. */
export function addSummaryDetails(operations: FileOperations, entry: { details?: unknown; fromHook?: boolean }): void {
  if (entry.fromHook === true || typeof entry.details !== "object" || entry.details === null) return;
  const details = entry.details as Partial<Record<keyof SummaryDetails, unknown>>;
  for (const path of strings(details.readFiles)) operations.read.add(path);
  for (const path of strings(details.modifiedFiles)) operations.modified.add(path);
}

function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((item): item is string => typeof item === "string" && item !== "") : [];
}

/** Sorted lists; a file that was read and changed counts as changed alone. */
export function fileLists(operations: FileOperations): SummaryDetails {
  return {
    readFiles: [...operations.read].filter((path) => !operations.modified.has(path)).sort(),
    modifiedFiles: [...operations.modified].sort(),
  };
}

/** A path on one line that cannot close its block: control characters and angle brackets stand as JSON escapes. */
function pathLine(path: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  return path.replace(/[\u0000-\u001f\u007f<>]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

/** The blocks that stand at the end of a summary, empty where there is nothing to list. */
export function formatFileBlocks(lists: SummaryDetails): string {
  const blocks: string[] = [];
  if (lists.readFiles.length > 0) {
    blocks.push(`<read-files>\n${lists.readFiles.map(pathLine).join("\n")}\n</read-files>`);
  }
  if (lists.modifiedFiles.length > 0) {
    blocks.push(`<modified-files>\n${lists.modifiedFiles.map(pathLine).join("\n")}\n</modified-files>`);
  }
  return blocks.length === 0 ? "" : `\n\n${blocks.join("\n\n")}`;
}

/** A summary without its file blocks: they are rebuilt from `details`, never copied on. */
export function stripFileBlocks(summary: string): string {
  return summary.replace(/\s*<(read-files|modified-files)>[\s\S]*?<\/\1>/g, "").trimEnd();
}
