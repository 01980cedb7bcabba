// The small toolbar of a message (edit, copy, fork, label) and the switcher between sibling branches.
import type { FromWebview } from "../protocol/from-webview.ts";
import type { Siblings, TranscriptItem } from "../protocol/view-state.ts";
import { fill, h } from "./dom.ts";
import { formatMoment, formatTime } from "./format-times.ts";
import { type IconName, icon } from "./icons.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

/** A button that shows an icon and is named by its title. */
export function iconButton(
  name: IconName,
  title: string,
  click: (event: Event) => void,
  className = "",
): HTMLButtonElement {
  return h(
    "button",
    { type: "button", class: `icon-button ${className}`.trim(), "aria-label": title, title, click },
    icon(name),
  );
}

export class MessageActions {
  readonly element = h("div", { class: "actions" });
  readonly #context: PageContext;
  #shown = "";

  constructor(context: PageContext) {
    this.#context = context;
  }

  /** Rebuilds the toolbar where something of it changed. An entry that is not saved yet can only wait. */
  update(item: TranscriptItem, note: string): void {
    const siblings = "siblings" in item ? item.siblings : undefined;
    const key = JSON.stringify([item.id, item.saved, item.label, siblings, note]);
    if (key === this.#shown) return;
    this.#shown = key;
    const switcher = siblings && siblings.count > 1 && this.#switcher(siblings);
    const label =
      item.label !== undefined &&
      h(
        "span",
        { class: "label-chip", title: item.label },
        icon("label"),
        h("span", { class: "label-words", dir: "auto" }, item.label),
      );
    // What is always seen takes a line of its own; a toolbar alone floats over the corner of its message.
    const stays = Boolean(switcher || label || note !== "");
    this.element.className = stays ? "actions" : item.saved ? "actions floating" : "actions bare";
    fill(
      this.element,
      switcher,
      label,
      item.saved ? this.#toolbar(item) : unsavedMark(),
      note !== "" && h("span", { class: "note", title: note }, note),
    );
  }

  #toolbar(item: TranscriptItem): HTMLElement {
    const post = (message: FromWebview) => () => this.#context.post(message);
    const entryId = item.id;
    return h(
      "div",
      { class: "hover-actions" },
      timeOf(item.timestamp),
      item.kind === "user" && iconButton("edit", t("Edit"), post({ type: "message.edit", entryId })),
      iconButton("copy", t("Copy"), post({ type: "entry.copy", entryId })),
      iconButton("fork", t("Fork"), post({ type: "entry.fork", entryId })),
      iconButton("label", t("Label"), post({ type: "entry.label", entryId })),
    );
  }

  #switcher(siblings: Siblings): HTMLElement {
    const button = (name: IconName, title: string, entryId: string | undefined) => {
      const element = iconButton(name, title, () => {
        if (entryId !== undefined) this.#context.post({ type: "branch.show", entryId });
      });
      element.disabled = entryId === undefined;
      return element;
    };
    return h(
      "div",
      { class: "siblings", role: "group", "aria-label": t("Branches from here") },
      button("chevronLeft", t("Previous branch"), siblings.previousId),
      h("span", { class: "siblings-count" }, `${siblings.index + 1}/${siblings.count}`),
      button("chevronRight", t("Next branch"), siblings.nextId),
    );
  }
}

/** When it was said; the whole date behind it. */
function timeOf(timestamp: number): HTMLElement | undefined {
  if (timestamp <= 0) return undefined;
  const date = new Date(timestamp);
  return h("time", { class: "time", datetime: date.toISOString(), title: formatMoment(date) }, formatTime(date));
}

/** The sign that this stands on the screen but not yet on the disk. */
export function unsavedMark(): HTMLElement {
  return h("span", { class: "unsaved", role: "img", "aria-label": t("Not saved yet"), title: t("Not saved yet") });
}
