// The line at the top: which session this is, whether it is saved, compaction and a new session.
import type { ChatState } from "../protocol/view-state.ts";
import { h, setAttribute, setText, show } from "./dom.ts";
import { icon } from "./icons.ts";
import { iconButton } from "./message-actions.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

export class Header {
  readonly element: HTMLElement;
  readonly #title = h("span", { class: "session-title", dir: "auto" });
  readonly #pick: HTMLButtonElement;
  readonly #pi = h("span", { class: "badge", hidden: true, title: t("This session lives in Pi's folder") }, "Pi");
  readonly #unsaved = h("span", { class: "unsaved", role: "img", "aria-label": t("Not saved yet"), hidden: true });
  readonly #compact: HTMLButtonElement;

  constructor(context: PageContext) {
    this.#pick = h(
      "button",
      {
        type: "button",
        class: "session-pick",
        "aria-description": t("Open another session"),
        click: () => context.post({ type: "session.pick" }),
      },
      this.#title,
      icon("chevronDown"),
    );
    this.#compact = iconButton("compact", t("Compact"), () =>
      context.post({ type: "compact.start", instructions: "" }),
    );
    const fresh = iconButton("add", t("New Session"), () => context.post({ type: "session.new" }));
    this.element = h(
      "header",
      { class: "header" },
      this.#pick,
      this.#pi,
      this.#unsaved,
      h("span", { class: "spring" }),
      this.#compact,
      fresh,
    );
  }

  update(chat: ChatState | null): void {
    const session = chat?.session ?? null;
    const title = session ? session.title || t("Untitled session") : t("New session");
    setText(this.#title, title);
    setAttribute(this.#pick, "title", title);
    show(this.#pi, session?.fromPi === true);
    const unsaved = session?.unsavedReason;
    show(this.#unsaved, unsaved !== undefined);
    setAttribute(this.#unsaved, "title", unsaved);
    const canCompact =
      session !== null && chat?.phase === "idle" && chat.items.length > 0 && chat.trusted && !session.readOnlyReason;
    this.#compact.disabled = !canCompact;
  }
}
