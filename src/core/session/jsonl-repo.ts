// The sessions under one root: creating, opening, listing, finding, forking, importing, adopting, deleting (seed 1 §12).
import { SessionError } from "../errors.ts";
import { giveWay, isTurnOver } from "../give-way.ts";
import { CURRENT_SESSION_VERSION, type SessionHeader } from "./entries.ts";
import { encodeLine } from "./jsonl-codec.ts";
import { findHeader } from "./jsonl-header.ts";
import { readSlices } from "./jsonl-reader.ts";
import { type JsonlOptions, JsonlStorage } from "./jsonl-storage.ts";
import { publishFile } from "./publish-file.ts";
import type { Session } from "./session.ts";
import { SessionCatalogue } from "./session-catalogue.ts";
import type { ForkPoint } from "./session-fork.ts";
import { baseName, encodeCwd, folderOf, joinPath, sameCwd, sessionFileName } from "./session-paths.ts";
import { ADOPTED_CUSTOM_TYPE, type RepositoryIdentity, type SessionSummary } from "./session-summary.ts";
import { newHeader, openSession, type SessionOptions } from "./stored-session.ts";

export interface JsonlRepoOptions extends JsonlOptions, SessionOptions {
  /** Folder that holds one folder per working directory. */
  root: string;
  /** Moves a file to the trash of the machine. */
  trash: (path: string) => Promise<void>;
  /** File that remembers the list between starts; outside of `root`, which may be Pi's. */
  cataloguePath?: string;
}

export interface ListOptions {
  /** Sessions of this working directory only. */
  cwd?: string;
  onSummary?: (summary: SessionSummary) => void;
  signal?: AbortSignal;
}

const NEWLINE = new Uint8Array([0x0a]);

export class JsonlSessionRepo {
  readonly #options: JsonlRepoOptions;
  readonly #catalogue: SessionCatalogue;

  constructor(options: JsonlRepoOptions) {
    this.#options = options;
    this.#catalogue = new SessionCatalogue(options.fs, options.cataloguePath);
  }

  folderFor(cwd: string): string {
    return joinPath(this.#options.root, encodeCwd(cwd));
  }

  /** A new session; its file appears with the first user message. */
  create(options: { cwd: string; parentSession?: string; metadata?: Record<string, unknown> }): Session {
    return this.#create(newHeader({ ...this.#options, ...options }));
  }
  #create(header: SessionHeader): Session {
    const path = joinPath(this.folderFor(header.cwd), sessionFileName(header));
    return openSession(JsonlStorage.create(path, header, this.#options), this.#options);
  }

  /** Throws `not_found` and `not_a_session`; a file that is not a session is not touched. */
  async open(path: string): Promise<Session> {
    return openSession(await JsonlStorage.open(path, this.#options), this.#options);
  }

  /** Newest activity first. A file that cannot be read is listed with its problem (only where no `cwd` filters). */
  async list(options: ListOptions = {}): Promise<SessionSummary[]> {
    const { cwd, onSummary, signal } = options;
    const belongs = (item: SessionSummary) =>
      cwd === undefined || item.problem !== undefined || sameCwd(item.adoptedCwd ?? item.cwd, cwd);
    const summaries = await this.#catalogue.summaries(await this.#files(cwd), {
      ...(onSummary === undefined ? {} : { onSummary: (item) => belongs(item) && onSummary(item) }),
      ...(signal === undefined ? {} : { signal }),
    });
    return summaries.filter(belongs).sort(newestFirst);
  }

  /** The path of the session with this id, or whose id begins with it where that is one only. Reads headers only. */
  async findById(id: string, cwd?: string): Promise<string | undefined> {
    const partial: string[] = [];
    for (const path of await this.#files(cwd)) {
      if (isTurnOver()) await giveWay();
      const header = await this.#header(path).catch(() => undefined);
      if (header === undefined || (cwd !== undefined && !sameCwd(header.cwd, cwd))) continue;
      if (header.id === id) return path;
      if (header.id.startsWith(id)) partial.push(path);
    }
    return partial.length === 1 ? partial[0] : undefined;
  }

  /** Moves the file to the trash; one that is gone already is fine. */
  async delete(path: string): Promise<void> {
    if ((await this.#options.fs.stat(path)) !== undefined) await this.#options.trash(path);
  }

  /**
   * A new session that begins as a copy, in a file of its own that appears whole; ids stay, `parentSession` names the
   * source. Before the first message there is nothing to copy: the fork is then a new session. Throws `invalid_argument`
   * for a session that was never saved.
   */
  async fork(source: Session, point: ForkPoint = { kind: "whole" }, cwd = source.cwd): Promise<Session> {
    const { fs } = this.#options;
    const { file } = source;
    if (file === undefined || (await fs.stat(file)) === undefined) {
      throw new SessionError(
        "invalid_argument",
        "This session has not been saved yet, so there is nothing to fork from.",
      );
    }
    const { metadata } = source.header;
    const header = newHeader({
      ...this.#options,
      cwd,
      parentSession: file,
      ...(metadata === undefined ? {} : { metadata }),
    });
    if (point.kind !== "whole") {
      const { forkLines } = await import("./session-fork.ts");
      const lines = await forkLines(source, point, this.#options.ids);
      if (lines.length === 0) return this.#create(header);
      const text = new TextEncoder();
      return this.#publish(header, async (append) => {
        for (const line of lines) await append(text.encode(`${line}\n`));
      });
    }
    await source.refresh();
    return this.#publish(header, (append) => this.#copyEntries(file, source.header, append));
  }

  /** Copies a file from elsewhere into the folder of `cwd`, as a session of its own that is marked as imported. */
  async importFile(path: string, cwd: string): Promise<Session> {
    const found = await this.#header(path);
    const fresh = newHeader({ ...this.#options, cwd });
    const header: SessionHeader = {
      ...found,
      id: fresh.id,
      cwd,
      metadata: { ...(found.metadata ?? {}), imported: { id: found.id, cwd: found.cwd, at: fresh.timestamp } },
    };
    if (!(found.version <= CURRENT_SESSION_VERSION)) {
      throw new SessionError("read_only", `${path} was written in a newer format and cannot be imported.`);
    }
    return this.#publish(header, (append) => this.#copyEntries(path, found, append));
  }

  /** Sessions of other folders that belong to the same repository as `cwd` and whose own folder is gone. */
  async findMoved(cwd: string, identity: RepositoryIdentity): Promise<SessionSummary[]> {
    const moved: SessionSummary[] = [];
    for (const item of await this.list()) {
      const { repository } = item;
      if (item.problem !== undefined || repository === undefined) continue;
      const home = item.adoptedCwd ?? item.cwd;
      const same =
        identity.rootCommit !== undefined && repository.rootCommit !== undefined
          ? identity.rootCommit === repository.rootCommit
          : identity.remote !== undefined && identity.remote === repository.remote;
      if (same && !sameCwd(home, cwd) && (await this.#options.fs.stat(home)) === undefined) moved.push(item);
    }
    return moved;
  }

  /** Makes a session of a moved folder one of `cwd`: its header stays, an entry says where it belongs. Returns its path. */
  async adopt(path: string, cwd: string): Promise<string> {
    const session = await this.open(path);
    try {
      await session.appendCustomEntry(ADOPTED_CUSTOM_TYPE, { cwd });
    } finally {
      await session.close();
    }
    const folder = this.folderFor(cwd);
    const target = joinPath(folder, baseName(path));
    if (target === path) return path;
    await this.#options.fs.makeDirectory(folder);
    if ((await this.#options.fs.stat(target)) !== undefined) return path;
    await this.#options.fs.rename(path, target);
    await this.#options.fs.syncDirectory(folder);
    await this.#options.fs.syncDirectory(folderOf(path));
    return target;
  }

  async #publish(
    header: SessionHeader,
    write: (append: (bytes: Uint8Array) => Promise<void>) => Promise<void>,
  ): Promise<Session> {
    const { fs } = this.#options;
    const folder = this.folderFor(header.cwd);
    const path = joinPath(folder, sessionFileName(header));
    await fs.makeDirectory(folder);
    if ((await fs.stat(path)) !== undefined) {
      throw new SessionError("storage", `${path} exists already and is not overwritten.`);
    }
    await publishFile(fs, path, async (append) => {
      await append(encodeLine(header));
      await write(append);
    });
    return this.open(path);
  }

  /** Everything behind the header line, byte for byte. */
  async #copyEntries(path: string, header: SessionHeader, append: (bytes: Uint8Array) => Promise<void>): Promise<void> {
    const file = await this.#options.fs.open(path, "read");
    try {
      const { size } = await file.stat();
      const start = await headerEnd(file, size, header.id);
      let last = 0x0a;
      await readSlices(file, start, size, async (bytes) => {
        last = bytes.at(-1)!;
        await append(bytes);
      });
      if (last !== 0x0a) await append(NEWLINE);
    } finally {
      await file.close();
    }
  }

  async #header(path: string): Promise<SessionHeader> {
    const stat = await this.#options.fs.stat(path);
    if (stat?.kind !== "file") throw new SessionError("not_found", `There is no session file ${path}.`);
    const file = await this.#options.fs.open(path, "read");
    try {
      const { header, recovered } = await findHeader(file, (await file.stat()).size, path);
      if (recovered) throw new SessionError("not_a_session", `${path} has no readable header.`);
      return header;
    } finally {
      await file.close();
    }
  }

  async #files(cwd: string | undefined): Promise<string[]> {
    const { fs, root } = this.#options;
    const folders: string[] = [];
    const wanted = cwd === undefined ? undefined : encodeCwd(cwd.length > 1 ? cwd.replace(/[/\\]+$/, "") : cwd);
    for (const item of await fs.list(root)) {
      // The case of a drive letter is no difference: `--c--x--` and `--C--x--` are one place.
      const matches = wanted === undefined || item.name.slice(3) === wanted.slice(3);
      if (item.kind === "directory" && matches) folders.push(joinPath(root, item.name));
    }
    const files: string[] = [];
    for (const folder of folders) {
      for (const item of await fs.list(folder)) {
        if (item.kind === "file" && item.name.endsWith(".jsonl")) files.push(joinPath(folder, item.name));
      }
    }
    return files;
  }
}

function newestFirst(a: SessionSummary, b: SessionSummary): number {
  if (a.activeMs !== b.activeMs) return b.activeMs - a.activeMs;
  if (a.created !== b.created) return a.created < b.created ? 1 : -1;
  return a.path < b.path ? 1 : -1;
}

/** Offset behind the line of the header. */
async function headerEnd(
  file: { read(position: number, length: number): Promise<Uint8Array> },
  size: number,
  id: string,
): Promise<number> {
  const text = new TextDecoder();
  for (let length = 4096; ; length *= 8) {
    const bytes = await file.read(0, Math.min(length, size));
    for (let from = 0; from < bytes.length; ) {
      const newline = bytes.indexOf(0x0a, from);
      const end = newline < 0 ? bytes.length : newline;
      const line = text.decode(bytes.subarray(from, end));
      if (line.includes('"session"') && line.includes(JSON.stringify(id))) return newline < 0 ? size : newline + 1;
      if (newline < 0) break;
      from = newline + 1;
    }
    if (bytes.length >= size) throw new SessionError("not_a_session", "The header of the session is not in its file.");
  }
}
