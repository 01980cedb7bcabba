// Where a path of the model really leads, and whether it may be touched without asking (security §1.A, §1.B).
import type { FileStat, FileSystem } from "../ports.ts";

export interface PathPolicy {
  fs: FileSystem;
  /** Absolute folders of the workspace; links in them are resolved here. */
  roots: readonly string[];
  cwd: string;
  home: string;
  windows: boolean;
}

export interface ResolvedPath {
  /** Absolute path as meant, links not resolved. */
  requested: string;
  /** Where it leads: links of the deepest existing ancestor resolved. */
  real: string;
  /** `real` with the separators of the system. */
  resolved: string;
  /** Undefined where nothing is there yet. */
  stat: FileStat | undefined;
  inside: boolean;
  /** True where a link on the way, below the workspace folder, leads elsewhere than the path says. */
  linked: boolean;
  /** Path for people and the model: relative to the workspace where it is inside. */
  shown: string;
}

export class PathRefused extends Error {}

const DEVICE = /^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$/i;

/** Undoes what models do to paths; decisions are made on what comes out. */
export function normalizePathText(path: string, home: string): string {
  let text = path.trim().replace(/[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g, " ");
  if (text.startsWith("@")) text = text.slice(1);
  if (/^file:\/\//i.test(text)) {
    try {
      text = decodeURIComponent(new URL(text).pathname);
    } catch {
      throw new PathRefused(`Not a path: ${path}`);
    }
  }
  if (text === "~" || text.startsWith("~/") || text.startsWith("~\\")) text = home + text.slice(1);
  return text;
}

function refuseOddities(text: string, windows: boolean): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for
  if (/[\u0000-\u001f\u007f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/.test(text)) {
    throw new PathRefused("The path holds control or invisible characters.");
  }
  if (!windows) return;
  if (/^[\\/]{2}/.test(text)) throw new PathRefused("Network and device paths are refused.");
  for (const [index, part] of text.split(/[\\/]+/).entries()) {
    if (part === "" || part === "." || part === ".." || (index === 0 && /^[a-z]:$/i.test(part))) continue;
    if (part.includes(":")) throw new PathRefused("Alternate data streams are refused.");
    if (/[. ]$/.test(part)) throw new PathRefused("Names that end in a dot or a space are refused.");
    if (/~\d/.test(part)) throw new PathRefused("Short (8.3) names are refused.");
    if (DEVICE.test(part)) throw new PathRefused("Device names are refused.");
  }
}

function isAbsolute(path: string, windows: boolean): boolean {
  return path.startsWith("/") || (windows && /^[a-z]:[\\/]/i.test(path));
}

/** Folds `.`, `..` and double separators; forward slashes come out. */
export function joinPath(base: string, path: string, windows: boolean): string {
  const forward = (text: string) => (windows ? text.replaceAll("\\", "/") : text);
  const whole = isAbsolute(path, windows) ? forward(path) : `${forward(base)}/${forward(path)}`;
  const drive = windows ? (/^[a-z]:/i.exec(whole)?.[0] ?? "") : "";
  const parts: string[] = [];
  for (const part of whole.slice(drive.length).split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return `${drive}/${parts.join("/")}`;
}

/** True where `path` is `root` or below it. */
export function isWithin(path: string, root: string, windows = false): boolean {
  const fold = (text: string) => (windows ? text.replaceAll("\\", "/").toLowerCase() : text);
  const [p, r] = [fold(path), fold(root).replace(/\/+$/, "")];
  return p === r || p.startsWith(`${r}/`);
}

/** Resolves links as far as the path exists; what does not exist yet is added behind. */
async function realPathOfExisting(fs: FileSystem, path: string): Promise<string> {
  let existing = path;
  const rest: string[] = [];
  for (;;) {
    try {
      const real = (await fs.realPath(existing)).replace(/\/+$/, "");
      return rest.length === 0 ? real || "/" : `${real}/${rest.join("/")}`;
    } catch (error) {
      const code = (error as { code?: string }).code;
      if (code !== "ENOENT" && code !== "ENOTDIR") throw error;
      if (await isDanglingLink(fs, existing)) {
        throw new PathRefused(`${existing} is a link that leads nowhere; it is refused.`);
      }
      const slash = existing.lastIndexOf("/");
      rest.unshift(existing.slice(slash + 1));
      existing = existing.slice(0, slash) || "/";
      if (rest.length > 256) throw new PathRefused("The path is too deep.");
    }
  }
}

async function isDanglingLink(fs: FileSystem, path: string): Promise<boolean> {
  const slash = path.lastIndexOf("/");
  const name = path.slice(slash + 1);
  const entries = await fs.list(path.slice(0, slash) || "/").catch(() => []);
  return entries.some((entry) => entry.name === name && entry.kind === "link");
}

/** Device files and the inside of processes are no places of work. */
const SYSTEM_FOLDERS = /^\/(?:proc|sys|dev)(?:\/|$)/;

interface Root {
  /** As it was given. */
  given: string;
  real: string;
}

/** The workspace folders with links resolved; a folder that is gone counts as it was given. */
export async function realRoots(policy: PathPolicy): Promise<Root[]> {
  const forward = (text: string) => (policy.windows ? text.replaceAll("\\", "/") : text).replace(/\/+$/, "") || "/";
  return await Promise.all(
    policy.roots.map(async (root) => ({
      given: forward(root),
      real: forward(await policy.fs.realPath(root).catch(() => root)),
    })),
  );
}

/** Resolves a path of the model. Throws PathRefused for what no answer of the person could make right. */
export async function resolvePath(policy: PathPolicy, path: string): Promise<ResolvedPath> {
  const text = normalizePathText(path, policy.home);
  if (text === "") throw new PathRefused("The path is empty.");
  refuseOddities(text, policy.windows);
  const requested = joinPath(policy.cwd, text, policy.windows);
  const resolved = await realPathOfExisting(policy.fs, requested);
  const real = policy.windows ? resolved.replaceAll("\\", "/") : resolved;
  const roots = await realRoots(policy);
  const root = roots.find((candidate) => isWithin(real, candidate.real, policy.windows));
  if (root === undefined && SYSTEM_FOLDERS.test(real)) {
    throw new PathRefused(`${real} is not a regular file of the disk; device and process paths are refused.`);
  }
  const meant = roots.find((candidate) => isWithin(requested, candidate.given, policy.windows));
  const expected = meant === undefined ? requested : meant.real + requested.slice(meant.given.length);
  return {
    requested,
    real,
    resolved,
    stat: await policy.fs.stat(real),
    inside: root !== undefined,
    linked: policy.windows ? real.toLowerCase() !== expected.toLowerCase() : real !== expected,
    shown: root === undefined ? real : real.slice(root.real.replace(/\/+$/, "").length + 1) || ".",
  };
}

/** Throws where a folder that was resolved a moment ago leads elsewhere now: a link was put in its way (security §1 15). */
export async function refuseMoved(policy: PathPolicy, folder: string, shown: string): Promise<void> {
  const now = await policy.fs.realPath(folder);
  if ((policy.windows ? now.replaceAll("\\", "/") : now) === folder) return;
  throw new PathRefused(`The folder of ${shown} changed while it was looked at, so nothing was done.`);
}

const PROTECTED_FOLDERS = [
  ".vscode",
  ".git",
  ".pi",
  ".coppice",
  ".claude",
  ".agents",
  ".cursor",
  ".windsurf",
  ".clinerules",
  ".roo",
  ".idea",
  ".zed",
  ".github",
  ".husky",
  ".devcontainer",
];
const PROTECTED_FILES = [
  "agents.md",
  "claude.md",
  "gemini.md",
  "skill.md",
  ".cursorrules",
  ".windsurfrules",
  ".mcp.json",
  ".env",
  ".npmrc",
  ".envrc",
  "package.json",
  "makefile",
];
const RUNS_CODE = new Set([
  ".vscode",
  ".idea",
  ".zed",
  ".git",
  ".husky",
  ".devcontainer",
  ".github",
  "package.json",
  "makefile",
  ".envrc",
]);

/** The key, then blanks, quotes and comments, then an address. */
const REMOTE_SCHEMA =
  /\$schema(?:[^a-z0-9./]|\/\*(?:[^*]|\*(?!\/)){0,400}\*\/|\/\/[^\n]{0,400}\n){0,400}(?:https?:|\/\/[a-z0-9])/i;

/**
 * JSON and YAML by their content, whatever the file is called: editors take a language by association, and decode
 * escapes before they look for the key. Rather a warning too many.
 */
function namesRemoteSchema(content: string): boolean {
  const plain = content.replace(/\\u\{?([0-9a-f]{2,4})\}?/gi, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
  return REMOTE_SCHEMA.test(plain.replaceAll("\\/", "/"));
}

/** Why a write to a path must be asked whatever is allowed; empty where it need not. */
export function writeWarnings(path: ResolvedPath, content: string): string[] {
  const warnings: string[] = [];
  if (!path.inside) warnings.push(`Outside the workspace: ${path.real}`);
  else if (path.linked) warnings.push(`A link leads to ${path.real}`);
  // Folded as widely as any file system folds names, so that no spelling of a protected name slips by.
  const parts = path.real.normalize("NFKC").toUpperCase().toLowerCase().split("/");
  const name = parts.at(-1) ?? "";
  for (const part of parts) {
    if (!PROTECTED_FOLDERS.includes(part)) continue;
    warnings.push(RUNS_CODE.has(part) ? `Files in ${part} can run code` : `Files in ${part} steer agents`);
  }
  if (name.endsWith(".code-workspace")) warnings.push("A workspace file can change settings and run code");
  if (PROTECTED_FILES.includes(name) || name.startsWith(".env.")) {
    warnings.push(RUNS_CODE.has(name) ? `${name} can run code` : `${name} steers agents or holds secrets`);
  }
  if (path.stat !== undefined && path.stat.kind === "file" && path.stat.links > 1) {
    warnings.push("The file has another name elsewhere (hard link)");
  }
  if (namesRemoteSchema(content)) {
    warnings.push("The JSON names a remote $schema, which the editor would fetch");
  }
  return warnings;
}
