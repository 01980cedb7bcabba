// Lists the messages that wait for their turn in a run.
import type { QueuedMessage } from "../protocol/view-state.ts";
import { fill, h, show } from "./dom.ts";
import { icon } from "./icons.ts";
import { iconButton } from "./message-actions.ts";
import { t } from "./strings.ts";

export class QueueView {
  readonly element = h("ul", { class: "queue", "aria-label": t("Queued messages"), hidden: true });
  readonly #remove: (id: string) => void;
  #shown: readonly QueuedMessage[] = [];

  constructor(remove: (id: string) => void) {
    this.#remove = remove;
  }

  update(queue: readonly QueuedMessage[]): void {
    if (queue === this.#shown) return;
    this.#shown = queue;
    fill(
      this.element,
      ...queue.map((message) =>
        h(
          "li",
          { class: "queued" },
          icon(message.mode === "steer" ? "chevronRight" : "clock"),
          h("span", { class: "queued-mode" }, message.mode === "steer" ? t("Next") : t("After")),
          h("span", { class: "queued-text", dir: "auto", title: message.text.slice(0, 500) }, message.text),
          iconButton("close", t("Remove from queue"), () => this.#remove(message.id)),
        ),
      ),
    );
    show(this.element, queue.length > 0);
  }
}
