// The page of a branch comparison: two branches side by side, from where they part.
import type {
  ComparisonSide,
  ComparisonState,
  FromComparison,
  SpendingView,
  ToComparison,
} from "../protocol/comparison.ts";
import { fill, h } from "./dom.ts";
import { formatCost, formatTokens } from "./format-numbers.ts";
import { connectPanel } from "./panel.ts";
import { setStrings, t } from "./strings.ts";

const post = connectPanel<ToComparison, FromComparison>((message) => {
  if (message.type !== "state") return;
  setStrings(message.strings);
  render(message.state);
});

const root = h("main", { class: "wide" });
document.body.append(root);
post({ type: "view.ready" });

function render(state: ComparisonState): void {
  const { common } = state;
  fill(
    root,
    h(
      "header",
      {},
      h("h1", {}, t("Two branches")),
      h("p", { class: "session" }, state.title),
      h(
        "p",
        { class: "size" },
        common === null
          ? t("They have nothing in common.")
          : t("They part after {0}: {1}", common.kindName, common.title),
      ),
    ),
    h(
      "dl",
      { class: "facts" },
      ...fact(t("Shared"), `${t("{0} entries", state.shared)} · ${spent(state.sharedSpending)}`),
      ...fact(t("Together"), t("{0}, the shared part counted once", spent(state.together))),
    ),
    h("div", { class: "columns" }, ...state.sides.map((side, index) => sideView(side, state.sides[1 - index]!))),
  );
}

function fact(name: string, value: string): [HTMLElement, HTMLElement] {
  return [h("dt", {}, name), h("dd", {}, value)];
}

function spent(spending: SpendingView): string {
  const cost =
    spending.costUsd === null
      ? t("cost unknown")
      : `${formatCost(spending.costUsd)}${spending.partly ? ` ${t("and what has no known price")}` : ""}`;
  return t(
    "{0} requests, {1} tokens read, {2} written, {3}",
    spending.requests,
    formatTokens(spending.input),
    formatTokens(spending.output),
    cost,
  );
}

function files(list: readonly string[], others: ReadonlySet<string>): string {
  if (list.length === 0) return t("none");
  return list.map((path) => (others.has(path) ? `${path} (${t("on both")})` : path)).join(", ");
}

function sideView(side: ComparisonSide, other: ComparisonSide): HTMLElement {
  const heading = `side-${side.leafId}`;
  return h(
    "section",
    { "aria-labelledby": heading },
    h("h2", { id: heading }, side.name, side.position ? h("span", { class: "badge" }, t("position")) : null),
    h(
      "p",
      { class: "actions" },
      h(
        "button",
        { type: "button", class: "quiet", click: () => post({ type: "entry.show", entryId: side.leafId }) },
        t("Show in the chat"),
      ),
      side.position
        ? null
        : h(
            "button",
            { type: "button", class: "quiet", click: () => post({ type: "branch.continue", entryId: side.leafId }) },
            t("Continue from here"),
          ),
    ),
    h(
      "dl",
      { class: "facts" },
      ...fact(t("Entries"), String(side.rows.length + side.hidden)),
      ...fact(t("Changed"), files(side.modifiedFiles, new Set(other.modifiedFiles))),
      ...fact(t("Read"), files(side.readFiles, new Set())),
      ...fact(t("Spent"), spent(side.spending)),
    ),
    side.rows.length === 0
      ? h("p", { class: "muted" }, t("Nothing of its own: this branch ends where the other goes on."))
      : h("ol", { class: "rows" }, ...side.rows.map(row)),
    side.hidden > 0 ? h("p", { class: "muted" }, t("{0} more entries", side.hidden)) : null,
  );
}

function row(entry: ComparisonSide["rows"][number]): HTMLElement {
  return h(
    "li",
    { class: `row ${entry.kind}` },
    h(
      "details",
      {},
      h(
        "summary",
        {},
        h("span", { class: "kind" }, entry.kindName),
        h("span", { class: "title", dir: "auto" }, entry.title || "–"),
      ),
      h("pre", { dir: "auto" }, entry.text),
    ),
  );
}
