// Remembers what a list shows, checked by size and time of each file, so that listing costs a stat (performance §7, 4).
import type { FileStat, FileSystem } from "../ports.ts";
import { joinBytes, textLines } from "./line-bytes.ts";
import { baseName, folderOf } from "./session-paths.ts";
import { type SessionSummary, summarizeSession } from "./session-summary.ts";

/** The first line of the catalogue's file; one line for each session follows. */
const FIRST_LINE = '{"format":2}';

interface Known {
  identity: string;
  mtimeMs: number;
  summary: SessionSummary;
}

export class SessionCatalogue {
  readonly #fs: FileSystem;
  readonly #path: string | undefined;
  #known: Map<string, Known> | undefined;
  #changed = false;

  /** `path`: the file that keeps the catalogue; undefined keeps it in memory only. */
  constructor(fs: FileSystem, path: string | undefined) {
    this.#fs = fs;
    this.#path = path;
  }

  /**
   * Summaries of files, in no order. One that cannot be read comes with a `problem` and hides no other. `onSummary` hears
   * of each as it is found; `signal` ends the work, with what was found so far.
   */
  async summaries(
    paths: readonly string[],
    options: { onSummary?: (summary: SessionSummary) => void; signal?: AbortSignal } = {},
  ): Promise<SessionSummary[]> {
    const known = await this.#load();
    const found: SessionSummary[] = [];
    const take = (summary: SessionSummary) => {
      found.push(summary);
      options.onSummary?.(summary);
    };
    const unknown: { path: string; stat: FileStat }[] = [];
    for (const path of paths) {
      if (options.signal?.aborted === true) break;
      const stat = await this.#stat(path);
      if (stat?.kind !== "file") continue;
      const before = known.get(path);
      if (before?.identity === stat.identity && before.mtimeMs === stat.mtimeMs && before.summary.size === stat.size) {
        take(before.summary);
      } else unknown.push({ path, stat });
    }
    // Mostly newest first. One after the other: the processor's cache holds what one scan needs, and a disk serves one as quickly as four.
    for (const { path, stat } of unknown.reverse()) {
      if (options.signal?.aborted === true) break;
      take(await this.#scan(path, stat, known));
    }
    await this.#save();
    return found;
  }

  async #stat(path: string): Promise<FileStat | undefined> {
    try {
      return await this.#fs.stat(path);
    } catch {
      return undefined;
    }
  }

  async #scan(path: string, stat: FileStat, known: Map<string, Known>): Promise<SessionSummary> {
    try {
      const summary = await summarizeSession(this.#fs, path);
      known.set(path, { identity: stat.identity, mtimeMs: stat.mtimeMs, summary });
      this.#changed = true;
      return summary;
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error);
      return {
        path,
        id: baseName(path),
        cwd: "",
        created: new Date(stat.mtimeMs).toISOString(),
        activeMs: stat.mtimeMs,
        messages: 0,
        size: stat.size,
        version: 0,
        problem,
      };
    }
  }

  async #load(): Promise<Map<string, Known>> {
    if (this.#known !== undefined) return this.#known;
    this.#known = new Map();
    if (this.#path === undefined) return this.#known;
    try {
      let isOurs = false;
      for (const line of textLines(await this.#fs.readFile(this.#path))) {
        isOurs ||= line === FIRST_LINE;
        if (!isOurs) break;
        const known = JSON.parse(line) as Partial<Known>;
        if (typeof known.summary?.path === "string") this.#known.set(known.summary.path, known as Known);
      }
    } catch {
      // Missing or damaged: it is rebuilt from the files, which alone are the truth.
    }
    return this.#known;
  }

  async #save(): Promise<void> {
    if (!this.#changed || this.#path === undefined || this.#known === undefined) return;
    this.#changed = false;
    try {
      const text = new TextEncoder();
      const lines = [text.encode(`${FIRST_LINE}\n`)];
      for (const known of this.#known.values()) lines.push(text.encode(`${JSON.stringify(known)}\n`));
      await this.#fs.makeDirectory(folderOf(this.#path));
      await this.#fs.writeFileAtomic(this.#path, joinBytes(lines), 0o600);
    } catch {
      // A list that cannot be remembered is still a list.
    }
  }
}
