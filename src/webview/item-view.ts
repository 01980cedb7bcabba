// Makes the view of a transcript item by its kind.
import type { TranscriptItem } from "../protocol/view-state.ts";
import { compactionView } from "./compaction-view.ts";
import { messageView } from "./message-view.ts";
import { bashView, customView, noticeView } from "./notice-view.ts";
import type { PageContext } from "./page-context.ts";
import { replyView } from "./reply-view.ts";
import { toolView } from "./tool-view.ts";

export interface ItemView<I extends TranscriptItem = TranscriptItem> {
  readonly element: HTMLElement;
  /** Shows the item; called again with each change of it, always of the same kind. */
  update(item: I): void;
}

export type ItemOf<K extends TranscriptItem["kind"]> = Extract<TranscriptItem, { kind: K }>;

/** A new view, not yet filled. */
export function createItemView(item: TranscriptItem, context: PageContext): ItemView {
  return makeView(item.kind, context) as ItemView;
}

function makeView(kind: TranscriptItem["kind"], context: PageContext): { element: HTMLElement } {
  switch (kind) {
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
}
