// What the tools are given of the machine and of the person's decisions.
import type { ToolProposal } from "../agent/agent-tool.ts";
import type { FileSystem, Shell } from "../ports.ts";
import type { PathPolicy } from "./workspace-paths.ts";

export interface ToolEnvironment extends PathPolicy {
  fs: FileSystem;
  shell: Shell;
  /** Absolute path of ripgrep, or undefined: then the folder is scanned by ourselves. */
  ripgrep: () => Promise<string | undefined>;
  /** A private folder for outputs that are too long to show. */
  spoolDirectory: () => Promise<string>;
  /** Folders outside the workspace that may be read without a question (skills of the person). */
  readable?: () => Promise<readonly string[]>;
  /** True where an editor holds unsaved changes of the file. */
  isDirty: (path: string) => boolean;
  /**
   * Called right before a side effect with what is about to happen now. Throws where it is not what was approved: the file,
   * the target or the command changed since it was shown.
   */
  guard: (toolCallId: string, proposal: ToolProposal) => void;
}

/** FNV-1a over the UTF-16 units, twice with different seeds: identifies what was shown, keeps no secret. */
export function contentHash(...parts: readonly string[]): string {
  let a = 0x811c9dc5;
  let b = 0x01000193;
  for (const part of parts) {
    for (let index = 0; index < part.length; index++) {
      const unit = part.charCodeAt(index);
      a = Math.imul(a ^ unit, 0x01000193);
      b = Math.imul(b ^ unit, 0x5bd1e995) + index;
    }
    a = Math.imul(a ^ 0xffff, 0x01000193);
    b = Math.imul(b ^ 0xfffe, 0x5bd1e995);
  }
  return (a >>> 0).toString(16).padStart(8, "0") + (b >>> 0).toString(16).padStart(8, "0");
}
