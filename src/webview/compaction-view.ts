// Marks in the conversation where the context was cut back, and where the summary of another branch was carried over.
import { fill, h, setAttribute, setText, show } from "./dom.ts";
import { Fold } from "./fold.ts";
import { formatTokens } from "./format-numbers.ts";
import { icon } from "./icons.ts";
import type { ItemOf, ItemView } from "./item-view.ts";
import { MarkdownFlow } from "./markdown-flow.ts";
import { unsavedMark } from "./message-actions.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

type Marker = ItemOf<"compaction"> | ItemOf<"branchSummary">;

export function compactionView(context: PageContext): ItemView<Marker> {
  let item: Marker | undefined;
  let flow: MarkdownFlow | undefined;
  const label = h("span", { class: "marker-title" });
  const amount = h("span", { class: "marker-amount" });
  const symbol = h("span", { class: "marker-symbol" });
  const links = h("div", { class: "marker-links" });
  const fold = new Fold(context.folds, "marker-fold", () => summary());
  fold.button.append(symbol, label, amount);
  const text = h("div", { class: "marker-summary" });
  fold.body.append(text, links);
  const undo = h(
    "button",
    {
      type: "button",
      class: "link-button",
      click: () => item && context.post({ type: "compact.undo", entryId: item.id }),
    },
    t("Undo compaction"),
  );
  const open = h(
    "button",
    {
      type: "button",
      class: "link-button",
      click: () => item && context.post({ type: "summary.open", entryId: item.id }),
    },
    t("Open summary"),
  );
  links.append(open, undo);
  const unsaved = unsavedMark();
  const line = h("div", { class: "marker-line" }, fold.button, unsaved);
  const element = h("article", { class: "row marker", tabindex: -1 }, line, fold.body);
  const summary = () => {
    if (!item || !fold.isOpen) return;
    if (!flow) {
      flow = new MarkdownFlow(context.markdown);
      fill(text, flow.element);
    }
    flow.update(item.summary, true);
  };
  return {
    element,
    update(marker) {
      item = marker;
      const isCompaction = marker.kind === "compaction";
      setAttribute(element, "aria-label", isCompaction ? t("Compaction") : t("Branch summary"));
      if (!symbol.firstChild) fill(symbol, icon(isCompaction ? "compact" : "branch"));
      setText(label, isCompaction ? compactionTitle(marker) : t("Summary of another branch"));
      setText(amount, isCompaction ? amountOf(marker) : "");
      setAttribute(fold.button, "title", isCompaction ? wholeTitle(marker) : undefined);
      show(undo, isCompaction && marker.canUndo && marker.saved);
      show(open, marker.saved);
      show(unsaved, !marker.saved);
      fold.update(marker.id, false);
      summary();
      setAttribute(
        element,
        "data-vscode-context",
        JSON.stringify({ webviewSection: "compaction", entryId: marker.id }),
      );
    },
  };
}

function compactionTitle(item: ItemOf<"compaction">): string {
  if (item.reason === "overflow") return t("Compacted, the context was full");
  if (item.reason === "threshold") return t("Auto-compacted");
  return t("Compacted");
}

/** Short enough to stand beside the title in a narrow side bar. */
function amountOf({ tokensBefore, tokensAfter }: ItemOf<"compaction">): string {
  const before = formatTokens(tokensBefore);
  if (tokensAfter === undefined) return t("{0} tokens before", before);
  const amount = `${before} → ${formatTokens(tokensAfter)}`;
  // Of a conversation that is short the summary can be longer than what it stands for.
  return tokensAfter < tokensBefore ? amount : `${amount} · ${t("freed nothing")}`;
}

/** All of it, for the pointer that rests on a line which had no room. */
function wholeTitle(item: ItemOf<"compaction">): string {
  const { tokensBefore, tokensAfter } = item;
  const before = formatTokens(tokensBefore);
  return [
    compactionTitle(item),
    tokensAfter === undefined
      ? t("{0} tokens before", before)
      : t("{0} → {1} tokens", before, formatTokens(tokensAfter)),
  ].join(": ");
}
