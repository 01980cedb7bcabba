// The list of commands above the composer while `/` is being typed; the focus stays in the text.
import { h, setAttribute, show } from "./dom.ts";
import { t } from "./strings.ts";

interface Command {
  name: string;
  description: string;
}

export class SlashList {
  readonly element = h("div", {
    class: "slash",
    role: "listbox",
    id: "slash-list",
    "aria-label": t("Commands"),
    hidden: true,
  });
  readonly #input: HTMLTextAreaElement;
  readonly #choose: (name: string) => void;
  #commands: readonly Command[] = [];
  #at = 0;

  constructor(input: HTMLTextAreaElement, choose: (name: string) => void) {
    this.#input = input;
    this.#choose = choose;
  }

  get isOpen(): boolean {
    return !this.element.hidden;
  }

  /** Shows these commands, or nothing for undefined. */
  update(commands: readonly Command[] | undefined): void {
    if (commands && commands.map((c) => c.name).join() === this.#commands.map((c) => c.name).join() && this.isOpen)
      return;
    this.#commands = commands ?? [];
    this.#at = 0;
    this.element.replaceChildren(
      ...this.#commands.map((command, i) =>
        h(
          "div",
          {
            class: "slash-item",
            role: "option",
            id: `slash-${i}`,
            // The text keeps the focus.
            mousedown: (event: Event) => event.preventDefault(),
            click: () => this.#choose(command.name.replace(/^\//, "")),
          },
          h("span", { class: "slash-name" }, `/${command.name.replace(/^\//, "")}`),
          h("span", { class: "note" }, command.description),
        ),
      ),
    );
    show(this.element, this.#commands.length > 0);
    this.#mark();
  }

  close(): void {
    this.update(undefined);
  }

  /** @returns true where the key belonged to the list */
  onKey(event: KeyboardEvent): boolean {
    if (!this.isOpen) return false;
    const count = this.#commands.length;
    if (event.key === "ArrowDown") this.#at = (this.#at + 1) % count;
    else if (event.key === "ArrowUp") this.#at = (this.#at + count - 1) % count;
    else if (event.key === "Escape") this.close();
    else if ((event.key === "Enter" || event.key === "Tab") && !event.shiftKey) {
      const name = this.#commands[this.#at]!.name.replace(/^\//, "");
      // A command typed in full is sent, not completed once more.
      if (event.key === "Enter" && this.#input.value === `/${name}`) return false;
      this.#choose(name);
    } else return false;
    this.#mark();
    event.preventDefault();
    event.stopPropagation();
    return true;
  }

  #mark(): void {
    [...this.element.children].forEach((option, i) => {
      setAttribute(option, "aria-selected", i === this.#at ? "true" : "false");
      if (i === this.#at) option.scrollIntoView({ block: "nearest" });
    });
    setAttribute(this.#input, "aria-activedescendant", this.isOpen ? `slash-${this.#at}` : undefined);
    setAttribute(this.#input, "aria-controls", this.isOpen ? "slash-list" : undefined);
  }
}
