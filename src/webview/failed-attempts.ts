// Attempts at one reply that failed one after the other: the list shows the last, with their number.
import type { TranscriptItem } from "../protocol/view-state.ts";
import type { ItemOf } from "./item-view.ts";

type Reply = ItemOf<"assistant">;

/** A failed attempt that has nothing to show but its failure. */
function isWordlessFailure(item: TranscriptItem | undefined): item is Reply {
  if (item?.kind !== "assistant" || item.streaming || item.stopReason !== "error") return false;
  return item.siblings === undefined && !item.blocks.some((block) => block.type === "text" && block.text.trim() !== "");
}

export class FailedAttempts {
  /** What was made of an item, so that the same list gives the same rows. */
  readonly #joined = new WeakMap<Reply, Reply>();
  /** The row that stands for an attempt that has none. */
  #shownAs = new Map<string, string>();

  /** The items with each run of wordless failures as one; as they are where there is none. */
  join(items: readonly TranscriptItem[]): readonly TranscriptItem[] {
    this.#shownAs = new Map();
    let out: TranscriptItem[] | undefined;
    let attempts = 1;
    let first = 0;
    items.forEach((item, at) => {
      if (isWordlessFailure(item) && isWordlessFailure(items[at + 1])) {
        if (attempts === 1) first = at;
        attempts += 1;
        out ??= items.slice(0, at);
        return;
      }
      if (attempts > 1) {
        for (const earlier of items.slice(first, at)) this.#shownAs.set(earlier.id, item.id);
        out!.push(this.#counted(item as Reply, attempts));
        attempts = 1;
      } else {
        out?.push(item);
      }
    });
    return out ?? items;
  }

  /** The row that shows an item. */
  rowOf(id: string): string {
    return this.#shownAs.get(id) ?? id;
  }

  #counted(item: Reply, attempts: number): Reply {
    const known = this.#joined.get(item);
    if (known?.attempts === attempts) return known;
    const joined = { ...item, attempts };
    this.#joined.set(item, joined);
    return joined;
  }
}
