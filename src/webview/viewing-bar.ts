// Says which other point is shown than the position, and offers to continue there or to go back; nothing moves before.
import type { ChatState, ViewedPointView } from "../protocol/view-state.ts";
import { cleanText } from "./clean-text.ts";
import type { Leaving } from "./composer.ts";
import { fill, h, setAttribute, show } from "./dom.ts";
import { type IconName, icon } from "./icons.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

type Viewing = NonNullable<ChatState["viewing"]>;
type Choice = Leaving["summary"];

export class ViewingBar {
  readonly element = h("section", { class: "viewing", hidden: true });
  readonly #context: PageContext;
  readonly #focus: HTMLInputElement;
  readonly #edit = h("input", { type: "checkbox" });
  /** What a summary needs to know; hidden while none is wanted. */
  readonly #details = h("div", { class: "viewing-details", hidden: true });
  #choice: Choice = "none";
  #shown = "";

  constructor(context: PageContext) {
    this.#context = context;
    this.#focus = h("input", {
      type: "text",
      class: "text-input",
      "aria-label": t("Focus of the summary"),
      placeholder: t("What must the summary keep?"),
      dir: "auto",
      hidden: true,
    });
    this.#focus.addEventListener("keydown", (event) => {
      if (event.key === "Enter" && !event.isComposing) this.#continue();
    });
  }

  update(viewing: ChatState["viewing"]): void {
    const key = JSON.stringify(viewing);
    if (key === this.#shown) return;
    this.#shown = key;
    show(this.element, viewing !== null);
    if (!viewing) return;
    const asks = viewing.ask === "ask" && viewing.abandonedEntries > 0;
    this.#choice = viewing.ask === "always" && viewing.abandonedEntries > 0 ? "standard" : "none";
    const { name, whole } = namesOf(viewing);
    setAttribute(this.element, "aria-label", whole);
    const isOther = viewing.kind === "otherBranch" || viewing.kind === "otherBranchPoint";
    fill(
      this.element,
      h(
        "div",
        { class: "viewing-line" },
        h(
          "div",
          { class: "viewing-name", title: `${whole}\n${t("Nothing moves until you continue or send from here.")}` },
          icon(isOther ? "branch" : "clock"),
          h("span", { class: "viewing-kind" }, name),
          viewing.title !== "" &&
            h(
              "span",
              { class: "viewing-words", dir: "auto" },
              viewing.labelled && icon("label"),
              cleanText(viewing.title),
            ),
        ),
        h(
          "div",
          { class: "viewing-go" },
          h("button", { type: "button", class: "button", click: () => this.#continue() }, t("Continue from here")),
          asks && this.#question(viewing.abandonedEntries),
        ),
        h(
          "div",
          { class: "viewing-ways" },
          isOther &&
            wayButton("diff", t("Compare"), t("Compare with the current branch"), () =>
              this.#context.post({ type: "branch.compare" }),
            ),
          wayButton("undo", t("Back to current"), t("Back to current"), () =>
            this.#context.post({ type: "branch.leave" }),
          ),
        ),
      ),
      asks && this.#details,
    );
  }

  /** How the branch is left when a message is sent from the shown point; undefined while none is shown. */
  get leaving(): Leaving | undefined {
    const viewing = this.#context.chat()?.viewing;
    if (!viewing) return undefined;
    const edit = this.#choice !== "none" && this.#edit.checked && viewing.ask === "ask";
    return {
      summary: this.#choice,
      instructions: this.#choice === "custom" ? this.#focus.value.trim() : "",
      ...(edit ? { edit: true } : {}),
    };
  }

  #continue(): void {
    const leaving = this.leaving;
    if (leaving) this.#context.post({ type: "branch.continue", ...leaving });
  }

  /** Which summary of the branch that is left is wanted; what it needs stands below once there is one. */
  #question(entries: number): HTMLElement {
    const left =
      entries === 1
        ? t("1 entry will be left behind, not lost.")
        : t("{0} entries will be left behind, not lost.", entries);
    const select = h(
      "select",
      { "aria-label": t("Summary of the branch being left"), title: left, "aria-description": left },
      h("option", { value: "none" }, t("No summary")),
      h("option", { value: "standard" }, t("Summarise")),
      h("option", { value: "custom" }, t("Summarise with focus")),
    );
    const choose = () => {
      this.#choice = select.value as Choice;
      show(this.#details, this.#choice !== "none");
      show(this.#focus, this.#choice === "custom");
    };
    select.addEventListener("change", () => {
      choose();
      if (this.#choice === "custom") this.#focus.focus();
    });
    select.value = this.#choice;
    fill(
      this.#details,
      h("div", { class: "note" }, left),
      this.#focus,
      h("label", { class: "check" }, this.#edit, t("Edit the summary before it is attached")),
    );
    choose();
    return h("span", { class: "select" }, select, icon("chevronDown"));
  }
}

/** What is shown, in a word or two, and as a whole sentence. */
function namesOf({ kind, title }: ViewedPointView & Pick<Viewing, "ask">): { name: string; whole: string } {
  const words = cleanText(title);
  const called = (whole: string) => (words === "" ? whole : `${whole}: ${words}`);
  switch (kind) {
    case "earlier":
      return { name: t("Earlier point"), whole: called(t("Earlier point of this branch")) };
    case "later":
      return { name: t("Later point"), whole: called(t("Later point of this branch")) };
    case "otherBranch":
      return { name: t("Another branch"), whole: called(t("Another branch")) };
    case "otherBranchPoint":
      return { name: t("Another branch"), whole: called(t("Earlier point of another branch")) };
  }
}

/** A button whose words go where there is no room for them; its name stays. */
function wayButton(symbol: IconName, words: string, title: string, click: () => void): HTMLElement {
  return h(
    "button",
    { type: "button", class: "way", "aria-label": title, title, click },
    icon(symbol),
    h("span", { class: "way-words" }, words),
  );
}
