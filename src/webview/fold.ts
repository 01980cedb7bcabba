// A row that opens: one line as a button, and what is below it while open.
import { h, setAttribute, show } from "./dom.ts";
import { icon } from "./icons.ts";
import type { Folds } from "./page-context.ts";

export class Fold {
  readonly button: HTMLButtonElement;
  readonly body = h("div", { class: "fold-body" });
  readonly #folds: Folds;
  readonly #opened: () => void;
  #key = "";
  #natural = false;

  /** `opened` is called after each change by hand, so that a body can be filled only when it is seen. */
  constructor(folds: Folds, className: string, opened: () => void = () => {}) {
    this.#folds = folds;
    this.#opened = opened;
    this.button = h(
      "button",
      { type: "button", class: `fold ${className}`, click: () => this.#toggle() },
      icon("chevronRight", "fold-chevron"),
    );
    show(this.body, false);
  }

  get isOpen(): boolean {
    return this.#folds.isOpen(this.#key, this.#natural);
  }

  /** The key under which the choice is kept, and whether it is open where no choice was made. */
  update(key: string, natural: boolean): void {
    this.#key = key;
    this.#natural = natural;
    this.#apply();
  }

  #toggle(): void {
    this.#folds.set(this.#key, !this.isOpen);
    this.#apply();
    this.#opened();
  }

  #apply(): void {
    setAttribute(this.button, "aria-expanded", this.isOpen ? "true" : "false");
    show(this.body, this.isOpen);
  }
}
