// Where session files lie: Pi's folder per working directory and its file names (behaviours §2, Folder).
import type { SessionHeader } from "./entries.ts";

/** The folder of a path, with either separator. */
export function folderOf(path: string): string {
  const at = Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\"));
  if (at < 0) return ".";
  return at === 0 ? path.slice(0, 1) : path.slice(0, at);
}

export function baseName(path: string): string {
  return path.slice(Math.max(path.lastIndexOf("/"), path.lastIndexOf("\\")) + 1);
}

export function joinPath(folder: string, name: string): string {
  const separator = folder.includes("\\") && !folder.includes("/") ? "\\" : "/";
  return folder.endsWith("/") || folder.endsWith("\\") ? folder + name : folder + separator + name;
}

/** `C:\Users\me` is `--C--Users-me--`. Not injective: readers must compare the header's `cwd`. */
export function encodeCwd(cwd: string): string {
  return `--${cwd.replace(/^[/\\]/, "").replace(/[/\\:]/g, "-")}--`;
}

/** ISO time with `-` for `:` and `.`, then the id. */
export function sessionFileName(header: Pick<SessionHeader, "timestamp" | "id">): string {
  return `${header.timestamp.replace(/[:.]/g, "-")}_${header.id.replace(/[^A-Za-z0-9._-]/g, "-")}.jsonl`;
}

/** True where two working directories are one: the case of a drive letter and a closing separator do not count. */
export function sameCwd(a: string, b: string): boolean {
  return normalCwd(a) === normalCwd(b);
}
function normalCwd(cwd: string): string {
  const trimmed = cwd.length > 1 ? cwd.replace(/[/\\]+$/, "") : cwd;
  return trimmed.replace(/^[a-z]:/, (drive) => drive.toUpperCase());
}
