// Makes the view of a transcript item by its kind.
import type { TranscriptItem } from "../protocol/view-state.ts";
import { compactionView } from "./compaction-view.ts";
import { cutView } from "./cut-line.ts";
import { fill, h, show } from "./dom.ts";
import { icon } from "./icons.ts";
import { messageView } from "./message-view.ts";
import { bashView, customView, noticeView } from "./notice-view.ts";
import type { PageContext } from "./page-context.ts";
import { replyView } from "./reply-view.ts";
import { t } from "./strings.ts";
import { toolView } from "./tool-view.ts";

export interface ItemView<I extends TranscriptItem = TranscriptItem> {
  readonly element: HTMLElement;
  /** Shows the item; called again with each change of it, always of the same kind. */
  update(item: I): void;
}

export type ItemOf<K extends TranscriptItem["kind"]> = Extract<TranscriptItem, { kind: K }>;

/** A new view, not yet filled. An item that cannot be shown says so in its place; the others are shown (reports 77). */
export function createItemView(item: TranscriptItem, context: PageContext): ItemView {
  const view = makeView(item.kind, context);
  return {
    element: view.element,
    update(next) {
      try {
        (view as ItemView).update(next);
      } catch (error) {
        console.error("an item cannot be shown", error);
        const text = h("div", { class: "notice-body" }, t("This entry cannot be shown."));
        fill(view.element, h("div", { class: "notice notice-error" }, icon("error"), text));
        show(view.element, true);
      }
    },
  };
}

function makeView(kind: TranscriptItem["kind"], context: PageContext): { element: HTMLElement } {
  switch (kind) {
    case "cut":
      return cutView(context);
    case "user":
      return messageView(context);
    case "assistant":
      return replyView(context);
    case "tool":
      return toolView(context);
    case "compaction":
    case "branchSummary":
      return compactionView(context);
    case "custom":
      return customView(context);
    case "bash":
      return bashView(context);
    case "notice":
      return noticeView(context);
  }
  // A kind of a later version; its update fails and says so.
  return { element: h("article", { class: "row", "aria-label": t("Notice"), tabindex: -1 }) };
}
