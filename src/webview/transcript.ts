// Owns the list of items: only what is near the window stands in the page, the place on the screen stays what it was.
import type { TranscriptItem } from "../protocol/view-state.ts";
import { h, setText, show } from "./dom.ts";
import { estimateHeight } from "./estimate-height.ts";
import { HeightIndex } from "./height-index.ts";
import { icon } from "./icons.ts";
import { MountedRows } from "./mounted-rows.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

/** Where the list stood: an item and how far its upper edge was below the window's, in pixels. */
export interface ScrollAnchor {
  id: string;
  offset: number;
}

/** Pixels rendered beyond the window on each side. */
const OVERSCAN = 400;
/** Rows by which the rendered part may grow to keep a selection or the focus. */
const KEEP_ROWS = 40;
/** Closer than this to the end counts as being there, pixels. */
const AT_END = 24;

export class Transcript {
  readonly element: HTMLElement;
  readonly #context: PageContext;
  readonly #scrolled: () => void;
  readonly #before = h("div", { class: "spacer" });
  readonly #after = h("div", { class: "spacer" });
  readonly #working = h("div", { class: "working", hidden: true });
  readonly #empty = h("div", { class: "empty-slot", hidden: true });
  readonly #jump: HTMLButtonElement;
  readonly scroller: HTMLElement;
  readonly #mounted: MountedRows;
  readonly #measured = new Map<string, number>();
  readonly #heights = new HeightIndex();
  readonly #observer: ResizeObserver;
  #items: readonly TranscriptItem[] = [];
  /** Index of the line of a previewed compaction; -1 for none. */
  #cutAt = -1;
  #hasOlder = false;
  #hasNewer = false;
  #askedBefore = "";
  #overscan = OVERSCAN;
  #stuck = true;
  #lastTop = 0;
  #width = 0;
  #viewport = 0;
  #scheduled = false;

  /** `scrolled` is called when the place may have changed, so that it can be kept. */
  constructor(context: PageContext, scrolled: () => void) {
    this.#context = context;
    this.#scrolled = scrolled;
    this.#mounted = new MountedRows(context);
    this.scroller = h(
      "div",
      { class: "scroller", role: "log", "aria-live": "off", "aria-label": t("Conversation"), tabindex: 0 },
      this.#empty,
      this.#before,
      this.#mounted.element,
      this.#after,
      this.#working,
    );
    this.#jump = h(
      "button",
      { type: "button", class: "jump", hidden: true, click: () => this.jumpToEnd() },
      icon("chevronDown"),
      h("span", {}, t("Jump to latest")),
    );
    this.element = h("section", { class: "transcript" }, this.scroller, this.#jump);
    this.scroller.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    this.#observer = new ResizeObserver(() => this.#onResize());
    this.#observer.observe(this.scroller);
    this.#observer.observe(this.#mounted.element);
  }

  /** Shows these items; what did not change is not touched. `fresh`: another conversation, begin at its end. */
  update(items: readonly TranscriptItem[], more: { hasOlder: boolean; hasNewer: boolean; fresh: boolean }): void {
    const anchor = this.#stuck || more.fresh ? null : this.anchor();
    if (more.fresh) {
      this.#measured.clear();
      this.#stuck = true;
    }
    const same = more.fresh ? 0 : commonStart(this.#items, items);
    this.#items = items;
    this.#cutAt = items.findLastIndex((item) => item.kind === "cut");
    this.#hasOlder = more.hasOlder;
    this.#hasNewer = more.hasNewer;
    if (more.fresh || items[0]?.id !== this.#askedBefore) this.#askedBefore = "";
    this.#resetHeights(same);
    if (more.fresh) {
      // What is in the window first; what is around it in the next frame.
      this.#overscan = 0;
      this.#schedule();
    }
    this.#layout(anchor);
    this.#overscan = OVERSCAN;
  }

  /** An item got its entry id: its node stays. */
  rename(id: string, newId: string): void {
    this.#mounted.rename(id, newId);
    const height = this.#measured.get(id);
    if (height !== undefined) this.#measured.set(newId, height);
  }

  /** What stands in the place of an empty conversation; null for nothing. */
  setEmpty(element: HTMLElement | null): void {
    if (this.#empty.firstElementChild !== element) this.#empty.replaceChildren(...(element ? [element] : []));
    show(this.#empty, element !== null);
  }

  /** The line after the last item while something is going on; empty for none. */
  setWorking(text: string): void {
    if (text !== "" && !this.#working.firstChild) this.#working.append(h("span", { class: "shimmer" }));
    const label = this.#working.firstElementChild;
    if (label) setText(label, text);
    const was = this.#working.hidden;
    show(this.#working, text !== "");
    if (was !== this.#working.hidden && this.#stuck) this.#pin();
  }

  /** The first item in view; null at the end, which is a place of its own. */
  anchor(): ScrollAnchor | null {
    if (this.#stuck) return null;
    const top = this.scroller.getBoundingClientRect().top;
    for (const row of this.#mounted.element.children) {
      const box = row.getBoundingClientRect();
      if (box.bottom > top) {
        const id = this.#mounted.idOf(row);
        if (id !== undefined) return { id, offset: box.top - top };
      }
    }
    return null;
  }

  /** Goes back to a kept place; an item that is not there any more leaves the list at its end. */
  restore(anchor: ScrollAnchor): void {
    const index = this.#items.findIndex((item) => item.id === anchor.id);
    if (index < 0) return;
    this.#stuck = false;
    this.#setTop(this.#heights.top(index) - anchor.offset);
    this.#layout(anchor);
  }

  jumpToEnd(): void {
    if (this.#hasNewer) this.#context.post({ type: "view.ready" });
    this.#stuck = true;
    this.#layout(null);
    this.#updateJump();
  }

  /** Brings an item into view and gives it the focus. */
  reveal(id: string): void {
    this.restore({ id, offset: this.#viewport / 4 });
    const element = this.#mounted.rowOf(id);
    if (!element) return;
    // Who looks from the tree goes on in the tree: only a page that has the focus moves it, and not from who is writing.
    const active = document.activeElement;
    const writing = active instanceof HTMLTextAreaElement && active.value !== "";
    if (document.hasFocus() && !writing) element.focus({ preventScroll: true });
    element.classList.add("revealed");
    setTimeout(() => element.classList.remove("revealed"), 1600);
  }

  /** Moves the focus to the next or previous item in view order. */
  focusNeighbour(step: 1 | -1): void {
    const active = document.activeElement?.closest(".row");
    const id = active ? this.#mounted.idOf(active) : undefined;
    let index =
      id === undefined ? (step < 0 ? this.#items.length : -1) : this.#items.findIndex((item) => item.id === id);
    for (index += step; index >= 0 && index < this.#items.length; index += step) {
      const item = this.#items[index]!;
      if (!this.#mounted.rowOf(item.id)) this.restore({ id: item.id, offset: this.#viewport / 3 });
      const element = this.#mounted.rowOf(item.id);
      if (element && !element.hidden) {
        element.focus();
        return;
      }
    }
  }

  #resetHeights(from: number): void {
    const width = this.#width || 400;
    const changed = this.#items.slice(from);
    this.#heights.replaceFrom(
      from,
      changed.map((item) => this.#measured.get(item.id) ?? estimateHeight(item, width)),
    );
  }

  /** Renders the part near the window, measures it, and holds the place: the end, or the anchor. */
  #layout(anchor: ScrollAnchor | null): void {
    for (let round = 0; round < 4; round++) {
      const [start, end] = this.#range();
      this.#mounted.show(this.#items.slice(start, end));
      this.#markAboveCut(start, end);
      const moved = this.#measure(start, end);
      this.#space(start, end);
      if (this.#stuck) this.#pin();
      else if (anchor) this.#hold(anchor);
      const [nextStart, nextEnd] = this.#range();
      if (!moved && nextStart === start && nextEnd === end) break;
    }
    this.#updateJump();
    this.#askForOlder();
  }

  /** Rows above the line of a preview carry a rail: by place, not by colour. */
  #markAboveCut(start: number, end: number): void {
    for (let i = start; i < end; i++) {
      this.#mounted.rowOf(this.#items[i]!.id)?.classList.toggle("above-cut", i < this.#cutAt);
    }
  }

  #range(): [number, number] {
    const count = this.#items.length;
    if (count === 0) return [0, 0];
    const viewport = this.#viewport || 600;
    const top = this.#stuck
      ? Math.max(0, this.#heights.total - viewport)
      : this.scroller.scrollTop - this.#before.offsetTop;
    let start = this.#heights.at(top - this.#overscan);
    let end = this.#heights.at(top + viewport + this.#overscan) + 1;
    for (const index of this.#keptRows()) {
      if (index < start && start - index <= KEEP_ROWS) start = index;
      if (index >= end && index - end < KEEP_ROWS) end = index + 1;
    }
    return [start, Math.min(end, count)];
  }

  /** Rows that hold the focus or an end of the selection. */
  #keptRows(): number[] {
    const selection = document.getSelection();
    const nodes = [
      document.activeElement,
      ...(selection && !selection.isCollapsed ? [selection.anchorNode, selection.focusNode] : []),
    ];
    const kept: number[] = [];
    for (const node of nodes) {
      if (!node || !this.#mounted.element.contains(node)) continue;
      const row = (node instanceof Element ? node : node.parentElement)?.closest(".row");
      const id = row ? this.#mounted.idOf(row) : undefined;
      const index = id === undefined ? -1 : this.#items.findIndex((item) => item.id === id);
      if (index >= 0) kept.push(index);
    }
    return kept;
  }

  /** @returns true where a height was not what was thought */
  #measure(start: number, end: number): boolean {
    let changed = false;
    for (let i = start; i < end; i++) {
      const item = this.#items[i]!;
      const height = this.#mounted.rowOf(item.id)!.getBoundingClientRect().height;
      this.#measured.set(item.id, height);
      if (this.#heights.set(i, height) !== 0) changed = true;
    }
    return changed;
  }

  #space(start: number, end: number): void {
    setHeight(this.#before, this.#heights.top(start));
    setHeight(this.#after, this.#heights.total - this.#heights.top(end));
  }

  #pin(): void {
    this.#setTop(this.scroller.scrollHeight);
  }

  #hold(anchor: ScrollAnchor): void {
    const element = this.#mounted.rowOf(anchor.id);
    const index = element ? -1 : this.#items.findIndex((item) => item.id === anchor.id);
    if (element) {
      const now = element.getBoundingClientRect().top - this.scroller.getBoundingClientRect().top;
      if (Math.abs(now - anchor.offset) > 0.5) this.#setTop(this.scroller.scrollTop + now - anchor.offset);
    } else if (index >= 0) {
      this.#setTop(this.#heights.top(index) - anchor.offset);
    }
  }

  #setTop(top: number): void {
    this.scroller.scrollTop = top;
    this.#lastTop = this.scroller.scrollTop;
  }

  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const atEnd = scrollHeight - scrollTop - clientHeight < AT_END;
    // Growth alone never moves the top up: only a person does.
    if (atEnd) this.#stuck = true;
    else if (scrollTop < this.#lastTop - 1) this.#stuck = false;
    this.#lastTop = scrollTop;
    this.#schedule();
    this.#scrolled();
  }

  #onResize(): void {
    const width = this.scroller.clientWidth;
    this.#viewport = this.scroller.clientHeight;
    if (width !== this.#width) {
      this.#width = width;
      this.#measured.clear();
      const anchor = this.anchor();
      this.#resetHeights(0);
      this.#layout(anchor);
    } else {
      this.#layout(this.anchor());
    }
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    requestAnimationFrame(() => {
      this.#scheduled = false;
      this.#layout(this.anchor());
    });
  }

  #updateJump(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.scroller;
    const away = !this.#stuck && scrollHeight - scrollTop - clientHeight >= AT_END;
    show(this.#jump, (away || this.#hasNewer) && this.#items.length > 0);
  }

  #askForOlder(): void {
    const first = this.#items[0];
    if (!this.#hasOlder || !first || this.#askedBefore === first.id) return;
    if (this.scroller.scrollTop > this.#before.offsetTop + 2 * (this.#viewport || 600)) return;
    this.#askedBefore = first.id;
    this.#context.post({ type: "page.older", beforeId: first.id });
  }
}

function setHeight(element: HTMLElement, pixels: number): void {
  const height = `${Math.max(0, Math.round(pixels * 100) / 100)}px`;
  if (element.style.height !== height) element.style.height = height;
}

/** How many items at the start are the very same. */
function commonStart(before: readonly TranscriptItem[], after: readonly TranscriptItem[]): number {
  const limit = Math.min(before.length, after.length);
  let same = 0;
  while (same < limit && before[same] === after[same]) same++;
  return same;
}
