// The rows that stand in the page: made when they come near, kept the same node while they stay, removed when far.
import type { TranscriptItem } from "../protocol/view-state.ts";
import { h } from "./dom.ts";
import { createItemView, type ItemView } from "./item-view.ts";
import type { PageContext } from "./page-context.ts";

interface Mounted {
  view: ItemView;
  item: TranscriptItem;
}

export class MountedRows {
  readonly element = h("div", { class: "rows" });
  readonly #context: PageContext;
  readonly #mounted = new Map<string, Mounted>();

  constructor(context: PageContext) {
    this.#context = context;
  }

  /** The row of this item; undefined where it is not in the page. */
  rowOf(id: string): HTMLElement | undefined {
    return this.#mounted.get(id)?.view.element;
  }

  idOf(row: Element): string | undefined {
    for (const [id, mounted] of this.#mounted) if (mounted.view.element === row) return id;
    return undefined;
  }

  /** The node stays, its item has another id. */
  rename(id: string, newId: string): void {
    const mounted = this.#mounted.get(id);
    if (!mounted) return;
    this.#mounted.delete(id);
    this.#mounted.set(newId, mounted);
  }

  /** Makes exactly these rows stand in the page, in this order; one whose item is the same object is not touched. */
  show(wanted: readonly TranscriptItem[]): void {
    const ids = new Set(wanted.map((item) => item.id));
    for (const [id, { view }] of this.#mounted) {
      if (ids.has(id)) continue;
      view.element.remove();
      this.#mounted.delete(id);
    }
    let cursor = this.element.firstElementChild;
    for (const item of wanted) {
      let mounted = this.#mounted.get(item.id);
      if (mounted && mounted.item.kind !== item.kind) {
        if (cursor === mounted.view.element) cursor = cursor.nextElementSibling;
        mounted.view.element.remove();
        mounted = undefined;
      }
      if (!mounted) {
        mounted = { view: createItemView(item, this.#context), item };
        mounted.view.update(item);
        this.#mounted.set(item.id, mounted);
      } else if (mounted.item !== item) {
        mounted.item = item;
        mounted.view.update(item);
      }
      const element = mounted.view.element;
      if (element === cursor) cursor = cursor.nextElementSibling;
      else this.element.insertBefore(element, cursor);
    }
  }
}
