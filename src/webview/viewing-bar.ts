// Says that an earlier point is shown, and offers to continue there or to go back; nothing moves before.
import type { ChatState } from "../protocol/view-state.ts";
import type { Leaving } from "./composer.ts";
import { fill, h, setAttribute, show } from "./dom.ts";
import { icon } from "./icons.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

type Choice = Leaving["summary"];

export class ViewingBar {
  readonly element = h("section", { class: "viewing", "aria-label": t("Earlier point"), hidden: true });
  readonly #context: PageContext;
  readonly #focus: HTMLInputElement;
  readonly #edit = h("input", { type: "checkbox" });
  readonly #editLine = h(
    "label",
    { class: "check", hidden: true },
    this.#edit,
    t("Edit the summary before it is attached"),
  );
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
    this.#choice = viewing.ask === "always" && viewing.abandonedEntries > 0 ? "standard" : "none";
    fill(
      this.element,
      h(
        "div",
        { class: "viewing-head" },
        icon("branch"),
        h(
          "span",
          { class: "viewing-title", dir: "auto" },
          t("Viewing an earlier point"),
          viewing.title === "" ? null : h("span", { class: "note" }, viewing.title),
        ),
      ),
      viewing.ask === "ask" && viewing.abandonedEntries > 0 && this.#question(viewing.abandonedEntries),
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "button", class: "button", click: () => this.#continue() }, t("Continue from here")),
        h(
          "button",
          { type: "button", class: "button secondary", click: () => this.#context.post({ type: "branch.leave" }) },
          t("Back to current"),
        ),
      ),
    );
  }

  /** How the branch is left when a message is sent from the shown point; undefined while none is shown. */
  get leaving(): Leaving | undefined {
    if (!this.#context.chat()?.viewing) return undefined;
    return {
      summary: this.#choice,
      instructions: this.#choice === "custom" ? this.#focus.value.trim() : "",
      ...(this.#choice !== "none" && this.#edit.checked && !this.#editLine.hidden ? { edit: true } : {}),
    };
  }

  #continue(): void {
    const leaving = this.leaving;
    if (leaving) this.#context.post({ type: "branch.continue", ...leaving });
  }

  #question(entries: number): HTMLElement {
    const choices: [Choice, string][] = [
      ["none", t("No summary")],
      ["standard", t("Summarise")],
      ["custom", t("Summarise with focus")],
    ];
    const buttons = choices.map(([choice, title]) =>
      h("button", { type: "button", class: "segment", role: "radio", click: () => select(choice) }, title),
    );
    const select = (choice: Choice) => {
      this.#choice = choice;
      buttons.forEach((button, i) => {
        const checked = choices[i]![0] === choice;
        setAttribute(button, "aria-checked", checked ? "true" : "false");
        button.tabIndex = checked ? 0 : -1;
      });
      show(this.#focus, choice === "custom");
      show(this.#editLine, choice !== "none");
      if (choice === "custom" && this.element.contains(document.activeElement)) this.#focus.focus();
    };
    const group = h(
      "div",
      { class: "segments", role: "radiogroup", "aria-label": t("Summary of the branch being left") },
      ...buttons,
    );
    group.addEventListener("keydown", (event) => {
      const step =
        event.key === "ArrowRight" || event.key === "ArrowDown"
          ? 1
          : event.key === "ArrowLeft" || event.key === "ArrowUp"
            ? -1
            : 0;
      const at = buttons.indexOf(event.target as HTMLButtonElement);
      if (step === 0 || at < 0) return;
      event.preventDefault();
      const next = (at + step + buttons.length) % buttons.length;
      buttons[next]!.focus();
      select(choices[next]![0]);
      buttons[next]!.focus();
    });
    select(this.#choice);
    return h(
      "div",
      { class: "viewing-question" },
      h(
        "div",
        { class: "note" },
        entries === 1
          ? t("1 entry will be left behind, not lost.")
          : t("{0} entries will be left behind, not lost.", entries),
      ),
      group,
      this.#focus,
      this.#editLine,
    );
  }
}
