// Brings rows of the tree into view: the one that was asked for last, its page first, the focus staying where it is.
import type * as vscode from "vscode";
import type { EntryNode, TreeNode } from "./tree-nodes.ts";
import type { TreeRows } from "./tree-rows.ts";

/** Waits between attempts, ms: a page that was just asked for reaches the screen some time later. */
const WAITS_MS = [20, 40, 80, 160, 320, 640, 640];

export class TreeReveal {
  readonly #view: vscode.TreeView<TreeNode>;
  readonly #rows: () => Promise<TreeRows | undefined>;
  readonly #redraw: (node: TreeNode | undefined) => void;
  /** Key of the row that was selected last from here. */
  #followed: string | undefined;
  #turn = 0;

  /** `redraw` asks the editor for the rows of a head again, or for all. */
  constructor(
    view: vscode.TreeView<TreeNode>,
    rows: () => Promise<TreeRows | undefined>,
    redraw: (node: TreeNode | undefined) => void,
  ) {
    this.#view = view;
    this.#rows = rows;
    this.#redraw = redraw;
  }

  /** True while the selection is where it was put from here: then it goes along with the position. */
  get follows(): boolean {
    const selection = this.#view.selection[0];
    return selection === undefined || selection.key === this.#followed;
  }

  forget(): void {
    this.#followed = undefined;
    this.#turn++;
  }

  /** Scrolls to the position and selects it. */
  async position(): Promise<void> {
    const rows = this.#view.visible ? await this.#rows() : undefined;
    const id = rows?.outline.positionId;
    if (id !== undefined) await this.entry(id);
  }

  /** Scrolls to an entry, loading its page. Does nothing while the view is hidden, which it would open. */
  async entry(entryId: string): Promise<void> {
    const turn = ++this.#turn;
    const rows = this.#view.visible ? await this.#rows() : undefined;
    const place = rows?.include(entryId);
    if (rows === undefined || place === undefined) return;
    if (place.paged !== undefined) this.#redraw(rows.headOf(place.paged));
    const node = await rows.find(place.id, place.run);
    if (node === undefined || turn !== this.#turn) return;
    this.#followed = node.key;
    await this.#whenThere(node, turn);
  }

  async #whenThere(node: EntryNode, turn: number): Promise<void> {
    for (let attempt = 0; ; attempt++) {
      try {
        return await this.#view.reveal(node, { select: true, focus: false, expand: false });
      } catch (error) {
        const wait = WAITS_MS[attempt];
        if (turn !== this.#turn || !this.#view.visible) return;
        if (wait === undefined) throw error;
        await new Promise((resolve) => setTimeout(resolve, wait));
      }
    }
  }
}
