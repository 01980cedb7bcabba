// Builds the context of a position from the tree, reading only what is needed and only once (performance §7).
import { SessionError } from "../errors.ts";
import {
  type ContextOptions,
  contextEdits,
  deriveSessionContextState,
  projectContextEntries,
  projectContextEntry,
} from "./context.ts";
import type { CompactionEntry, SessionEntry } from "./entries.ts";
import type { SessionContext } from "./session.ts";
import type { SessionStorage } from "./session-storage.ts";
import type { SessionTree } from "./session-tree.ts";

const CONTENT_TYPES = new Set(["message", "custom_message", "branch_summary", "custom", "context_edit"]);
const STATE_TYPES = new Set(["thinking_level_change", "model_change", "active_tools_change"]);

/** Entries that are read or projected before others run. */
const SLICE_ROWS = 500;
/** Lets the event loop go round. */
const turn = () => new Promise<void>((resolve) => setTimeout(resolve, 0));

interface Cached {
  tree: SessionTree;
  row: number;
  entries: SessionEntry[];
  context: SessionContext;
}

export class ContextCache {
  readonly #storage: SessionStorage;
  readonly #options: ContextOptions;
  /** Entries of the last context and those appended since, by row. */
  #parsed = new Map<number, SessionEntry>();
  #cached: Cached | undefined;
  /** One build after the other: each changes what the next one builds on. */
  #queue: Promise<unknown> = Promise.resolve();

  constructor(storage: SessionStorage, options: ContextOptions) {
    this.#storage = storage;
    this.#options = options;
  }

  /** Entries that were just appended need not be read back. */
  remember(entries: readonly SessionEntry[]): void {
    for (const entry of entries) {
      const row = this.#storage.tree.rowOf(entry.id);
      if (row >= 0) this.#parsed.set(row, entry);
    }
  }

  /** Forgets everything: rows have new meanings after a reload. */
  clear(): void {
    this.#parsed.clear();
    this.#cached = undefined;
  }

  /** The context at a leaf; calls that come at once are answered in order. Throws `not_found`. */
  build(leafId: string | null): Promise<SessionContext> {
    const built = this.#queue.then(() => this.#build(leafId));
    this.#queue = built.catch(() => {});
    return built;
  }

  async #build(leafId: string | null): Promise<SessionContext> {
    const { tree } = this.#storage;
    if (leafId === null) return { items: [], messages: [], thinkingLevel: "off", model: null, activeToolNames: null };
    const row = tree.rowOf(leafId);
    if (row < 0) throw new SessionError("not_found", `The session has no entry ${leafId}.`);
    const added = this.#rowsSince(row);
    const context = added === undefined ? await this.#full(row) : await this.#extend(row, added);
    return { ...context, items: [...context.items], messages: [...context.messages] };
  }

  /** Rows between the cached position and `row`, oldest first; undefined where the context must be built anew. */
  #rowsSince(row: number): number[] | undefined {
    const { tree } = this.#storage;
    const cached = this.#cached;
    if (cached === undefined || cached.tree !== tree) return undefined;
    const rows: number[] = [];
    for (let at = row; at !== cached.row; at = tree.parentOf(at)) {
      // Longer than what is cached, or changing what came before it: building anew costs no more.
      if (at < 0 || rows.length > cached.entries.length + 64) return undefined;
      const type = tree.typeOf(at);
      if (type === "compaction" || type === "context_edit") return undefined;
      rows.push(at);
    }
    return rows.reverse();
  }

  async #extend(row: number, rows: number[]): Promise<SessionContext> {
    const cached = this.#cached!;
    const wanted = rows.filter((at) => this.#isContent(at) || STATE_TYPES.has(this.#storage.tree.typeOf(at)));
    const added = await this.#entries(wanted);
    const { context } = cached;
    for (const entry of added) {
      cached.entries.push(entry);
      const [item] = projectContextEntries([entry], this.#options);
      if (item !== undefined) {
        context.items.push(item);
        context.messages.push(...item.messages);
      }
    }
    const state = deriveSessionContextState(added);
    if (state.model !== null) context.model = state.model;
    if (state.activeToolNames !== null) context.activeToolNames = state.activeToolNames;
    if (added.some((entry) => entry.type === "thinking_level_change")) context.thinkingLevel = state.thinkingLevel;
    cached.row = row;
    return context;
  }

  async #full(row: number): Promise<SessionContext> {
    const { tree } = this.#storage;
    const path = tree.pathRows(row);
    const { at, compaction } = await this.#newestCompaction(path);
    const rows: number[] = [];
    if (
      compaction !== undefined &&
      compaction.retainedTail === undefined &&
      compaction.firstKeptEntryId !== undefined
    ) {
      const kept = tree.rowOf(compaction.firstKeptEntryId);
      const from = kept < 0 ? -1 : path.lastIndexOf(kept, at - 1);
      for (let i = from; from >= 0 && i < at; i++) if (this.#isContent(path[i]!)) rows.push(path[i]!);
    }
    for (let i = at + 1; i < path.length; i++) if (this.#isContent(path[i]!)) rows.push(path[i]!);
    const state = this.#stateRows(path);
    await this.#load([...rows, ...state]);
    const entries = this.#present(rows);
    if (compaction !== undefined) entries.unshift(compaction);
    const { items, messages } = await this.#project(entries);
    const context = { items, messages, ...deriveSessionContextState(this.#present(this.#stateRows(path))) };
    // A file that was replaced meanwhile has given the rows new meanings.
    if (tree !== this.#storage.tree) return context;
    const keep = new Map<number, SessionEntry>();
    for (const used of [...rows, ...state, ...(at >= 0 ? [path[at]!] : [])]) {
      const entry = this.#parsed.get(used);
      if (entry !== undefined) keep.set(used, entry);
    }
    this.#parsed = keep;
    this.#cached = { tree, row, entries, context };
    return context;
  }

  /** Thousands of entries at a time, so that a context of any length stalls nothing. */
  async #project(entries: readonly SessionEntry[]): Promise<Pick<SessionContext, "items" | "messages">> {
    const items: SessionContext["items"] = [];
    const messages: SessionContext["messages"] = [];
    const edits = contextEdits(entries);
    for (let from = 0; from < entries.length; from += SLICE_ROWS) {
      const to = Math.min(entries.length, from + SLICE_ROWS);
      for (let i = from; i < to; i++) {
        const item = projectContextEntry(entries[i]!, i === 0, edits, this.#options);
        if (item === undefined) continue;
        items.push(item);
        for (const message of item.messages) messages.push(message);
      }
      if (to < entries.length) await turn();
    }
    return { items, messages };
  }

  #isContent(row: number): boolean {
    const type = this.#storage.tree.typeOf(row);
    return CONTENT_TYPES.has(type) && (type !== "custom" || (this.#options.projectors?.size ?? 0) > 0);
  }

  async #newestCompaction(path: Int32Array): Promise<{ at: number; compaction: CompactionEntry | undefined }> {
    const { tree } = this.#storage;
    for (let at = path.length - 1; at >= 0; at--) {
      if (tree.typeOf(path[at]!) !== "compaction") continue;
      const [entry] = await this.#entries([path[at]!]);
      if (entry?.type === "compaction") return { at, compaction: entry };
    }
    return { at: -1, compaction: undefined };
  }

  /** The rows that set thinking level, model and tools on a path, root first. */
  #stateRows(path: Int32Array): number[] {
    const { tree } = this.#storage;
    let thinking = -1;
    let model = -1;
    let tools = -1;
    for (let i = path.length - 1; i >= 0 && (thinking < 0 || model < 0 || tools < 0); i--) {
      const type = tree.typeOf(path[i]!);
      if (type === "thinking_level_change" && thinking < 0) thinking = i;
      else if (type === "active_tools_change" && tools < 0) tools = i;
      else if (model < 0 && (type === "model_change" || tree.roleOf(path[i]!) === "assistant")) model = i;
    }
    return [thinking, model, tools]
      .filter((i) => i >= 0)
      .sort((a, b) => a - b)
      .map((i) => path[i]!);
  }

  async #load(rows: readonly number[]): Promise<void> {
    const missing = rows.filter((row) => !this.#parsed.has(row));
    if (missing.length === 0) return;
    for (let from = 0; from < missing.length; from += SLICE_ROWS) {
      const slice = missing.slice(from, from + SLICE_ROWS);
      const entries = await this.#storage.read(slice);
      entries.forEach((entry, i) => {
        if (entry !== undefined) this.#parsed.set(slice[i]!, entry);
      });
      if (from + SLICE_ROWS < missing.length) await turn();
    }
  }
  #present(rows: readonly number[]): SessionEntry[] {
    const entries: SessionEntry[] = [];
    for (const row of rows) {
      const entry = this.#parsed.get(row);
      if (entry !== undefined) entries.push(entry);
    }
    return entries;
  }
  async #entries(rows: readonly number[]): Promise<SessionEntry[]> {
    await this.#load(rows);
    return this.#present(rows);
  }
}
