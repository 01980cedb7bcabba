// The rows of one session's tree: what each run shows, with contents read for these alone (pure: no editor in here).
import { tokensAfterCompaction } from "../core/compaction/compaction-size.ts";
import type { BranchOutline, OutlinePlace, OutlineRow } from "../core/session/branch-outline.ts";
import type { CompactionEntry } from "../core/session/entries.ts";
import type { Session } from "../core/session/session.ts";
import type { EntryNode, MoreNode, TreeNode } from "./tree-nodes.ts";
import { TreePages } from "./tree-pages.ts";
import { type RowContent, rowContent } from "./tree-row.ts";

const MAX_CONTENTS = 20_000;

/** Steps of nothing but tools, and attempts at one reply. */
type Group = "tools" | "attempts";

/** Elements to be drawn again; `all` where rows came, went or stand elsewhere. */
export type RowChange = "all" | readonly TreeNode[];

export class TreeRows {
  readonly session: Session;
  readonly outline: BranchOutline;
  readonly #onMeasured: (ids: readonly string[]) => void;
  readonly #pages = new TreePages();
  readonly #nodes = new Map<string, TreeNode>();
  /** The row that an entry is on, folded or not. */
  readonly #byEntry = new Map<string, EntryNode>();
  readonly #contents = new Map<string, RowContent>();
  readonly #tokensAfter = new Map<string, number | undefined>();
  /** The last row of the position's run as it was handed out. */
  #tail: EntryNode | undefined;

  /** `onMeasured` is told of compactions whose size was found out after their rows were handed out. */
  constructor(session: Session, outline: BranchOutline, onMeasured: (ids: readonly string[]) => void) {
    this.session = session;
    this.outline = outline;
    this.#onMeasured = onMeasured;
  }

  contentOf(entryId: string): RowContent | undefined {
    return this.#contents.get(entryId);
  }
  /** Tokens of the context behind a compaction, once they are known. */
  tokensAfter(entryId: string): number | undefined {
    return this.#tokensAfter.get(entryId);
  }
  /** The row that an entry is on, where it was handed out. */
  nodeOf(entryId: string | undefined): EntryNode | undefined {
    return entryId === undefined ? undefined : this.#byEntry.get(entryId);
  }

  /** The rows of a page: of the position's run (null), or of what is behind a head. */
  async children(run: string | null): Promise<TreeNode[]> {
    await this.outline.prepare(run);
    const rows = this.outline.run(run);
    const { from, to = rows.length } = this.#page(run);
    const shown = rows.slice(from, to);
    await this.#load(shown);
    const nodes = this.#fold(run, shown);
    if (from > 0) nodes.unshift(this.#more(run, "earlier", from));
    if (to < rows.length) nodes.push(this.#more(run, "later", rows.length - to));
    const last = nodes.at(-1);
    if (run === null) this.#tail = last?.kind === "entry" ? last : undefined;
    return nodes;
  }

  #page(run: string | null) {
    const { positionId } = this.outline;
    const at = run === null && positionId !== undefined ? this.outline.placeOf(positionId)?.index : undefined;
    return this.#pages.of(run, this.outline.run(run).length, at);
  }

  /** True for rows that their run's page has now. */
  #isShown({ run, row }: EntryNode): boolean {
    const { from, to = Number.POSITIVE_INFINITY } = this.#page(run);
    const index = this.outline.placeOf(row.id)?.index ?? -1;
    return index >= from && index < to;
  }

  /** Loads the next page of a run. */
  showMore({ run, direction }: Pick<MoreNode, "run" | "direction">): void {
    this.#pages.more(run, this.outline.run(run).length, direction);
  }

  /**
   * Brings an entry onto its run's page, and the heads that it is behind onto theirs. Returns the entry's run and the
   * outermost run whose page changed, where one did; undefined where no row has the entry.
   */
  include(entryId: string): { id: string; run: string | null; paged: string | null | undefined } | undefined {
    const id = this.outline.rowFor(entryId);
    const place = id === undefined ? undefined : this.outline.placeOf(id);
    if (id === undefined || place === undefined) return undefined;
    let paged: string | null | undefined;
    for (let at: OutlinePlace | undefined = place; at !== undefined; ) {
      const { run, index }: OutlinePlace = at;
      this.#page(run);
      if (this.#pages.include(run, this.outline.run(run).length, index)) paged = run;
      at = run === null ? undefined : this.outline.placeOf(run);
    }
    return { id, run: place.run, paged };
  }

  /** The row of an entry that is on its run's page. */
  async find(id: string, run: string | null): Promise<EntryNode | undefined> {
    await this.children(run);
    return this.#byEntry.get(id);
  }

  /** The head whose run it is; the root's rows have none. */
  headOf(run: string | null): EntryNode | undefined {
    if (run === null) return undefined;
    const place = this.outline.placeOf(run);
    const row = place === undefined ? undefined : this.outline.run(place.run)[place.index];
    return place === undefined || row === undefined ? undefined : this.#entry(place.run, row);
  }

  /**
   * Takes up entries that joined the session. What only grew at the position reads what is new; a step of tools or an attempt
   * joins the row that those before it share. `follows`: the reader goes along with the position.
   */
  async update(appended: readonly string[], follows: boolean): Promise<RowChange> {
    const { outline } = this;
    this.#pages.beforeGrowth(null, outline.run(null).length, follows);
    const { moved, added, changed } = await outline.grow(appended);
    if (moved) {
      // The elements stay: a row that says what it said is not made anew.
      this.#byEntry.clear();
      this.#pages.forget(null);
      return "all";
    }
    const touched = changed.flatMap((id) => this.#byEntry.get(id) ?? []).filter((node) => this.#isShown(node));
    const fold = this.#tail;
    // A label takes an entry out of the row that it shared, or puts it back.
    const regroups = (node: EntryNode) => this.#groupOf(node.entryId) !== undefined;
    if (touched.some((node) => regroups(node) && (added.length === 0 || node !== fold))) return "all";
    if (added.length === 0) return touched;
    const rows = outline.run(null);
    const { to } = this.#page(null);
    if (to !== undefined) return [this.#more(null, "later", rows.length - to), ...touched];
    if (fold === undefined || fold.folded.length === 0) return "all";
    const fresh = rows.slice(rows.length - added.length);
    await this.#load(fresh);
    const group = this.#shared(fold.row);
    const fits = group !== undefined && fresh.every((row) => this.#shared(row) === group);
    if (!fits || fold !== this.#tail) return "all";
    for (const row of fresh) this.#join(fold, row);
    return [fold];
  }

  /** Reads the contents of rows that are shown for the first time, in one go. */
  async #load(rows: readonly OutlineRow[]): Promise<void> {
    const missing = rows.map((row) => row.id).filter((id) => !this.#contents.has(id));
    if (missing.length === 0) return;
    if (this.#contents.size > MAX_CONTENTS) {
      for (const id of this.#contents.keys()) if (!this.#byEntry.has(id)) this.#contents.delete(id);
    }
    const compactions: CompactionEntry[] = [];
    for (const entry of await this.session.getEntries(missing)) {
      this.#contents.set(entry.id, rowContent(entry));
      if (entry.type === "compaction" && !this.#tokensAfter.has(entry.id)) compactions.push(entry);
    }
    if (compactions.length > 0) void this.#measure(compactions);
  }

  /** What stays behind a compaction is read after the rows are there: nobody waits for it. */
  async #measure(compactions: readonly CompactionEntry[]): Promise<void> {
    for (const { id } of compactions) this.#tokensAfter.set(id, undefined);
    for (const entry of compactions) {
      const tokens = await tokensAfterCompaction(this.session, entry).catch(() => undefined);
      this.#tokensAfter.set(entry.id, tokens);
    }
    this.#onMeasured(compactions.map(({ id }) => id));
  }

  #groupOf(id: string): Group | undefined {
    const content = this.#contents.get(id);
    if (content?.attempt === true) return "attempts";
    return content?.kind === "tools" && content.failure === undefined ? "tools" : undefined;
  }

  /** What a row may share a line as: where nothing hangs on it. */
  #shared(row: OutlineRow): Group | undefined {
    if (row.head || row.branches > 1 || this.session.getLabel(row.id) !== undefined) return undefined;
    return this.#groupOf(row.id);
  }

  /** Rows as nodes: those of a group that follow each other share one; steps of tools are left out where none are wanted. */
  #fold(run: string | null, rows: readonly OutlineRow[]): TreeNode[] {
    const { filter, positionId } = this.outline;
    const nodes: TreeNode[] = [];
    let fold: { node: EntryNode; group: Group } | undefined;
    for (const row of rows) {
      const group = this.#shared(row);
      if (group === "tools" && filter === "no-tools" && row.id !== positionId) continue;
      if (group !== undefined && fold?.group === group) {
        this.#join(fold.node, row);
        continue;
      }
      const node = this.#entry(run, row);
      nodes.push(node);
      const folds = group !== undefined && (filter === "default" || (filter === "no-tools" && group === "attempts"));
      fold = folds ? { node, group } : undefined;
      if (folds) node.folded = [row.id];
    }
    return nodes;
  }

  #join(fold: EntryNode, row: OutlineRow): void {
    if (!fold.folded.includes(row.id)) fold.folded.push(row.id);
    fold.entryId = row.id;
    fold.row = row;
    this.#byEntry.set(row.id, fold);
  }

  #entry(run: string | null, row: OutlineRow): EntryNode {
    // A head folds and others do not: the editor ignores such a change of a row that it knows, so the keys differ.
    const key = row.head ? `${row.id}:head` : row.id;
    const known = this.#nodes.get(key);
    const node: EntryNode =
      known?.kind === "entry" ? known : { kind: "entry", key, entryId: row.id, run, row, folded: [] };
    Object.assign(node, { run, row, entryId: row.id, folded: [] });
    this.#nodes.set(key, node);
    this.#byEntry.set(row.id, node);
    return node;
  }

  #more(run: string | null, direction: MoreNode["direction"], hidden: number): MoreNode {
    const key = `more:${direction}:${run ?? ""}`;
    const known = this.#nodes.get(key);
    if (known?.kind === "more") return Object.assign(known, { hidden });
    const node: MoreNode = { kind: "more", key, run, direction, hidden };
    this.#nodes.set(key, node);
    return node;
  }
}
