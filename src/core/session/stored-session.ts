// The one implementation of Session: position, ids and parents over whatever storage keeps the entries.
import { SessionError } from "../errors.ts";
import type { BashExecutionMessage, CustomMessage, Message } from "../llm/messages.ts";
import type { Clock, Ids } from "../ports.ts";
import { buildContext, type ContextOptions } from "./context.ts";
import { ContextCache } from "./context-cache.ts";
import {
  CURRENT_SESSION_VERSION,
  type LateEntry,
  type NewEntry,
  POSITION_CUSTOM_TYPE,
  type SessionEntry,
  type SessionEntryType,
  type SessionHeader,
} from "./entries.ts";
import { MemoryStorage } from "./memory-storage.ts";
import { type Composed, composeEntry, type Frozen, freeze } from "./new-line.ts";
import { PathIds } from "./path-ids.ts";
import { ROW_TYPES, typeCode } from "./row-facts.ts";
import type { BadLine, Session, SessionChange, SessionContext, SessionNode } from "./session.ts";
import { cleanName } from "./session-name.ts";
import type { SessionStorage } from "./session-storage.ts";

export interface SessionOptions extends ContextOptions {
  clock: Clock;
  ids: Ids;
}

const MESSAGE_ROLES = new Set(["user", "assistant", "toolResult", "bashExecution", "custom"]);

/** A session over any storage. */
export function openSession(storage: SessionStorage, options: SessionOptions): Session {
  return new StoredSession(storage, options);
}

/** A session without a file (tests, a disk that cannot be written). */
export function createMemorySession(
  options: SessionOptions & { cwd: string; parentSession?: string; metadata?: Record<string, unknown> },
): Session {
  return openSession(new MemoryStorage(newHeader(options)), options);
}

/** A version 3 header with a fresh id. */
export function newHeader(
  options: SessionOptions & { cwd: string; parentSession?: string; metadata?: Record<string, unknown> },
): SessionHeader {
  return {
    type: "session",
    version: CURRENT_SESSION_VERSION,
    id: options.ids.sessionId(),
    timestamp: new Date(options.clock.now()).toISOString(),
    cwd: options.cwd,
    ...(options.parentSession === undefined ? {} : { parentSession: options.parentSession }),
    ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
  };
}

/** Stands for an entry whose line cannot be read: a compaction may keep what begins with it. */
function gap(id: string, parentId: string | null): SessionEntry {
  return { type: "unknown", originalType: "unreadable", id, parentId, timestamp: "" };
}

class StoredSession implements Session {
  readonly #storage: SessionStorage;
  readonly #options: SessionOptions;
  readonly #contexts: ContextCache;
  readonly #paths = new PathIds();
  readonly #listeners = new Set<(change: SessionChange) => void>();
  #leafId: string | null;
  /** The index is complete and the position was looked up in it. */
  #settled = false;
  #closed = false;
  #queue: Promise<unknown> = Promise.resolve();
  /** What the last failed append would have written: the same entries given again keep their ids. */
  #failed: Composed[] = [];

  constructor(storage: SessionStorage, options: SessionOptions) {
    this.#storage = storage;
    this.#options = options;
    this.#contexts = new ContextCache(storage, options);
    this.#leafId = storage.position();
    storage.onExternal(({ appended, kind }) => {
      if (kind !== "grown") this.#contexts.clear();
      if (kind === "reordered") return;
      if (this.#leafId !== null && storage.tree.rowOf(this.#leafId) < 0) this.#leafId = storage.position();
      this.#emit({ appended, leafId: this.#leafId, external: true });
    });
  }

  get id(): string {
    return this.#storage.header.id;
  }
  get cwd(): string {
    return this.#storage.header.cwd;
  }
  get header(): SessionHeader {
    return this.#storage.header;
  }
  get file(): string | undefined {
    return this.#storage.file;
  }
  get readOnlyReason(): string | undefined {
    return this.#storage.readOnlyReason;
  }

  async ready(): Promise<void> {
    await this.#storage.ready();
    if (this.#settled) return;
    this.#settled = true;
    // The end of the file alone may have named an entry that the whole of it does not bear out (two ids in one line).
    if (this.#leafId === null || this.#storage.tree.rowOf(this.#leafId) >= 0) return;
    this.#leafId = this.#storage.position();
    this.#emit({ appended: [], leafId: this.#leafId, external: true });
  }
  badLines(): readonly BadLine[] {
    return this.#storage.badLines();
  }
  size(): number {
    return this.#storage.tree.count;
  }
  shape(): number {
    return this.#storage.tree.shape;
  }
  getLeafId(): string | null {
    return this.#leafId;
  }

  node(id: string): SessionNode | undefined {
    const { tree } = this.#storage;
    const row = tree.rowOf(id);
    if (row < 0) return undefined;
    const parent = tree.parentOf(row);
    const role = tree.roleOf(row);
    return {
      id,
      parentId: parent < 0 ? null : tree.idOf(parent),
      type: tree.typeOf(row),
      ...(role === "" ? {} : { role }),
      ...(tree.isMarker(row) ? { marker: true } : {}),
    };
  }
  nearestOfType(type: SessionEntryType, id: string | null): string | undefined {
    const { tree } = this.#storage;
    const wanted = new Uint8Array(ROW_TYPES.length);
    wanted[typeCode(type)] = 1;
    const row = tree.nearest(id === null ? -1 : tree.rowOf(id), wanted);
    return row < 0 ? undefined : tree.idOf(row);
  }
  childrenOf(id: string | null): readonly string[] {
    const { tree } = this.#storage;
    const row = id === null ? -1 : tree.rowOf(id);
    if (id !== null && row < 0) return [];
    return tree.childRows(row).map((child) => tree.idOf(child));
  }
  pathTo(id: string | null): readonly string[] {
    const { tree } = this.#storage;
    return this.#paths.idsTo(tree, id === null ? -1 : tree.rowOf(id));
  }
  *allIds(): Iterable<string> {
    const { tree } = this.#storage;
    for (let row = 0; row < tree.count; row++) yield tree.idOf(row);
  }
  getLabel(id: string): string | undefined {
    return this.#storage.tree.labelOf(id);
  }
  labels(): ReadonlyMap<string, string> {
    return this.#storage.tree.labels();
  }
  getName(): string | undefined {
    return this.#storage.tree.name;
  }

  async getEntry(id: string): Promise<SessionEntry | undefined> {
    return (await this.getEntries([id]))[0];
  }
  async getEntries(ids: readonly string[]): Promise<SessionEntry[]> {
    await this.ready();
    const rows = ids.map((id) => this.#storage.tree.rowOf(id)).filter((row) => row >= 0);
    return (await this.#storage.read(rows)).filter((entry) => entry !== undefined);
  }
  async getRawLine(id: string): Promise<string | undefined> {
    await this.ready();
    const row = this.#storage.tree.rowOf(id);
    return row < 0 ? undefined : this.#storage.rawLine(row);
  }
  async getBranch(leafId?: string | null): Promise<SessionEntry[]> {
    await this.ready();
    const { tree } = this.#storage;
    const at = leafId === undefined ? this.#leafId : leafId;
    const row = at === null ? -1 : this.#rowOf(at);
    const rows = tree.pathRows(row);
    const ids = Array.from(rows, (one) => tree.idOf(one));
    return (await this.#storage.read(rows)).map((entry, i) => entry ?? gap(ids[i]!, ids[i - 1] ?? null));
  }
  async buildContext(leafId?: string | null): Promise<SessionContext> {
    await this.ready();
    return this.#contexts.build(leafId === undefined ? this.#leafId : leafId);
  }
  async buildTailContext(): Promise<SessionContext> {
    const tail = await this.#storage.tail();
    return tail === undefined ? this.buildContext() : buildContext(tail, this.#options);
  }

  appendEntries(entries: readonly (NewEntry | LateEntry)[], behind?: string | null): Promise<string[]> {
    const frozen = entries.map(freeze);
    return this.#enqueue(async () => {
      if (entries.length === 0) return [];
      const written = await this.#write(() => this.#compose(frozen, behind));
      return written.map((entry) => entry.id);
    });
  }
  async #appendOne(entry: NewEntry): Promise<string> {
    return (await this.appendEntries([entry]))[0]!;
  }
  async appendMessage(message: Message | CustomMessage | BashExecutionMessage): Promise<string> {
    if (!MESSAGE_ROLES.has(message.role)) {
      throw new SessionError("invalid_entry", `A message of role ${message.role} has an entry type of its own.`);
    }
    return this.#appendOne({ type: "message", message });
  }
  appendThinkingLevelChange(thinkingLevel: string): Promise<string> {
    return this.#appendOne({ type: "thinking_level_change", thinkingLevel });
  }
  appendModelChange(provider: string, modelId: string): Promise<string> {
    return this.#appendOne({ type: "model_change", provider, modelId });
  }
  appendActiveToolsChange(activeToolNames: string[]): Promise<string> {
    return this.#appendOne({ type: "active_tools_change", activeToolNames: [...activeToolNames] });
  }
  appendCompaction(entry: Omit<Extract<NewEntry, { type: "compaction" }>, "type">): Promise<string> {
    return this.#appendOne({ type: "compaction", ...entry });
  }
  appendCustomEntry(customType: string, data?: unknown): Promise<string> {
    return this.#appendOne({ type: "custom", customType, ...(data === undefined ? {} : { data }) });
  }
  appendCustomMessageEntry(
    customType: string,
    content: CustomMessage["content"],
    display: boolean,
    details?: unknown,
  ): Promise<string> {
    return this.#appendOne({
      type: "custom_message",
      customType,
      content,
      display,
      ...(details === undefined ? {} : { details }),
    });
  }
  appendContextEdit(
    targetId: string,
    replacement: Extract<NewEntry, { type: "context_edit" }>["replacement"],
  ): Promise<string> {
    return this.#appendOne({ type: "context_edit", targetId, replacement });
  }
  appendLabel(targetId: string, label: string | undefined): Promise<string> {
    const text = cleanName(label ?? "");
    return this.#appendOne({ type: "label", targetId, ...(text === "" ? {} : { label: text }) });
  }
  appendSessionName(name: string): Promise<string> {
    return this.#appendOne({ type: "session_info", name: cleanName(name) });
  }

  moveTo(
    targetId: string | null,
    branchSummary?: Omit<Extract<NewEntry, { type: "branch_summary" }>, "type">,
  ): Promise<string | null> {
    const summary: NewEntry[] = branchSummary === undefined ? [] : [{ type: "branch_summary", ...branchSummary }];
    const entries: NewEntry[] = [
      { type: "leaf", targetId },
      { type: "custom", customType: POSITION_CUSTOM_TYPE },
      ...summary,
    ];
    const frozen = entries.map(freeze);
    return this.#enqueue(async () => {
      if (targetId !== null) this.#rowOf(targetId);
      const isThere = targetId === this.#leafId || this.#visible(targetId) === this.#visible(this.#leafId);
      if (isThere && branchSummary === undefined) return this.#leafId;
      await this.#write(() => this.#compose(frozen));
      return this.#leafId;
    });
  }

  async refresh(): Promise<void> {
    await this.#storage.refresh();
  }
  onDidChange(listener: (change: SessionChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    await this.#queue;
    await this.#storage.close();
  }

  /** The entry that a place of the tree stands for: markers are transparent. */
  #visible(id: string | null): string | null {
    const { tree } = this.#storage;
    let row = id === null ? -1 : tree.rowOf(id);
    for (let steps = tree.count; row >= 0 && steps > 0 && tree.isMarker(row); steps--) row = tree.parentOf(row);
    return row < 0 ? null : tree.idOf(row);
  }

  #rowOf(id: string): number {
    const row = this.#storage.tree.rowOf(id);
    if (row < 0) throw new SessionError("not_found", `The session has no entry ${id}.`);
    return row;
  }

  /** One operation after the other: two appends that nobody waits for form a chain (behaviours §2, Writing). */
  #enqueue<T>(operation: () => Promise<T>): Promise<T> {
    if (this.#closed) return Promise.reject(new SessionError("closed", "The session is closed."));
    const reason = this.readOnlyReason;
    if (reason !== undefined) return Promise.reject(new SessionError("read_only", reason));
    const result = this.#queue.then(async () => {
      await this.ready();
      return operation();
    });
    this.#queue = result.catch(() => {});
    return result;
  }

  async #write(compose: () => Composed[]): Promise<SessionEntry[]> {
    let composed: Composed[] = [];
    try {
      await this.#storage.append(() => {
        composed = compose();
        return composed;
      });
    } catch (error) {
      this.#failed = composed;
      throw error;
    }
    this.#failed = [];
    const entries = composed.map(({ entry }) => entry);
    this.#leafId = entries.at(-1)!.type === "leaf" ? this.#storage.tree.position() : entries.at(-1)!.id;
    this.#contexts.remember(entries);
    this.#emit({ appended: entries.map((entry) => entry.id), leafId: this.#leafId, external: false });
    return entries;
  }

  /** Gives entries id, parent and time; each follows the one before it, after a `leaf` its target. */
  #compose(frozen: readonly (Frozen | LateEntry)[], behind?: string | null): Composed[] {
    const { tree } = this.#storage;
    // Looked at here, where the file is known as it is now.
    if (behind !== undefined && behind !== null) this.#rowOf(behind);
    const ids: string[] = [];
    const taken = new Set<string>();
    const composed: Composed[] = [];
    let parentId = behind === undefined ? this.#leafId : behind;
    for (const [i, given] of frozen.entries()) {
      const one = typeof given === "function" ? freeze(given(ids)) : given;
      const { entry, content } = one;
      const again = this.#failed[i];
      if (again?.content === content && again.entry.parentId === parentId) composed.push(again);
      else {
        this.#failed.length = Math.min(this.#failed.length, i);
        if (content === "") {
          throw new SessionError("invalid_entry", `An entry of type ${entry.type} cannot be written as JSON.`);
        }
        this.#checkTargets(entry, taken);
        const id = this.#options.ids.entryId((wanted) => taken.has(wanted) || tree.rowOf(wanted) >= 0);
        composed.push(
          composeEntry(one, { id, parentId, timestamp: new Date(this.#options.clock.now()).toISOString() }),
        );
      }
      const last = composed[i]!.entry;
      ids.push(last.id);
      taken.add(last.id);
      parentId = last.type === "leaf" ? last.targetId : last.id;
    }
    return composed;
  }

  #checkTargets(entry: NewEntry, batch: ReadonlySet<string>): void {
    const target =
      entry.type === "label" || entry.type === "context_edit" || entry.type === "leaf"
        ? entry.targetId
        : entry.type === "compaction"
          ? entry.firstKeptEntryId
          : undefined;
    if (target !== undefined && target !== null && !batch.has(target)) this.#rowOf(target);
  }

  #emit(change: SessionChange): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch {
        // A listener that throws must not turn a saved entry into a failed append.
      }
    }
  }
}
