// Shows a change of a file as lines that say by sign and by colour what they are.
import type { DiffView } from "../protocol/view-state.ts";
import { cleanText } from "./clean-text.ts";
import { type Child, h } from "./dom.ts";
import { t } from "./strings.ts";

/** Lines shown at most; the whole stands in the editor's diff. */
const MAX_LINES = 400;

/** "+12 −3", with words for who does not see it. */
export function diffCounts(diff: DiffView): HTMLElement {
  return h(
    "span",
    { class: "diff-counts", role: "img", "aria-label": t("{0} lines added, {1} removed", diff.added, diff.removed) },
    h("span", { class: "added" }, `+${diff.added}`),
    " ",
    h("span", { class: "removed" }, `−${diff.removed}`),
  );
}

/** The hunks; `openWhole` is offered always, because the editor shows them better. */
export function diffView(diff: DiffView, openWhole: () => void): HTMLElement {
  const lines: Child[] = diff.lines.slice(0, MAX_LINES).map((line) => {
    const kind = line.startsWith("@@")
      ? "hunk"
      : line.startsWith("+")
        ? "added"
        : line.startsWith("-")
          ? "removed"
          : "same";
    return h("div", { class: `diff-line ${kind}` }, cleanText(line) || " ");
  });
  const cut = diff.truncated || diff.lines.length > MAX_LINES;
  return h(
    "div",
    { class: "diff", dir: "ltr" },
    h(
      "div",
      { class: "diff-lines", tabindex: 0, role: "group", "aria-label": t("Change of {0}", diff.path) },
      ...lines,
    ),
    h(
      "div",
      { class: "diff-foot" },
      cut && h("span", { class: "note" }, t("Not all lines are shown.")),
      h("button", { type: "button", class: "link-button", click: openWhole }, t("Open diff")),
    ),
  );
}
