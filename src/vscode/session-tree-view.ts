// The Session Tree: the rows of the outline as a native tree that follows the session in the chat.
import * as vscode from "vscode";
import { tokensAfterCompaction } from "../core/compaction/compaction-size.ts";
import { entryText } from "../core/harness/session-memory.ts";
import { newestCompaction } from "../core/harness/undo-compaction.ts";
import {
  BranchOutline,
  type OutlineRow,
  TREE_FILTERS,
  type TreeFilter,
  treeFilterOf,
} from "../core/session/branch-outline.ts";
import type { Session } from "../core/session/session.ts";
import type { OpenSession, SessionService } from "./session-service.ts";
import {
  type EntryNode,
  entryItem,
  entryTooltip,
  type MoreNode,
  moreItem,
  type RowState,
  type TreeNode,
} from "./tree-item.ts";
import { type RowContent, rowContent } from "./tree-row.ts";

export const TREE_VIEW_ID = "coppice.tree";

/** Rows that one run shows at a time; more come when asked for. */
const PAGE_ROWS = 200;
/** Rows behind the position that the first page shows. */
const ROWS_BEHIND = 40;
/** At most two refreshes a second (vscode page: the view starves under more). */
const REFRESH_MS = 500;
const MAX_CONTENTS = 20_000;

interface Window {
  from: number;
  /** Undefined follows the end of the run. */
  to: number | undefined;
}

export interface TreeSettings {
  filter: () => string;
  /** Remembers the filter that was chosen in the view. */
  state: vscode.Memento;
}

const REVEAL_ATTEMPTS = 8;
const REVEAL_WAIT_MS = 250;

export class SessionTreeView implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #settings: TreeSettings;
  readonly #onError: (error: unknown) => void;
  readonly #view: vscode.TreeView<TreeNode>;
  readonly #changed = new vscode.EventEmitter<TreeNode | undefined>();
  readonly #disposables: vscode.Disposable[] = [];
  readonly onDidChangeTreeData = this.#changed.event;

  #open: OpenSession | undefined;
  #bound: vscode.Disposable[] = [];
  #outline: BranchOutline | undefined;
  #nodes = new Map<string, TreeNode>();
  #windows = new Map<string | null, Window>();
  #contents = new Map<string, RowContent>();
  #tokensAfter = new Map<string, number>();
  #appended: string[] = [];
  #dirty = false;
  #dirtyNodes = new Set<string>();
  #timer: NodeJS.Timeout | undefined;
  #refreshedAt = 0;
  #seen = {
    shown: undefined as string | undefined,
    status: "",
    undoable: undefined as string | undefined,
    cut: undefined as string | undefined,
  };
  /** The row that was selected by following the position. */
  #followed: string | undefined;

  constructor(sessions: SessionService, settings: TreeSettings, onError: (error: unknown) => void) {
    this.#settings = settings;
    this.#onError = onError;
    this.#view = vscode.window.createTreeView<TreeNode>(TREE_VIEW_ID, {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#disposables.push(
      this.#view,
      this.#changed,
      sessions.onDidChangeCurrent((open) => this.#bind(open)),
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) void this.revealPosition().catch(onError);
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("coppice.tree.filter")) void this.#setFilter(undefined);
      }),
    );
    this.#bind(sessions.current);
  }

  get filter(): TreeFilter {
    return treeFilterOf(this.#settings.state.get<string>("coppice.treeFilter") ?? this.#settings.filter());
  }

  /** The row that a keyboard command is about. */
  get selected(): EntryNode | undefined {
    const node = this.#view.selection[0];
    return node?.kind === "entry" ? node : undefined;
  }

  #bind(open: OpenSession | undefined): void {
    for (const disposable of this.#bound.splice(0)) disposable.dispose();
    this.#open = open;
    this.#reset();
    this.#contents.clear();
    this.#tokensAfter.clear();
    if (open !== undefined) {
      this.#bound.push(
        open.onDidChangeTree((appended) => {
          this.#appended.push(...appended);
          this.#dirty = true;
          this.#schedule();
        }),
        open.onDidChange(() => this.#statusChanged(open)),
        open.onDidReveal((entryId) => void this.reveal(entryId, false).catch(this.#onError)),
      );
    }
    if (open === undefined) {
      this.#view.description = "";
      this.#view.message = "";
    } else this.#describe(open);
    this.#changed.fire(undefined);
    if (open !== undefined) void this.revealPosition().catch(this.#onError);
  }

  #reset(): void {
    this.#outline = undefined;
    this.#nodes.clear();
    this.#windows.clear();
    this.#appended = [];
    this.#followed = undefined;
  }

  // ---- refreshing

  #schedule(): void {
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#refreshedAt + REFRESH_MS - Date.now());
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#refreshedAt = Date.now();
      try {
        this.#flush();
      } catch (error) {
        this.#onError(error);
      }
    }, wait);
  }

  #flush(): void {
    if (this.#dirty) {
      this.#dirty = false;
      this.#dirtyNodes.clear();
      const appended = this.#appended.splice(0);
      const outline = this.#outline;
      // Nothing has been asked for yet: the next look builds it.
      if (outline === undefined) return;
      const before = outline.positionId;
      const grown = outline.update(appended);
      if (!grown) {
        this.#nodes.clear();
        this.#windows.delete(null);
      }
      if (grown && outline.positionId === before && appended.length > 0) return;
      this.#changed.fire(undefined);
      if (!grown || this.#follows()) void this.revealPosition().catch(this.#onError);
      return;
    }
    for (const id of this.#dirtyNodes) {
      const node = this.#nodeOf(id);
      if (node !== undefined) this.#changed.fire(node);
    }
    this.#dirtyNodes.clear();
  }

  /** True while the selection is where the view put it: then it goes along with the position. */
  #follows(): boolean {
    const selection = this.#view.selection[0];
    return selection === undefined || selection.key === this.#followed;
  }

  /** Another leaf is shown, or a run began or ended: only the rows that say so change. */
  #statusChanged(open: OpenSession): void {
    this.#describe(open);
    const outline = this.#outline;
    if (outline === undefined) return;
    const shown = open.shownLeafId === undefined ? undefined : outline.rowFor(open.shownLeafId);
    const undoable = newestCompaction(open.session, open.session.getLeafId());
    const status = open.status;
    const changed: (string | undefined)[] = [];
    if (shown !== this.#seen.shown) changed.push(shown, this.#seen.shown);
    if (undoable !== this.#seen.undoable) changed.push(undoable, this.#seen.undoable);
    // The entry, not its row: an entry that was just said has no row yet.
    const cut = open.cut?.entryId;
    if (cut !== this.#seen.cut) changed.push(cut, this.#seen.cut);
    if (status !== this.#seen.status) changed.push(outline.positionId);
    this.#seen = { shown, status, undoable, cut };
    for (const id of changed) if (id !== undefined) this.#dirtyNodes.add(id);
    if (this.#dirtyNodes.size > 0) this.#schedule();
  }

  #nodeOf(entryId: string): EntryNode | undefined {
    for (const key of [entryId, `${entryId}:head`]) {
      const node = this.#nodes.get(key);
      if (node?.kind === "entry") return node;
    }
    for (const node of this.#nodes.values()) {
      if (node.kind === "entry" && node.folded.includes(entryId)) return node;
    }
    return undefined;
  }

  // ---- data

  async #ready(): Promise<{ open: OpenSession; outline: BranchOutline } | undefined> {
    const open = this.#open;
    if (open === undefined) return undefined;
    if (this.#outline === undefined) {
      await open.session.ready();
      if (this.#open !== open) return undefined;
      this.#appended = [];
      this.#outline ??= new BranchOutline(open.session, this.filter);
      this.#describe(open);
    }
    return { open, outline: this.#outline };
  }

  async getChildren(parent?: TreeNode): Promise<TreeNode[]> {
    const found = await this.#ready();
    if (found === undefined || parent?.kind === "more") return [];
    const { open, outline } = found;
    const run = parent === undefined ? null : parent.entryId;
    const rows = outline.run(run);
    const { from, to = rows.length } = this.#window(run, outline);
    const shown = rows.slice(from, to);
    await this.#load(open.session, shown);
    if (this.#outline !== outline) return [];
    const nodes = this.#fold(open.session, run, shown, outline);
    if (from > 0) nodes.unshift(this.#more(run, "earlier", from));
    if (to < rows.length) nodes.push(this.#more(run, "later", rows.length - to));
    if (parent === undefined) this.#describe(open);
    return nodes;
  }

  #window(run: string | null, outline: BranchOutline): Window {
    const count = outline.run(run).length;
    let known = this.#windows.get(run);
    if (known === undefined) {
      const at =
        run === null && outline.positionId !== undefined ? (outline.placeOf(outline.positionId)?.index ?? 0) : 0;
      const end = Math.max(PAGE_ROWS, at + ROWS_BEHIND);
      const to = end >= count ? undefined : end;
      known = { from: run === null ? Math.max(0, Math.min(end, count) - PAGE_ROWS) : 0, to };
      this.#windows.set(run, known);
    }
    // A run that grows while it is shown keeps its page small.
    if (run === null && known.to === undefined && count - known.from > 3 * PAGE_ROWS && this.#follows()) {
      known.from = count - PAGE_ROWS;
    }
    return known;
  }

  /** Reads the contents of rows that are shown for the first time, in one go. */
  async #load(session: Session, rows: readonly OutlineRow[]): Promise<void> {
    const missing = rows.map((row) => row.id).filter((id) => !this.#contents.has(id));
    if (missing.length === 0) return;
    if (this.#contents.size > MAX_CONTENTS) this.#contents.clear();
    for (const entry of await session.getEntries(missing)) {
      this.#contents.set(entry.id, rowContent(entry));
      if (entry.type !== "compaction" || this.#tokensAfter.has(entry.id)) continue;
      this.#tokensAfter.set(entry.id, await tokensAfterCompaction(session, entry));
    }
  }

  /** Rows as nodes: steps of nothing but tools share a row, or are left out where no tools are wanted. */
  #fold(session: Session, run: string | null, rows: readonly OutlineRow[], outline: BranchOutline): TreeNode[] {
    const { filter, positionId } = outline;
    const nodes: TreeNode[] = [];
    let fold: EntryNode | undefined;
    for (const row of rows) {
      const content = this.#contents.get(row.id);
      const plain =
        content?.kind === "tools" &&
        content.failure === undefined &&
        !row.head &&
        row.branches <= 1 &&
        session.getLabel(row.id) === undefined;
      if (plain && filter === "no-tools" && row.id !== positionId) continue;
      if (plain && filter === "default") {
        if (fold !== undefined) {
          fold.folded.push(row.id);
          fold.entryId = row.id;
          fold.row = row;
          continue;
        }
        fold = this.#entry(run, row);
        fold.folded = [row.id];
        nodes.push(fold);
        continue;
      }
      fold = undefined;
      nodes.push(this.#entry(run, row));
    }
    return nodes;
  }

  #entry(run: string | null, row: OutlineRow): EntryNode {
    // A head folds and others do not: the editor ignores such a change of a row that it knows, so the keys differ.
    const key = row.head ? `${row.id}:head` : row.id;
    const known = this.#nodes.get(key);
    if (known?.kind === "entry") return Object.assign(known, { run, row, entryId: row.id, folded: [] });
    const node: EntryNode = { kind: "entry", key, entryId: row.id, run, row, folded: [] };
    this.#nodes.set(key, node);
    return node;
  }

  #more(run: string | null, direction: MoreNode["direction"], hidden: number): MoreNode {
    const key = `more:${direction}:${run ?? ""}`;
    const node: MoreNode = { kind: "more", key, run, direction, hidden };
    const known = this.#nodes.get(key);
    if (known?.kind === "more") return Object.assign(known, node);
    this.#nodes.set(key, node);
    return node;
  }

  getParent(node: TreeNode): TreeNode | undefined {
    if (node.run === null) return undefined;
    const known = this.#nodes.get(`${node.run}:head`);
    if (known !== undefined) return known;
    const place = this.#outline?.placeOf(node.run);
    if (place === undefined) return undefined;
    const row = this.#outline?.run(place.run)[place.index];
    return row === undefined ? undefined : this.#entry(place.run, row);
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const id = this.#open?.session.id ?? "";
    return node.kind === "more" ? moreItem(id, node) : entryItem(id, node, this.#state(node));
  }

  #state(node: EntryNode): RowState {
    const open = this.#open;
    const outline = this.#outline;
    const content = this.#contents.get(node.entryId) ?? { kind: "note", title: node.entryId, tools: [], timeMs: 0 };
    const has = (id: string | undefined) => id !== undefined && (id === node.entryId || node.folded.includes(id));
    const shown = open?.shownLeafId === undefined ? undefined : outline?.rowFor(open.shownLeafId);
    return {
      content,
      label: open?.session.getLabel(node.entryId),
      position: has(outline?.positionId),
      shown: has(shown),
      cut: has(open?.cut?.entryId),
      running: open !== undefined && open.phase !== "idle",
      undoable:
        content.kind === "compaction" &&
        open !== undefined &&
        newestCompaction(open.session, open.session.getLeafId()) === node.entryId,
      tokensAfter: this.#tokensAfter.get(node.entryId),
      tools: node.folded.flatMap((id) => this.#contents.get(id)?.tools ?? []),
    };
  }

  async resolveTreeItem(item: vscode.TreeItem, node: TreeNode): Promise<vscode.TreeItem> {
    if (node.kind === "more" || this.#open === undefined) return item;
    const entry = await this.#open.session.getEntry(node.entryId);
    const folded =
      node.folded.length > 1 ? node.folded.map((id) => this.#contents.get(id)?.title ?? "").join("\n") : "";
    item.tooltip = entryTooltip(node, this.#state(node), folded || (entry === undefined ? "" : entryText(entry)));
    return item;
  }

  #describe(open: OpenSession): void {
    const title = open.session.getName() ?? open.firstPrompt;
    this.#view.description = title ?? "";
    const filters: Record<TreeFilter, string | undefined> = {
      default: undefined,
      "no-tools": vscode.l10n.t("Shown without tools."),
      "user-only": vscode.l10n.t("Only your messages are shown."),
      "labeled-only": vscode.l10n.t("Only labelled entries are shown."),
      all: vscode.l10n.t("All entries are shown, settings and markers too."),
    };
    const empty = this.#outline?.size === 0 && open.session.size() > 0;
    const text = [filters[this.filter], empty ? vscode.l10n.t("No entry fits the filter.") : undefined];
    const message = text.filter((part) => part !== undefined).join(" ");
    this.#view.message = message;
  }

  // ---- what commands do with the view

  /** Loads the next page of a run. */
  showMore(node: MoreNode): void {
    const window = this.#windows.get(node.run);
    const count = this.#outline?.run(node.run).length;
    if (window === undefined || count === undefined) return;
    if (node.direction === "earlier") window.from = Math.max(0, window.from - PAGE_ROWS);
    else {
      const to = (window.to ?? count) + PAGE_ROWS;
      window.to = to >= count ? undefined : to;
    }
    const parent = node.run === null ? undefined : this.#nodes.get(`${node.run}:head`);
    this.#changed.fire(parent);
  }

  /** Scrolls to the position and selects it; the focus stays where it is. */
  async revealPosition(): Promise<void> {
    const found = this.#view.visible ? await this.#ready() : undefined;
    const id = found?.outline.positionId;
    if (id !== undefined) await this.reveal(id, false);
  }

  /** Scrolls to an entry, loading its page. Does nothing while the view is hidden, which it would open. */
  async reveal(entryId: string, focus: boolean): Promise<void> {
    const found = this.#view.visible ? await this.#ready() : undefined;
    const id = found?.outline.rowFor(entryId);
    const place = id === undefined ? undefined : found?.outline.placeOf(id);
    if (found === undefined || id === undefined || place === undefined) return;
    const window = this.#window(place.run, found.outline);
    const count = found.outline.run(place.run).length;
    if (place.index < window.from || place.index >= (window.to ?? count)) {
      window.from = Math.min(window.from, Math.max(0, place.index - ROWS_BEHIND));
      if (window.to !== undefined && place.index >= window.to) window.to = place.index + ROWS_BEHIND;
      this.#changed.fire(place.run === null ? undefined : this.#nodes.get(`${place.run}:head`));
    }
    const parent = place.run === null ? undefined : await this.#headNode(place.run, found.outline);
    const nodes = await this.getChildren(parent);
    const node = nodes.find(
      (row): row is EntryNode => row.kind === "entry" && (row.entryId === id || row.folded.includes(id)),
    );
    if (node === undefined) return;
    this.#followed = node.key;
    await this.#revealWhenThere(node, focus);
  }

  /** A change that was just told reaches the screen some time later; until then the row cannot be revealed. */
  async #revealWhenThere(node: EntryNode, focus: boolean): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#view.reveal(node, { select: true, focus, expand: false });
      } catch (error) {
        if (attempt >= REVEAL_ATTEMPTS) throw error;
        await new Promise((resolve) => setTimeout(resolve, REVEAL_WAIT_MS));
        if (this.#followed !== node.key || !this.#view.visible) return;
      }
    }
  }

  async #headNode(headId: string, outline: BranchOutline): Promise<EntryNode | undefined> {
    const place = outline.placeOf(headId);
    const row = place === undefined ? undefined : outline.run(place.run)[place.index];
    return place === undefined || row === undefined ? undefined : this.#entry(place.run, row);
  }

  async pickFilter(): Promise<void> {
    const names: Record<TreeFilter, [string, string]> = {
      default: [vscode.l10n.t("Default"), vscode.l10n.t("Messages, tools in one line, compactions, summaries, labels")],
      "no-tools": [vscode.l10n.t("Without Tools"), vscode.l10n.t("Messages, compactions, summaries, labels")],
      "user-only": [vscode.l10n.t("Only Mine"), vscode.l10n.t("Your messages and labels")],
      "labeled-only": [vscode.l10n.t("Only Labelled"), vscode.l10n.t("Entries with a label")],
      all: [vscode.l10n.t("All"), vscode.l10n.t("Every entry of the file, settings and markers too")],
    };
    const picked = await vscode.window.showQuickPick(
      TREE_FILTERS.map((filter) => ({
        label: `${filter === this.filter ? "$(check) " : "$(blank) "}${names[filter][0]}`,
        detail: names[filter][1],
        filter,
      })),
      { title: vscode.l10n.t("What the Session Tree Shows") },
    );
    if (picked !== undefined) await this.#setFilter(picked.filter);
  }

  async #setFilter(filter: TreeFilter | undefined): Promise<void> {
    await this.#settings.state.update("coppice.treeFilter", filter);
    this.#reset();
    this.#changed.fire(undefined);
    if (this.#open !== undefined) this.#describe(this.#open);
    await this.revealPosition();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    for (const disposable of [...this.#bound, ...this.#disposables]) disposable.dispose();
  }
}
