// Instruction files of the workspace, for the system prompt; read only where the workspace is trusted.
import * as vscode from "vscode";
import type { InstructionFile } from "../core/harness/system-prompt.ts";

const MAX_BYTES = 64 * 1024;

/** Tag and other invisible characters out of a text that the model is told to follow; how many there were. */
export function stripInvisible(text: string): { text: string; removed: number } {
  let removed = 0;
  const cleaned = text.replace(/[\u{e0000}-\u{e007f}\u200b-\u200f\u202a-\u202e\u2060-\u2069\ufeff\u00ad]/gu, () => {
    removed++;
    return "";
  });
  return { text: cleaned, removed };
}

/** The files that are there, in the order of the setting; names that leave the folder are left out. */
export async function readInstructionFiles(
  folder: string,
  names: readonly string[],
  onInvisible: (name: string, removed: number) => void,
): Promise<InstructionFile[]> {
  if (!vscode.workspace.isTrusted) return [];
  const files: InstructionFile[] = [];
  for (const name of names) {
    if (name.split(/[\\/]/).includes("..") || name.startsWith("/")) continue;
    try {
      const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(vscode.Uri.file(folder), name));
      const { text, removed } = stripInvisible(new TextDecoder().decode(bytes.subarray(0, MAX_BYTES)));
      if (removed > 0) onInvisible(name, removed);
      if (text.trim() !== "") files.push({ path: name, text });
    } catch {
      // Not there.
    }
  }
  return files;
}
