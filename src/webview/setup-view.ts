// What stands in an empty conversation: a short welcome, the way to a model, and three things to try.
import type { ChatState } from "../protocol/view-state.ts";
import { h } from "./dom.ts";
import { icon, mark } from "./icons.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

/** A welcome for this state; made anew when what it says changes (see `setupKey`). */
export function setupView(chat: ChatState, context: PageContext): HTMLElement {
  const { setup, viewing } = chat;
  if (viewing !== null) {
    const text = t("Nothing was said before this point. What you send from here begins a branch of its own.");
    return h("div", { class: "welcome" }, mark(), h("p", { class: "welcome-text" }, text));
  }
  return h(
    "div",
    { class: "welcome" },
    mark(),
    h("h2", {}, setup ? t("Choose a model to begin") : t("What shall we grow?")),
    h(
      "p",
      { class: "welcome-text" },
      setup
        ? t("Bring the one you have. You can change it at any time.")
        : t("Go back to any point, branch from it, and nothing is lost."),
    ),
    setup
      ? h(
          "div",
          { class: "cards" },
          ...setup.map((choice) => card(choice, () => context.post({ type: "setup.choose", choiceId: choice.id }))),
        )
      : h(
          "div",
          { class: "examples", role: "group", "aria-label": t("Examples") },
          ...examples().map((text) => example(text, () => context.suggest(text))),
          h(
            "button",
            {
              type: "button",
              class: "link-button",
              click: () => context.post({ type: "setup.choose", choiceId: "sample" }),
            },
            t("Or look at a sample session"),
          ),
        ),
  );
}

/** Changes when the welcome would look different. */
export function setupKey(chat: ChatState): string {
  return JSON.stringify([chat.setup, chat.model?.isDemo ?? false, chat.viewing !== null]);
}

function card(choice: { title: string; detail: string }, click: () => void): HTMLElement {
  return h(
    "button",
    { type: "button", class: "card", click },
    h("span", { class: "card-title" }, choice.title),
    choice.detail !== "" && h("span", { class: "note" }, choice.detail),
  );
}

function example(text: string, click: () => void): HTMLElement {
  return h("button", { type: "button", class: "example", click }, icon("wand"), h("span", {}, text));
}

function examples(): string[] {
  return [
    t("Explain how this project is put together"),
    t("Find a bug in the code I am looking at"),
    t("Write tests for the file that is open"),
  ];
}
