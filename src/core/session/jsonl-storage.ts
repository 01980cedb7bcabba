// A session in one file: tail first, index behind it, one queue of appends, disk first and memory second (product.md).
import { SessionError } from "../errors.ts";
import type { Clock, FileSystem, Ids } from "../ports.ts";
import { CURRENT_SESSION_VERSION, type SessionEntry, type SessionHeader } from "./entries.ts";
import { decodeLine, encodeLine, encodeLines, lineText } from "./jsonl-codec.ts";
import { JsonlFile } from "./jsonl-file.ts";
import { findHeader } from "./jsonl-header.ts";
import { readPlaces, readSlices } from "./jsonl-reader.ts";
import { JsonlScan } from "./jsonl-scan.ts";
import { JsonlTail } from "./jsonl-tail.ts";
import { joinBytes, type Place, placesOf } from "./line-bytes.ts";
import { type OutgoingLine, OutgoingLines } from "./outgoing-lines.ts";
import type { BadLine } from "./session.ts";
import { type LockOptions, withLock } from "./session-lock.ts";
import { folderOf } from "./session-paths.ts";
import type { ComposedEntry, SessionStorage } from "./session-storage.ts";
import type { SessionTree } from "./session-tree.ts";

export interface JsonlOptions {
  fs: FileSystem;
  clock: Clock;
  ids: Ids;
  /** Parse every line while indexing, for a complete report of damage. */
  verify?: boolean;
  /** Given where the file system has no atomic append. */
  lock?: LockOptions;
  /** Header for a file that exists and is empty. */
  emptyHeader?: SessionHeader;
}

const ATTEMPTS = 4;
const NEWLINE = Uint8Array.of(0x0a);

type ExternalListener = Parameters<SessionStorage["onExternal"]>[0];
type ExternalKind = Parameters<ExternalListener>[0]["kind"];

export class JsonlStorage implements SessionStorage {
  readonly file: string;
  readonly #options: JsonlOptions;
  #header: SessionHeader;
  #readOnlyReason: string | undefined;
  #scan = new JsonlScan();
  #disk: JsonlFile | undefined;
  #tail: JsonlTail | undefined;
  #tailPosition: string | null | undefined;
  #ready: Promise<void> | undefined;
  #indexed = false;
  /** Entries that are not in the file (yet): before the first user message, or brought from an older version. */
  #memory = new Map<number, SessionEntry>();
  #migratedFrom: number | undefined;
  #headerLost = false;
  /** Lines of an append that goes on or failed. */
  #outgoing = new OutgoingLines();
  /** Lines of ours were found among those of others: the file has another order than the tree. */
  #outOfOrder = false;
  /** The position is an entry behind a torn one, found because it is the last: what follows may show it in another way. */
  #endsGlued = false;
  /** Another file stands at the path, and nobody was told yet. */
  #isUntold = false;
  #creationTried = false;
  #listeners: ExternalListener[] = [];
  #queue: Promise<unknown> = Promise.resolve();

  private constructor(file: string, header: SessionHeader, options: JsonlOptions) {
    this.file = file;
    this.#header = header;
    this.#options = options;
  }

  /** A session whose file appears with its first user message. */
  static create(file: string, header: SessionHeader, options: JsonlOptions): JsonlStorage {
    const storage = new JsonlStorage(file, header, options);
    storage.#ready = Promise.resolve();
    storage.#indexed = true;
    return storage;
  }

  /** Throws `not_found`, `not_a_session`; what the system throws otherwise. */
  static async open(file: string, options: JsonlOptions): Promise<JsonlStorage> {
    const disk = await JsonlFile.open(options.fs, file);
    try {
      if (disk.size === 0 && options.emptyHeader !== undefined) {
        await disk.close();
        return JsonlStorage.create(file, options.emptyHeader, options);
      }
      const storage = new JsonlStorage(file, options.emptyHeader as SessionHeader, options);
      await storage.#load(disk);
      return storage;
    } catch (error) {
      await disk.close();
      throw error;
    }
  }

  get header(): SessionHeader {
    return this.#header;
  }
  get readOnlyReason(): string | undefined {
    return this.#readOnlyReason;
  }
  get tree(): SessionTree {
    return this.#scan.tree;
  }
  badLines(): readonly BadLine[] {
    return this.#scan.badLines();
  }
  position(): string | null {
    return this.#indexed || this.#tailPosition === undefined ? this.tree.position() : this.#tailPosition;
  }
  async tail(): Promise<SessionEntry[] | undefined> {
    return this.#indexed ? undefined : this.#tail?.entries();
  }
  ready(): Promise<void> {
    this.#ready ??= this.#index().catch((error) => {
      // A disk that fails once may be read the next time.
      this.#ready = undefined;
      throw error;
    });
    return this.#ready;
  }
  onExternal(listener: ExternalListener): void {
    this.#listeners.push(listener);
  }

  async read(rows: ArrayLike<number>): Promise<(SessionEntry | undefined)[]> {
    const scan = this.#scan;
    const { tree } = scan;
    const found: (SessionEntry | undefined)[] = [];
    const places: (Place & { row: number; index: number })[] = [];
    for (let index = 0; index < rows.length; index++) {
      const row = rows[index]!;
      const entry = this.#memory.size > 0 ? this.#memory.get(row) : undefined;
      found.push(entry);
      if (entry === undefined) places.push({ offset: tree.offsetOf(row), length: tree.lengthOf(row), row, index });
    }
    if (places.length === 0 || this.#disk === undefined) return found;
    const damaged: { row: number; offset: number; reason: string }[] = [];
    await readPlaces(this.#disk.reader, places, (i, line, isPlain) => {
      const { row, index, offset } = places[i]!;
      const decoded = line === undefined ? undefined : decodeLine(line, isPlain);
      if (decoded?.kind === "entry" && tree.hasId(row, decoded.entry.id)) found[index] = decoded.entry;
      else {
        const reason = decoded?.kind === "bad" ? decoded.reason : `no entry ${tree.idOf(row)}`;
        damaged.push({ row, offset, reason });
      }
    });
    // A file that was replaced meanwhile has given the rows new meanings.
    if (scan !== this.#scan) return found;
    for (const { row, offset, reason } of damaged) {
      const known = tree.isDamaged(row);
      tree.markDamaged(row);
      if (!known) scan.damaged(await this.#lineAt(offset), reason);
    }
    return found;
  }

  async rawLine(row: number): Promise<string | undefined> {
    const entry = this.#memory.get(row);
    if (entry !== undefined) return lineText(encodeLine(entry)).text.trimEnd();
    const bytes = await this.#disk?.reader.read(this.tree.offsetOf(row), this.tree.lengthOf(row));
    return bytes && lineText(bytes).text;
  }

  append(compose: () => ComposedEntry[]): Promise<void> {
    return this.#serial(async () => {
      await this.ready();
      const { lock, fs, clock } = this.#options;
      const write = () => (this.#disk === undefined ? this.#appendBeforeFile(compose) : this.#appendToFile(compose));
      try {
        if (lock === undefined) return await write();
        await fs.makeDirectory(folderOf(this.file));
        return await withLock(fs, clock, this.file, lock, write);
      } catch (error) {
        if (error instanceof SessionError) throw error;
        throw new SessionError("storage", `${this.file} could not be written.`, error);
      }
    });
  }

  refresh(): Promise<void> {
    return this.#serial(async () => {
      await this.ready();
      if (this.#disk !== undefined) await this.#catchUp("look");
    });
  }

  async close(): Promise<void> {
    await this.#queue;
    await this.#ready?.catch(() => {});
    await this.#disk?.close();
    this.#disk = undefined;
  }

  #serial<T>(work: () => Promise<T>): Promise<T> {
    const result = this.#queue.then(work);
    this.#queue = result.catch(() => {});
    return result;
  }

  async #load(disk: JsonlFile): Promise<void> {
    const { header, recovered } = await findHeader(disk.reader, disk.size, disk.path);
    const before = this.#disk;
    this.#disk = disk;
    this.#isUntold = before !== undefined;
    await before?.close();
    this.#outgoing.forgetPlaces();
    this.#outOfOrder = false;
    this.#scan = new JsonlScan();
    this.#memory.clear();
    this.#migratedFrom = undefined;
    this.#readOnlyReason = undefined;
    this.#indexed = false;
    this.#ready = undefined;
    this.#header = header;
    this.#headerLost = recovered;
    if (recovered) this.#readOnlyReason = `${disk.path} has no readable header; it is shown and left as it is.`;
    else if (!(header.version <= CURRENT_SESSION_VERSION)) {
      this.#readOnlyReason = `${disk.path} was written in a newer format (${header.version}); it is left as it is.`;
    } else if (header.version < CURRENT_SESSION_VERSION) {
      await this.#migrate(disk, header);
      return;
    }
    this.#tail = new JsonlTail(disk.reader, disk.size);
    this.#tailPosition = await this.#tail.position();
    if (this.#tailPosition === undefined) await this.ready();
  }

  async #migrate(disk: JsonlFile, header: SessionHeader): Promise<void> {
    const bytes = await disk.reader.read(0, disk.size);
    const { migrateSession } = await import("./migrate.ts");
    const migrated = migrateSession(bytes, header, (taken) => this.#options.ids.entryId(taken));
    this.#header = migrated.header;
    const scan = new JsonlScan(undefined, { bad: migrated.bad });
    for (const entry of migrated.entries) this.#memory.set(scan.tree.addEntry(entry, 0, 0), entry);
    scan.settleCircles();
    this.#scan = scan;
    this.#migratedFrom = header.version;
    this.#ready = Promise.resolve();
    this.#indexed = true;
  }

  async #index(): Promise<void> {
    this.#scan = await this.#readWhole();
    this.#indexed = true;
    this.#tail = undefined;
  }

  /** The lines came in another order than the file has them: it is read anew, for labels, duplicate ids and siblings. */
  async #putInOrder(): Promise<void> {
    this.#scan = await this.#readWhole();
    this.#tell([], "reordered");
  }

  /** Reads the file from its beginning; once more where lines turn out to be two, which only what follows them shows. */
  async #readWhole(): Promise<JsonlScan> {
    const disk = this.#disk!;
    const bad = this.#headerLost ? [{ line: 1, reason: "no session header before the first entry" }] : [];
    const glued = new Set<number>();
    this.#endsGlued = false;
    for (;;) {
      const scan = new JsonlScan(undefined, { verify: this.#options.verify, size: disk.size, bad, glued });
      await scan.read(disk.reader, disk.size, this.#holdBack(), false);
      const more = await scan.gluedLines(disk.reader);
      if (more.offsets.length === 0) return scan;
      for (const offset of more.offsets) glued.add(offset);
      this.#endsGlued ||= more.atEnd;
    }
  }

  /** While lines of an append are not acknowledged they are known again in what is read, and join nothing. */
  #holdBack() {
    if (this.#outgoing.isEmpty) return undefined;
    return (bytes: Uint8Array, offset: number): boolean => {
      const isOurs = this.#outgoing.recognise(bytes, offset);
      this.#outOfOrder ||= isOurs;
      return isOurs;
    };
  }

  /** Reads what others wrote, starts over with a replaced file; brings a deleted one back only where it is to be written. */
  async #catchUp(why: "look" | "write"): Promise<void> {
    this.#tellReplaced();
    const disk = this.#disk!;
    const state = await disk.look();
    if (state.kind === "deleted") {
      if (why === "write") await disk.restore();
    } else if (state.kind === "replaced") await this.#reload(why);
    else if (state.kind === "grown") {
      const scan = this.#scan;
      // An old format is known as a whole only.
      if (this.#migratedFrom !== undefined || !(await scan.canGrow(disk.reader, disk.size))) {
        await this.#reload(why);
        return;
      }
      const added = await scan.read(disk.reader, state.to, this.#holdBack(), true);
      await disk.seen(state.to);
      if ((await scan.gluedLines(disk.reader)).offsets.length > 0) {
        await this.#reload(why);
        return;
      }
      if (added.length > 0) this.#tell(added, "grown");
    }
  }

  /** Throws what opening throws; what was known before is then known still. */
  async #reload(why: "look" | "write"): Promise<void> {
    const fresh = await JsonlFile.open(this.#options.fs, this.file);
    try {
      await this.#load(fresh);
    } catch (error) {
      if (this.#disk !== fresh) await fresh.close();
      throw error;
    }
    await this.ready();
    this.#tellReplaced();
    if (why === "write" && this.#readOnlyReason !== undefined) {
      throw new SessionError("read_only", this.#readOnlyReason);
    }
  }
  #tellReplaced(): void {
    if (!this.#isUntold) return;
    this.#isUntold = false;
    this.#tell([], "replaced");
  }
  #tell(appended: string[], kind: ExternalKind): void {
    for (const listener of this.#listeners) listener({ appended, kind });
  }

  async #appendBeforeFile(compose: () => ComposedEntry[]): Promise<void> {
    const composed = compose();
    const entries = composed.map(({ entry }) => entry);
    const lines = encodeLines(composed);
    if (!entries.some((entry) => entry.type === "message" && entry.message.role === "user")) {
      for (const entry of entries) this.#memory.set(this.tree.addEntry(entry, 0, 0), entry);
      return;
    }
    const { fs } = this.#options;
    const there = await fs.stat(this.file);
    if (there !== undefined && there.size > 0 && !this.#creationTried) {
      throw new SessionError("storage", `${this.file} exists already and is not overwritten.`);
    }
    const waiting = [...this.#memory].sort(([a], [b]) => a - b);
    const all = [encodeLine(this.#header), ...waiting.map(([, entry]) => encodeLine(entry)), ...lines];
    await fs.makeDirectory(folderOf(this.file));
    this.#creationTried = true;
    await fs.writeFileAtomic(this.file, joinBytes(all), 0o600);
    this.#disk = await JsonlFile.open(fs, this.file);
    const rows = [...waiting.map(([row]) => row), ...entries.map((entry) => this.tree.addEntry(entry, 0, 0))];
    this.#placed(rows, all);
  }

  /** What was in memory has its lines now, the header before them and nothing between. */
  #placed(rows: readonly number[], all: readonly Uint8Array[]): void {
    const { tree } = this;
    const places = placesOf(all, 0);
    rows.forEach((row, i) => {
      tree.setPlace(row, places[i + 1]!.offset, places[i + 1]!.length);
    });
    this.#memory.clear();
    const bytes = all.reduce((sum, line) => sum + line.length, 0);
    const known = { bytes, lines: all.length };
    this.#scan = new JsonlScan(tree, { verify: this.#options.verify, known, bad: this.#scan.badLines() });
  }

  async #appendToFile(compose: () => ComposedEntry[]): Promise<void> {
    if (this.#migratedFrom !== undefined) await this.#writeMigrated();
    await this.#catchUp("write");
    const outgoing = this.#outgoing;
    await this.#joinLeft(outgoing.take(compose()));
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      if (attempt > 0) {
        const { header } = this;
        await this.#catchUp("write");
        // Another file stands there now: what the entries follow may not be in it.
        if (this.header !== header && !outgoing.fits(this.tree)) outgoing.take(compose());
      }
      const { missing } = outgoing;
      if (attempt > 0 && missing.length === 0) break;
      const disk = this.#disk!;
      const lead = missing.length === 0 || disk.endsWithNewline ? 0 : 1;
      const lines = missing.map((line) => line.bytes);
      const bytes = joinBytes(lead === 0 ? lines : [NEWLINE, ...lines]);
      const start = disk.size;
      const clean = await disk.append(bytes, () => outgoing.distrust());
      if (!clean) {
        outgoing.trust();
        continue;
      }
      outgoing.written(missing, start + lead);
      break;
    }
    if (outgoing.missing.length > 0) await this.#catchUp("write");
    if (outgoing.missing.length > 0) {
      throw new SessionError("storage", `${this.file} could not be written: other writers left no whole line.`);
    }
    await this.#join(outgoing.acknowledge());
  }

  /** Lines of a failed append that turned out to be in the file join the tree as if another process had written them. */
  async #joinLeft(left: readonly OutgoingLine[]): Promise<void> {
    if (left.length === 0) return;
    await this.#join(left);
    this.#tell(
      left.map((line) => line.entry.id),
      "grown",
    );
  }

  /** Lines of ours that are in the file join the tree. They are saved: nothing that fails here may say otherwise. */
  async #join(lines: readonly OutgoingLine[]): Promise<void> {
    if (this.#outOfOrder || this.#endsGlued || this.#scan.endMayBeTwo) {
      this.#outOfOrder = false;
      try {
        return await this.#putInOrder();
      } catch {
        this.#outOfOrder = true;
      }
    }
    for (const { entry, place } of lines) this.#scan.own(entry, place!);
  }

  /** Writes a file of version 1 or 2 anew as version 3, the original kept beside it. */
  async #writeMigrated(): Promise<void> {
    const { fs } = this.#options;
    const disk = this.#disk!;
    if ((await disk.look()).kind !== "same") await this.#reload("write");
    if (this.#migratedFrom === undefined) return;
    const backup = `${this.file}.v${this.#migratedFrom}.bak`;
    if ((await fs.stat(backup)) === undefined) {
      await fs.writeFileAtomic(backup, await disk.reader.read(0, disk.size), 0o600);
    }
    const kept = [...this.#memory].sort(([a], [b]) => a - b);
    const all = [encodeLine(this.#header), ...kept.map(([, entry]) => encodeLine(entry))];
    await fs.writeFileAtomic(this.file, joinBytes(all), 0o600);
    const fresh = await JsonlFile.open(fs, this.file);
    await disk.close();
    this.#disk = fresh;
    this.#placed(
      kept.map(([row]) => row),
      all,
    );
    this.#migratedFrom = undefined;
  }

  async #lineAt(offset: number): Promise<number> {
    let line = 1;
    await readSlices(this.#disk!.reader, 0, offset, (bytes) => {
      for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, at + 1)) line++;
    });
    return line;
  }
}
