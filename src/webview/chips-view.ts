// Shows what the next message will carry: files and selections of the host, pictures of the page.
import type { ChatState } from "../protocol/view-state.ts";
import { fill, h, show } from "./dom.ts";
import { icon } from "./icons.ts";
import { iconButton } from "./message-actions.ts";
import { picture } from "./message-view.ts";
import type { DraftImage } from "./saved-page.ts";
import { t } from "./strings.ts";

export class Chips {
  readonly element = h("ul", { class: "chips", "aria-label": t("Attachments"), hidden: true });
  #shown: unknown[] = [];

  update(
    attachments: ChatState["attachments"],
    images: readonly DraftImage[],
    remove: { attachment(id: string): void; image(index: number): void },
  ): void {
    const now = [...attachments, ...images];
    if (now.length === this.#shown.length && now.every((one, i) => one === this.#shown[i])) return;
    this.#shown = now;
    fill(
      this.element,
      ...attachments.map((one) =>
        h(
          "li",
          { class: "chip", title: one.detail },
          icon("file"),
          h("span", { class: "chip-title", dir: "auto" }, one.title),
          iconButton("close", t("Remove {0}", one.title), () => remove.attachment(one.id)),
        ),
      ),
      ...images.map((image, i) =>
        h(
          "li",
          { class: "chip chip-image" },
          picture(image),
          iconButton("close", t("Remove picture {0}", i + 1), () => remove.image(i)),
        ),
      ),
    );
    show(this.element, now.length > 0);
  }
}
