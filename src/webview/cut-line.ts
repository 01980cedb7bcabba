// The line at which a compaction that is being previewed would cut: what stands above and below, and the way to close it.
import type { CutView, TranscriptItem } from "../protocol/view-state.ts";
import { fill, h, setAttribute } from "./dom.ts";
import { formatTokens } from "./format-numbers.ts";
import { icon } from "./icons.ts";
import type { ItemOf, ItemView } from "./item-view.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

export const CUT_ID = "cut-line";

/** Puts the line into lists of items; the same cut is the same item, so that its row is not touched. */
export class CutLine {
  #cut: CutView | null = null;
  #item: ItemOf<"cut"> | undefined;

  /** The items with the line before the first row that would stay; as they are where that is not among them. */
  into(items: readonly TranscriptItem[], cut: CutView | null): readonly TranscriptItem[] {
    if (cut === null) return items;
    const id = cut.before.find((candidate) => items.some((item) => item.id === candidate));
    if (id === undefined) return items;
    if (this.#item === undefined || cut !== this.#cut) {
      this.#cut = cut;
      this.#item = { kind: "cut", id: CUT_ID, saved: true, timestamp: 0, cut };
    }
    const at = items.findIndex((item) => item.id === id);
    return [...items.slice(0, at), this.#item, ...items.slice(at)];
  }
}

export function cutView(context: PageContext): ItemView<ItemOf<"cut">> {
  const line = h("div", { class: "cut-rule", role: "separator" });
  const above = h("div", { class: "cut-side" });
  const below = h("div", { class: "cut-side" });
  const close = h(
    "button",
    { type: "button", class: "link-button", click: () => context.post({ type: "preview.close" }) },
    t("Close preview"),
  );
  const element = h("article", { class: "row cut", tabindex: -1, "aria-label": t("Where the compaction would cut") });
  element.append(above, line, below, h("div", { class: "cut-links" }, close));
  return {
    element,
    update({ cut }) {
      const summarised = amount(cut.summarised);
      const kept = amount(cut.kept);
      const title = cut.splitTurn ? t("Cut inside this turn") : t("Cut");
      setAttribute(
        line,
        "aria-label",
        t("{0}. Above: summarised, {1}. Below: stays word for word, {2}.", title, summarised, kept),
      );
      fill(above, icon("chevronUp"), h("span", {}, t("Above: summarised ({0})", summarised)));
      fill(line, h("span", { class: "cut-title" }, title));
      fill(below, icon("chevronDown"), h("span", {}, t("Below: stays word for word ({0})", kept)));
    },
  };
}

function amount({ entries, tokens }: CutView["kept"]): string {
  return entries === 1
    ? t("1 entry, ~{0} tokens", formatTokens(tokens))
    : t("{0} entries, ~{1} tokens", entries, formatTokens(tokens));
}
