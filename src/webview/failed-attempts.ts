// Attempts at one reply that failed: one row for those in a row, and whether the last word is spoken.
import type { ChatState, ReplyFate, TranscriptItem } from "../protocol/view-state.ts";
import type { ItemOf } from "./item-view.ts";

type Reply = ItemOf<"assistant">;

/** What of the chat decides whether a failure at its end is the last word. */
export type GoingOn = Pick<ChatState, "phase" | "progress" | "viewing">;

const isFailure = (item: TranscriptItem | undefined): item is Reply =>
  item?.kind === "assistant" && !item.streaming && item.stopReason === "error";

/** A failed attempt that has nothing to show but its failure. */
function isWordlessFailure(item: TranscriptItem | undefined): item is Reply {
  if (!isFailure(item)) return false;
  return item.siblings === undefined && !item.blocks.some((block) => block.type === "text" && block.text.trim() !== "");
}

/** What a failure at the end of the conversation is while this goes on; undefined: final. */
export function fateAtEnd({ phase, progress, viewing }: GoingOn): ReplyFate | undefined {
  if (phase === "idle" || viewing !== null) return undefined;
  return progress?.retry === true ? "retrying" : "pending";
}

export class FailedAttempts {
  /** What was made of an item, so that the same list gives the same rows. */
  readonly #made = new WeakMap<Reply, Reply>();
  /** The row that stands for an attempt that has none. */
  #shownAs = new Map<string, string>();

  /**
   * The items with each run of wordless failures as one, and each failure with what became of it; as they are where there
   * is none.
   */
  join(items: readonly TranscriptItem[], atEnd?: ReplyFate): readonly TranscriptItem[] {
    this.#shownAs = new Map();
    if (!items.some(isFailure)) return items;
    const out: TranscriptItem[] = [];
    let changed = false;
    // From the end: what follows a failure tells what became of it.
    let fate = atEnd;
    for (let at = items.length - 1; at >= 0; at--) {
      const item = items[at]!;
      const { kind } = item;
      if (!isFailure(item)) {
        if (kind === "user") fate = undefined;
        else if (kind === "assistant" || kind === "tool") fate = "retried";
        out.push(item);
        continue;
      }
      let attempts = 1;
      while (isWordlessFailure(item) && isWordlessFailure(items[at - 1])) {
        at -= 1;
        attempts += 1;
        this.#shownAs.set(items[at]!.id, item.id);
      }
      const row = this.#row(item, attempts, fate);
      changed ||= row !== item || attempts > 1;
      out.push(row);
      fate = "retried";
    }
    return changed ? out.reverse() : items;
  }

  /** The row that shows an item. */
  rowOf(id: string): string {
    return this.#shownAs.get(id) ?? id;
  }

  #row(item: Reply, attempts: number, fate: ReplyFate | undefined): Reply {
    if (attempts === 1 && fate === undefined) return item;
    const known = this.#made.get(item);
    if (known !== undefined && (known.attempts ?? 1) === attempts && known.fate === fate) return known;
    const row = { ...item, ...(attempts > 1 ? { attempts } : {}), ...(fate === undefined ? {} : { fate }) };
    this.#made.set(item, row);
    return row;
  }
}
