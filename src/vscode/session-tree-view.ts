// The Session Tree: the rows of the outline as a native tree that follows the session in the chat.
import * as vscode from "vscode";
import { newestCompaction } from "../core/harness/undo-compaction.ts";
import { BranchOutline } from "../core/session/branch-outline.ts";
import type { Session } from "../core/session/session.ts";
import { type TreeFilter, treeFilterOf } from "../core/session/tree-filter.ts";
import type { OpenSession, SessionStatus } from "./open-session.ts";
import { PacedRefresh } from "./paced-refresh.ts";
import type { SessionService } from "./session-service.ts";
import { entryItem, moreItem } from "./tree-item.ts";
import type { EntryNode, MoreNode, RowState, TreeNode } from "./tree-nodes.ts";
import { TreeReveal } from "./tree-reveal.ts";
import { TreeRows } from "./tree-rows.ts";

export const TREE_VIEW_ID = "coppice.tree";

export interface TreeSettings {
  filter: () => string;
  /** Remembers the filter that was chosen in the view. */
  state: vscode.Memento;
  log: vscode.LogOutputChannel;
}

/** A row as it was drawn last, for as long as nothing that it says changed. */
interface Drawn {
  says: string;
  item: vscode.TreeItem;
}

interface Seen {
  shown: string | undefined;
  status: SessionStatus | "";
  undoable: string | undefined;
  cut: string | undefined;
}

export class SessionTreeView implements vscode.TreeDataProvider<TreeNode>, vscode.Disposable {
  readonly #settings: TreeSettings;
  readonly #onError: (error: unknown) => void;
  readonly #view: vscode.TreeView<TreeNode>;
  readonly #changed = new vscode.EventEmitter<TreeNode | TreeNode[] | undefined>();
  readonly #refresh: PacedRefresh;
  readonly #reveal: TreeReveal;
  readonly #disposables: vscode.Disposable[] = [];
  readonly onDidChangeTreeData = this.#changed.event;

  #open: OpenSession | undefined;
  #bound: vscode.Disposable[] = [];
  #rows: TreeRows | undefined;
  #making: Promise<TreeRows> | undefined;
  /** Counts sessions and filters: what was begun for another is dropped. */
  #turn = 0;
  #drawn = new WeakMap<TreeNode, Drawn>();
  #appended: string[] = [];
  #grown = false;
  /** Entries whose rows say something else. */
  readonly #marks = new Set<string>();
  #seen: Seen = { shown: undefined, status: "", undoable: undefined, cut: undefined };

  constructor(sessions: SessionService, settings: TreeSettings, onError: (error: unknown) => void) {
    this.#settings = settings;
    this.#onError = onError;
    this.#view = vscode.window.createTreeView<TreeNode>(TREE_VIEW_ID, {
      treeDataProvider: this,
      showCollapseAll: true,
    });
    this.#refresh = new PacedRefresh(() => this.#flush(), onError);
    this.#reveal = new TreeReveal(
      this.#view,
      () => this.#ready(),
      (node) => this.#redraw(node === undefined ? "all" : [node]),
    );
    this.#disposables.push(
      this.#view,
      this.#changed,
      this.#refresh,
      sessions.onDidChangeCurrent((open) => this.#bind(open)),
      this.#view.onDidChangeVisibility(({ visible }) => {
        if (visible) this.#revealSoon();
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

  get selected(): EntryNode | undefined {
    const node = this.#view.selection[0];
    return node?.kind === "entry" ? node : undefined;
  }

  /** The row that a key is about: the focused one, which need not be selected. */
  async focused(): Promise<EntryNode | undefined> {
    const node = await (await import("./focused-row.ts")).focusedRow(this.#view);
    return node === undefined ? this.selected : node.kind === "entry" ? node : undefined;
  }

  /** The row that was just clicked, or opened by Enter. */
  async opened(): Promise<TreeNode | undefined> {
    return await (await import("./focused-row.ts")).openedRow(this.#view);
  }

  #bind(open: OpenSession | undefined): void {
    for (const disposable of this.#bound.splice(0)) disposable.dispose();
    this.#open = open;
    this.#reset();
    if (open !== undefined) {
      this.#bound.push(
        open.onDidChangeTree((appended) => {
          for (const id of appended) this.#appended.push(id);
          this.#grown = true;
          this.#refresh.soon();
        }),
        open.onDidChange(() => this.#statusChanged(open)),
        open.onDidReveal((entryId) => void this.#reveal.entry(entryId).catch(this.#onError)),
      );
    }
    this.#describe();
    this.#redraw("all");
    if (open !== undefined) this.#revealSoon();
  }

  #reset(): void {
    this.#turn++;
    this.#rows = undefined;
    this.#making = undefined;
    this.#drawn = new WeakMap();
    this.#appended = [];
    this.#grown = false;
    this.#reveal.forget();
  }

  #revealSoon(): void {
    void this.revealPosition().catch(this.#onError);
  }

  // ---- refreshing

  /** One event for all: each one that the editor is told makes it wait again. */
  #redraw(what: "all" | readonly TreeNode[]): void {
    const marked = [...this.#marks].map((id) => this.#rows?.nodeOf(id)).filter((node) => node !== undefined);
    this.#marks.clear();
    const nodes = what === "all" ? [] : [...new Set([...what, ...marked])];
    if (what !== "all" && nodes.length === 0) return;
    this.#settings.log.trace(`tree: ${what === "all" ? "all" : nodes.length} to be drawn again`);
    this.#refresh.drawn();
    this.#changed.fire(what === "all" ? undefined : nodes);
  }

  async #flush(): Promise<void> {
    // Nothing has been asked for yet: the next look builds it.
    const rows = this.#rows;
    if (rows === undefined) return;
    if (!this.#grown) return this.#redraw([]);
    this.#grown = false;
    const follows = this.#open?.shownLeafId === undefined && this.#reveal.follows;
    const from = performance.now();
    const change = await rows.update(this.#appended.splice(0), follows);
    this.#settings.log.trace(`tree: taken up in ${(performance.now() - from).toFixed(2)} ms`);
    if (rows !== this.#rows) return;
    this.#redraw(change);
    if (change === "all") this.#describe();
    if (change === "all" && follows) this.#revealSoon();
  }

  /** Another leaf is shown, or a run began or ended: only the rows that say so change. */
  #statusChanged(open: OpenSession): void {
    this.#describe();
    const outline = this.#rows?.outline;
    if (outline === undefined) return;
    const seen = this.#seen;
    this.#seen = this.#look(open, outline);
    const { shown, status, undoable, cut } = this.#seen;
    const changed: (string | undefined)[] = [];
    if (shown !== seen.shown) changed.push(shown, seen.shown);
    if (undoable !== seen.undoable) changed.push(undoable, seen.undoable);
    if (cut !== seen.cut) changed.push(cut, seen.cut);
    if (status !== seen.status) changed.push(outline.positionId);
    for (const id of changed) if (id !== undefined) this.#marks.add(id);
    if (this.#marks.size > 0) this.#refresh.soon();
    // Back at the position, the selection goes along with it again.
    if (shown === undefined && seen.shown !== undefined && this.#reveal.follows) this.#revealSoon();
  }

  /** What rows say of the session beside their entries. */
  #look({ session, status, shownLeafId, cut }: OpenSession, outline: BranchOutline): Seen {
    return {
      shown: shownLeafId === undefined ? undefined : outline.rowFor(shownLeafId),
      status,
      undoable: newestCompaction(session, session.getLeafId()),
      // The entry, not its row: an entry that was just said has no row yet.
      cut: cut?.entryId,
    };
  }

  // ---- data

  async #ready(): Promise<TreeRows | undefined> {
    const open = this.#open;
    if (open === undefined) return undefined;
    const turn = this.#turn;
    this.#making ??= this.#make(open.session);
    const rows = await this.#making;
    if (turn !== this.#turn) return undefined;
    if (this.#rows !== rows) {
      this.#rows = rows;
      this.#seen = this.#look(open, rows.outline);
      this.#describe();
      // What joined while the rows were made.
      if (this.#appended.length > 0) this.#refresh.soon();
    }
    return rows;
  }

  async #make(session: Session): Promise<TreeRows> {
    await session.ready();
    this.#appended = [];
    const outline = await BranchOutline.create(session, this.filter);
    return new TreeRows(session, outline, (ids) => {
      for (const id of ids) this.#marks.add(id);
      this.#refresh.soon();
    });
  }

  async getChildren(parent?: TreeNode): Promise<TreeNode[]> {
    const rows = await this.#ready();
    if (rows === undefined || parent?.kind === "more") return [];
    const from = performance.now();
    const nodes = await rows.children(parent?.entryId ?? null);
    const tookMs = (performance.now() - from).toFixed(2);
    this.#settings.log.trace(`tree: ${nodes.length} rows of ${parent?.entryId ?? "the root"} in ${tookMs} ms`);
    return this.#rows === rows ? nodes : [];
  }

  getParent(node: TreeNode): TreeNode | undefined {
    return this.#rows?.headOf(node.run);
  }

  getTreeItem(node: TreeNode): vscode.TreeItem {
    const id = this.#open?.session.id ?? "";
    if (node.kind === "more") return moreItem(id, node);
    const state = this.#state(node);
    const { head, below, branches, onPath } = node.row;
    const day = new Date().getDate();
    const seen = { ...state, content: state.content.timeMs, tools: day };
    const says = JSON.stringify([seen, node.entryId, head, below, branches, onPath]);
    const drawn = this.#drawn.get(node);
    if (drawn?.says === says) return drawn.item;
    const item = entryItem(id, node, state);
    this.#drawn.set(node, { says, item });
    return item;
  }

  #state(node: EntryNode): RowState {
    const open = this.#open;
    const rows = this.#rows;
    const content = rows?.contentOf(node.entryId) ?? { kind: "note", title: node.entryId, tools: [], timeMs: 0 };
    const has = (id: string | undefined) => id !== undefined && (id === node.entryId || node.folded.includes(id));
    const shown = open?.shownLeafId === undefined ? undefined : rows?.outline.rowFor(open.shownLeafId);
    const position = has(rows?.outline.positionId);
    return {
      content,
      label: open?.session.getLabel(node.entryId),
      position,
      shown: has(shown),
      cut: has(open?.cut?.entryId),
      running: position && open !== undefined && open.phase !== "idle",
      waiting: position && open?.status === "waiting",
      undoable:
        content.kind === "compaction" &&
        open !== undefined &&
        newestCompaction(open.session, open.session.getLeafId()) === node.entryId,
      tokensAfter: rows?.tokensAfter(node.entryId),
      tools: node.folded.flatMap((id) => rows?.contentOf(id)?.tools ?? []),
    };
  }

  async resolveTreeItem(item: vscode.TreeItem, node: TreeNode): Promise<vscode.TreeItem> {
    if (node.kind === "more" || this.#open === undefined) return item;
    const { entryTooltip, tooltipText } = await import("./tree-tooltip.ts");
    const entry = await this.#open.session.getEntry(node.entryId);
    const folded =
      node.folded.length > 1 ? node.folded.map((id) => this.#rows?.contentOf(id)?.title ?? "").join("\n") : "";
    item.tooltip = entryTooltip(node, this.#state(node), folded || tooltipText(entry));
    return item;
  }

  #describe(): void {
    const open = this.#open;
    const filters: Record<TreeFilter, string | undefined> = {
      default: undefined,
      "no-tools": vscode.l10n.t("Shown without tools."),
      "user-only": vscode.l10n.t("Only your messages are shown."),
      "labeled-only": vscode.l10n.t("Only labelled entries are shown."),
      all: vscode.l10n.t("All entries are shown, settings and markers too."),
    };
    const empty = this.#rows?.outline.size === 0 && this.#rows.session.size() > 0;
    const text = [filters[this.filter], empty ? vscode.l10n.t("No entry fits the filter.") : undefined];
    const message = open === undefined ? "" : text.filter((part) => part !== undefined).join(" ");
    const description = open?.title ?? "";
    // Each one that is set keeps the editor from drawing rows for 200 ms, also where it is the same.
    if (this.#view.message !== message) this.#view.message = message;
    if (this.#view.description !== description) this.#view.description = description;
  }

  // ---- what commands do with the view

  /** Loads the next page of a run. */
  showMore(node: MoreNode): void {
    this.#rows?.showMore(node);
    const head = this.#rows?.headOf(node.run);
    this.#redraw(head === undefined ? "all" : [head]);
  }

  /** Scrolls to the position and selects it; the focus stays where it is. */
  async revealPosition(): Promise<void> {
    await this.#reveal.position();
  }

  async pickFilter(): Promise<void> {
    const { pickTreeFilter } = await import("./tree-filter-picker.ts");
    const picked = await pickTreeFilter(this.filter);
    if (picked !== undefined) await this.#setFilter(picked);
  }

  async #setFilter(filter: TreeFilter | undefined): Promise<void> {
    await this.#settings.state.update("coppice.treeFilter", filter);
    this.#reset();
    this.#redraw("all");
    this.#describe();
    await this.revealPosition();
  }

  dispose(): void {
    for (const disposable of [...this.#bound, ...this.#disposables]) disposable.dispose();
  }
}
