// What the host may say to the page. Messages are numbered; after a gap the page asks for a snapshot.
import type { ChatState, TranscriptItem } from "./view-state.ts";

/** One change of what is shown. Ops are applied in order. */
export type ViewOp =
  /** Inserts the item, or replaces the one with this id in place. `afterId` null: at the start; absent: at the end. */
  | { op: "item.upsert"; item: TranscriptItem; afterId?: string | null }
  /** A saved entry takes the place of a temporary one: same node, new id. */
  | { op: "item.renamed"; id: string; newId: string }
  | { op: "item.removed"; id: string }
  /** Text at the end of a block of a streaming reply; `block` is the index, made where it does not exist yet. */
  | { op: "text.append"; id: string; block: number; blockType: "text" | "thinking"; text: string }
  /** Text at the end of a running tool's output. */
  | { op: "output.append"; id: string; text: string }
  /** Everything but the items. */
  | { op: "state.patch"; patch: Partial<Omit<ChatState, "items">> };

export type ToWebview =
  | { type: "state.snapshot"; seq: number; state: ChatState; strings: Record<string, string> }
  | { type: "state.frame"; seq: number; ops: ViewOp[] }
  /** Answer to `page.older`: items that stand before what is shown. */
  | { type: "page.items"; seq: number; items: TranscriptItem[]; hasOlder: boolean }
  /**
   * Puts text and pictures into the composer, behind a draft that stands there, once for each id. They come again with each
   * start of the page, until it says `composer.done`.
   */
  | { type: "composer.add"; id: string; text: string; images: { mimeType: string; data: string }[]; focus: boolean }
  /** The draft that the host has for the session ("" before it has a message), by the page's own revisions: 0 where it has none. */
  | { type: "draft.kept"; sessionId: string; text: string; revision: number; given: string[] }
  | { type: "composer.focus" }
  /** The prompt was taken: the composer may drop the draft that it sent with this id. */
  | { type: "prompt.accepted"; submitId: string }
  /** The prompt was refused: the composer keeps its text and shows why. */
  | { type: "prompt.refused"; submitId: string; reason: string }
  | { type: "item.reveal"; id: string };
