// Shows what the person said.
import { cleanText } from "./clean-text.ts";
import { fill, h, setAttribute, setText, show } from "./dom.ts";
import { Fold } from "./fold.ts";
import type { ItemOf, ItemView } from "./item-view.ts";
import { MessageActions } from "./message-actions.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

/** Longer messages fold: most were pasted. Lines and characters. */
const FOLD_LINES = 14;
const FOLD_TEXT = 1800;

export function messageView(context: PageContext): ItemView<ItemOf<"user">> {
  const text = h("div", { class: "user-text", dir: "auto" });
  const images = h("div", { class: "images" });
  const fold = new Fold(context.folds, "fold-more", () => apply());
  const foldLabel = h("span");
  fold.button.append(foldLabel);
  const actions = new MessageActions(context);
  const bubble = h("div", { class: "bubble" }, images, text, fold.button);
  const element = h(
    "article",
    { class: "row user", "aria-label": t("You"), tabindex: -1 },
    heading(t("You")),
    bubble,
    actions.element,
  );
  let imagesShown: unknown;
  const apply = () => {
    text.classList.toggle("clipped", !fold.button.hidden && !fold.isOpen);
    setText(foldLabel, fold.isOpen ? t("Show less") : t("Show more"));
  };
  return {
    element,
    update(item) {
      setText(text, cleanText(item.text));
      show(text, item.text !== "");
      const isLong = item.text.length > FOLD_TEXT || countLines(item.text) > FOLD_LINES;
      show(fold.button, isLong);
      fold.update(item.id, false);
      apply();
      if (imagesShown !== item.images) {
        imagesShown = item.images;
        fill(images, ...item.images.map((image) => picture(image)));
        show(images, item.images.length > 0);
      }
      actions.update(item, "");
      setAttribute(element, "data-vscode-context", JSON.stringify({ webviewSection: "message", entryId: item.id }));
    },
  };
}

/** A heading for who moves through the conversation by headings (checklist 60). */
export function heading(author: string): HTMLElement {
  return h("h2", { class: "sr-only" }, author);
}

/** The person's own picture, from its data; anything but a base64 picture of a known kind is told in words. */
export function picture(image: { mimeType: string; data: string }): HTMLElement {
  const known = /^image\/(png|jpeg|gif|webp)$/.test(image.mimeType) && /^[A-Za-z0-9+/]+=*$/.test(image.data);
  if (!known) return h("span", { class: "image-text" }, t("Image ({0})", image.mimeType));
  const element = h("img", { alt: t("Attached image") });
  element.src = `data:${image.mimeType};base64,${image.data}`;
  return element;
}

function countLines(text: string): number {
  let lines = 1;
  for (let at = text.indexOf("\n"); at >= 0 && lines <= FOLD_LINES; at = text.indexOf("\n", at + 1)) lines++;
  return lines;
}
