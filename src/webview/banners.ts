// Lines above the composer that say what limits this chat: trust, a read-only or unsaved session, no folder, work going on.
import type { FromWebview } from "../protocol/from-webview.ts";
import type { ChatState } from "../protocol/view-state.ts";
import { fill, h, show } from "./dom.ts";
import { type IconName, icon } from "./icons.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

interface Banner {
  icon: IconName;
  level: "info" | "warning" | "error";
  text: string;
  /** The way out, where there is one. */
  action?: { title: string; message: FromWebview };
}

/** What must be said, the most urgent first. */
export function bannersOf(chat: ChatState): Banner[] {
  const banners: Banner[] = [];
  const session = chat.session;
  if (session?.unsavedReason)
    banners.push({ icon: "warning", level: "error", text: t("Not saved: {0}", session.unsavedReason) });
  if (!chat.trusted)
    banners.push({
      icon: "shield",
      level: "warning",
      text: t("Restricted Mode: sessions can be read. Trust this workspace to send messages."),
      action: { title: t("Manage Trust"), message: { type: "trust.manage" } },
    });
  if (session?.readOnlyReason) banners.push({ icon: "info", level: "info", text: session.readOnlyReason });
  if (!chat.hasWorkspace)
    banners.push({
      icon: "info",
      level: "info",
      text: t("No folder is open. Coppice works on the files of a folder: open one to begin."),
    });
  return banners;
}

export class Banners {
  readonly element: HTMLElement;
  readonly #list = h("div", { class: "banners", hidden: true });
  readonly #progress = h("div", { class: "progress", hidden: true });
  readonly #context: PageContext;
  #shown = "";

  constructor(context: PageContext) {
    this.#context = context;
    this.element = h("div", {}, this.#list, this.#progress);
  }

  #wayOut({ action }: Banner): (string | HTMLElement)[] {
    if (action === undefined) return [];
    const click = () => this.#context.post(action.message);
    return [" ", h("button", { type: "button", class: "link-button", click }, action.title)];
  }

  update(chat: ChatState | null): void {
    const banners = chat ? bannersOf(chat) : [];
    const progress = chat?.progress ?? null;
    const key = JSON.stringify([banners, progress]);
    if (key === this.#shown) return;
    this.#shown = key;
    fill(
      this.#list,
      ...banners.map((one) =>
        h(
          "div",
          { class: `banner banner-${one.level}`, dir: "auto" },
          icon(one.icon),
          h("span", {}, one.text, ...this.#wayOut(one)),
        ),
      ),
    );
    show(this.#list, banners.length > 0);
    const cancel = () => this.#context.post({ type: "progress.cancel" });
    fill(
      this.#progress,
      progress && icon("spinner", "spin"),
      progress && h("span", { class: "progress-text", dir: "auto" }, progress.text),
      progress?.cancellable && h("button", { type: "button", class: "link-button", click: cancel }, t("Cancel")),
    );
    show(this.#progress, progress !== null);
  }
}
