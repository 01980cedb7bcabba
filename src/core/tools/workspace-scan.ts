// Walks the workspace where ripgrep is not to be had: respects .gitignore, follows no links, stops at limits.
import type { Ignore } from "ignore";
import type { FileSystem } from "../ports.ts";

const ALWAYS_IGNORED = new Set([".git", "node_modules", ".hg", ".svn"]);
const MAX_FILES = 50_000;
const MAX_DEPTH = 40;

interface Rules {
  /** Path of the folder that holds the rules, relative to the start, with a slash behind where it is not the start. */
  base: string;
  rules: Ignore;
}

/** Files below a folder as paths relative to it, in order, `.gitignore` applied. */
export async function* scanFiles(fs: FileSystem, start: string, signal: AbortSignal): AsyncGenerator<string> {
  const { default: ignore } = await import("ignore");
  let files = 0;
  async function* walk(folder: string, depth: number, inherited: readonly Rules[]): AsyncGenerator<string> {
    if (depth > MAX_DEPTH || signal.aborted) return;
    const absolute = folder === "" ? start : `${start}/${folder.slice(0, -1)}`;
    const entries = (await fs.list(absolute)).sort((a, b) => (a.name < b.name ? -1 : 1));
    const active = inherited.slice();
    if (entries.some((entry) => entry.name === ".gitignore" && entry.kind === "file")) {
      const text = new TextDecoder().decode(await fs.readFile(`${absolute}/.gitignore`));
      active.push({ base: folder, rules: ignore().add(text) });
    }
    for (const entry of entries) {
      if (signal.aborted || files >= MAX_FILES) return;
      const isFolder = entry.kind === "directory";
      if (!isFolder && entry.kind !== "file") continue;
      if (ALWAYS_IGNORED.has(entry.name)) continue;
      const path = folder + entry.name;
      const ignored = active.some(({ base, rules }) => rules.ignores(path.slice(base.length) + (isFolder ? "/" : "")));
      if (ignored) continue;
      if (isFolder) yield* walk(`${path}/`, depth + 1, active);
      else {
        files++;
        yield path;
      }
    }
  }
  yield* walk("", 0, []);
}
