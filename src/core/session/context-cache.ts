// Builds the context of a position from the tree, reading only what is needed and only once (performance §7).
import { SessionError } from "../errors.ts";
import { giveWay, isTurnOver } from "../give-way.ts";
import { type ContextOptions, contextEdits, deriveSessionContextState, projectContextEntry } from "./context.ts";
import type { CompactionEntry, SessionEntry, SessionEntryType } from "./entries.ts";
import { ROW_TYPES, roleCode, typeCode } from "./row-facts.ts";
import type { SessionContext } from "./session.ts";
import type { SessionStorage } from "./session-storage.ts";
import type { SessionTree } from "./session-tree.ts";

/** One for each type code of a set. */
const codes = (...types: SessionEntryType[]) => {
  const marks = new Uint8Array(ROW_TYPES.length);
  for (const type of types) marks[typeCode(type)] = 1;
  return marks;
};
const CONTENT = codes("message", "custom_message", "branch_summary", "custom", "context_edit");
const STATE = codes("thinking_level_change", "model_change", "active_tools_change");
const CUSTOM = typeCode("custom");
const EDIT = typeCode("context_edit");
const NO_EDITS: ReturnType<typeof contextEdits> = new Map();
const COMPACTION = codes("compaction");
const MODEL = typeCode("model_change");
const ASSISTANT = roleCode("assistant");

/** Entries that are read or projected before others may run. */
const SLICE_ROWS = 2000;

interface Cached {
  tree: SessionTree;
  row: number;
  entries: SessionEntry[];
  edits: ReturnType<typeof contextEdits>;
  context: SessionContext;
}

export class ContextCache {
  readonly #storage: SessionStorage;
  readonly #options: ContextOptions;
  /** Entries that are at hand by row: those appended since the last context, and a few that it needed. */
  #parsed = new Map<number, SessionEntry>();
  /** What the last context was built from; a map of it is made only where another one is built. */
  #last: { rows: readonly number[]; found: readonly (SessionEntry | undefined)[] } = { rows: [], found: [] };
  #cached: Cached | undefined;
  #shape = 0;
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
    this.#last = { rows: [], found: [] };
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
    // What was there before may say something else, or stand elsewhere.
    if (tree.shape !== this.#shape) this.clear();
    this.#shape = tree.shape;
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
    const wanted = rows.filter((at) => this.#isContent(at) || STATE[this.#storage.tree.typeCodeOf(at)] === 1);
    const added = await this.#entries(wanted);
    const { context } = cached;
    for (const entry of added) {
      cached.entries.push(entry);
      // An edit may stand before what it is about.
      const item = projectContextEntry(entry, false, cached.edits, this.#options);
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
    this.#takeBack();
    // What stands far apart is read in one go.
    const newest = tree.nearest(row, COMPACTION);
    const settings = this.#stateRows(row);
    await this.#hold(newest < 0 ? settings : [newest, ...settings]);
    const { at, compaction } = await this.#readableCompaction(newest);
    const keepsFrom = compaction?.retainedTail === undefined ? compaction?.firstKeptEntryId : undefined;
    const kept = keepsFrom === undefined ? [] : this.#contentFrom(tree.rowOf(keepsFrom), at);
    const rows = [...kept, ...this.#contentAfter(at, row)];
    const found = await this.#read(rows);
    // Lines that turned out to be unreadable set nothing: what stood before them does.
    let state = settings;
    const isWhole = !found.includes(undefined) && settings.every((used) => this.#parsed.has(used));
    for (
      let again = isWhole ? state : this.#stateRows(row);
      again.join() !== state.join();
      again = this.#stateRows(row)
    ) {
      state = again;
      await this.#hold(state);
    }

    const keep = new Map<number, SessionEntry>();
    for (const used of at < 0 ? state : [at, ...state]) {
      const entry = this.#parsed.get(used);
      if (entry !== undefined) keep.set(used, entry);
    }
    const entries = found.filter((entry) => entry !== undefined);
    if (compaction !== undefined) entries.unshift(compaction);
    const set = state.map((used) => keep.get(used)).filter((entry) => entry !== undefined);
    const isEdited = rows.some((used) => tree.typeCodeOf(used) === EDIT);
    const edits = isEdited ? contextEdits(entries) : NO_EDITS;
    const context = { ...(await this.#project(entries, edits)), ...deriveSessionContextState(set) };
    // A file that was replaced meanwhile has given the rows new meanings.
    if (tree !== this.#storage.tree) return context;
    this.#parsed = keep;
    this.#last = { rows, found };
    this.#cached = { tree, row, entries, edits, context };
    return context;
  }

  /** The first of the compactions at or above a row whose line can be read. */
  async #readableCompaction(from: number): Promise<{ at: number; compaction: CompactionEntry | undefined }> {
    const { tree } = this.#storage;
    for (let at = from; at >= 0; at = tree.nearest(tree.parentOf(at), COMPACTION)) {
      const [entry] = await this.#entries([at]);
      if (entry?.type === "compaction") return { at, compaction: entry };
    }
    return { at: -1, compaction: undefined };
  }

  /** Rows with content behind `above` (-1: from the root on) to `row`, in the order of the path. */
  #contentAfter(above: number, row: number): number[] {
    const { tree } = this.#storage;
    const rows: number[] = [];
    for (let at = row; at >= 0 && at !== above; at = tree.parentOf(at)) if (this.#isContent(at)) rows.push(at);
    return rows.reverse();
  }
  /** The same from `first` on up to the row before `end`; nothing where `first` is not above it. */
  #contentFrom(first: number, end: number): number[] {
    const { tree } = this.#storage;
    if (first < 0 || first === end) return [];
    let isAbove = false;
    for (let at = tree.parentOf(end); at >= 0 && !isAbove; at = tree.parentOf(at)) isAbove = at === first;
    return isAbove ? this.#contentAfter(tree.parentOf(first), tree.parentOf(end)) : [];
  }

  /** What the last context was built from is at hand for this one. */
  #takeBack(): void {
    const { rows, found } = this.#last;
    rows.forEach((row, i) => {
      if (found[i] !== undefined) this.#parsed.set(row, found[i]);
    });
    this.#last = { rows: [], found: [] };
  }

  /** Thousands of entries at a time, so that a context of any length stalls nothing. */
  async #project(
    entries: readonly SessionEntry[],
    edits: ReturnType<typeof contextEdits>,
  ): Promise<Pick<SessionContext, "items" | "messages">> {
    const items: SessionContext["items"] = [];
    const messages: SessionContext["messages"] = [];
    for (let i = 0; i < entries.length; i++) {
      if (i % SLICE_ROWS === 0 && isTurnOver()) await giveWay();
      const item = projectContextEntry(entries[i]!, i === 0, edits, this.#options);
      if (item === undefined) continue;
      items.push(item);
      for (const message of item.messages) messages.push(message);
    }
    return { items, messages };
  }

  #isContent(row: number): boolean {
    const type = this.#storage.tree.typeCodeOf(row);
    return CONTENT[type] === 1 && (type !== CUSTOM || (this.#options.projectors?.size ?? 0) > 0);
  }

  /** The rows that set thinking level, model and tools on the path to a row, root first. */
  #stateRows(row: number): number[] {
    const { tree } = this.#storage;
    const rows: number[] = [];
    const missing = STATE.slice();
    let at = row;
    // A reply names its model as well: mostly it stands right above.
    while (at >= 0 && missing[MODEL] === 1 && tree.roleCodeOf(at) !== ASSISTANT) {
      if (missing[tree.typeCodeOf(at)] === 1) {
        rows.push(at);
        missing[tree.typeCodeOf(at)] = 0;
      }
      at = tree.parentOf(at);
    }
    if (at >= 0 && missing[MODEL] === 1) rows.push(at);
    missing[MODEL] = 0;
    for (; at >= 0 && missing.includes(1); at = tree.parentOf(at)) {
      at = tree.nearest(at, missing);
      if (at < 0) break;
      rows.push(at);
      missing[tree.typeCodeOf(at)] = 0;
    }
    return rows.reverse();
  }

  /** The entries of rows, each in its place; undefined for a line that turned out to be unreadable. */
  async #read(rows: readonly number[]): Promise<(SessionEntry | undefined)[]> {
    const found: (SessionEntry | undefined)[] = [];
    for (let from = 0; from < rows.length; from += SLICE_ROWS) {
      const missing: number[] = [];
      for (const row of rows.slice(from, from + SLICE_ROWS)) {
        const known = this.#parsed.get(row);
        found.push(known);
        if (known === undefined) missing.push(row);
      }
      if (missing.length === 0) continue;
      const fresh = await this.#storage.read(missing);
      let next = 0;
      for (let i = from; i < found.length; i++) found[i] ??= fresh[next++];
    }
    return found;
  }
  /** Reads the entries of a few rows for those who ask for them next. */
  async #hold(rows: readonly number[]): Promise<void> {
    const found = await this.#read(rows);
    rows.forEach((row, i) => {
      if (found[i] !== undefined) this.#parsed.set(row, found[i]);
    });
  }
  async #entries(rows: readonly number[]): Promise<SessionEntry[]> {
    return (await this.#read(rows)).filter((entry) => entry !== undefined);
  }
}
