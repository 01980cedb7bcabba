// Shows what is neither said nor called: notices with their ways out, entries of extensions, commands the person ran.
import { cleanText } from "./clean-text.ts";
import { fill, h, setAttribute, setText, show } from "./dom.ts";
import { Fold } from "./fold.ts";
import { icon } from "./icons.ts";
import type { ItemOf, ItemView } from "./item-view.ts";
import { MarkdownFlow } from "./markdown-flow.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

export function noticeView(context: PageContext): ItemView<ItemOf<"notice">> {
  const element = h("article", { class: "row", "aria-label": t("Notice"), tabindex: -1 });
  let shown = "";
  return {
    element,
    update(item) {
      const key = JSON.stringify([item.id, item.level, item.text, item.actions]);
      if (key === shown) return;
      shown = key;
      const buttons = item.actions.map((action, i) =>
        h(
          "button",
          {
            type: "button",
            class: i === 0 ? "button" : "button secondary",
            click: () => context.post({ type: "notice.action", itemId: item.id, actionId: action.id }),
          },
          action.title,
        ),
      );
      const word = item.level === "error" ? t("Error") : item.level === "warning" ? t("Warning") : t("Note");
      const body = h(
        "div",
        { class: "notice-body" },
        h(
          "div",
          { class: "notice-text", dir: "auto" },
          h("span", { class: "sr-only" }, `${word}: `),
          cleanText(item.text),
        ),
        buttons.length > 0 && h("div", { class: "buttons" }, ...buttons),
      );
      fill(element, h("div", { class: `notice notice-${item.level}` }, icon(item.level), body));
    },
  };
}

export function customView(context: PageContext): ItemView<ItemOf<"custom">> {
  const title = h("div", { class: "custom-title" });
  const flow = new MarkdownFlow(context.markdown);
  const element = h("article", { class: "row custom", tabindex: -1 }, title, flow.element);
  return {
    element,
    update(item) {
      setAttribute(element, "aria-label", cleanText(item.title) || t("Note"));
      setText(title, cleanText(item.title));
      flow.update(item.text, true);
    },
  };
}

export function bashView(context: PageContext): ItemView<ItemOf<"bash">> {
  const command = h("span", { class: "tool-title", dir: "ltr" });
  const status = h("span", { class: "tool-status" });
  const output = h("pre", { tabindex: 0, dir: "ltr", role: "group", "aria-label": t("Output") });
  const fold = new Fold(context.folds, "tool");
  fold.button.append(h("span", { class: "tool-symbol" }, icon("terminal")), command, status);
  fold.body.append(output);
  const element = h(
    "article",
    { class: "row tool", "aria-label": t("Your command"), tabindex: -1 },
    fold.button,
    fold.body,
  );
  return {
    element,
    update(item) {
      setText(command, cleanText(item.command).replaceAll("\n", " "));
      setText(output, cleanText(item.output));
      const failed = item.exitCode !== undefined && item.exitCode !== 0;
      setText(status, failed ? t("Exit code {0}", item.exitCode!) : "");
      element.dataset.status = failed ? "error" : "done";
      show(output, item.output !== "");
      fold.update(item.id, item.output.length < 600);
    },
  };
}
