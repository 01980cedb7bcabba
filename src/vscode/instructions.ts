// Instruction files of the workspace, for the system prompt; read only where the workspace is trusted.
import * as vscode from "vscode";
import { stripInvisible } from "../core/harness/instruction-text.ts";
import type { InstructionFile } from "../core/harness/system-prompt.ts";

const MAX_BYTES = 64 * 1024;

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
