// Shows one block of code: its language, copy and insert, and the text that highlight.ts colours later.
import { h } from "./dom.ts";
import { icon } from "./icons.ts";
import { t } from "./strings.ts";

interface CodeActions {
  copyCode(text: string): void;
  insertCode(text: string): void;
}

/** `info` is what stands after the fence; only its first word counts, and only where it looks like a language. */
export function codeBlock(content: string, info: string, actions: CodeActions): HTMLElement {
  const language = /^[\w+#.-]{1,30}/.exec(info.trim())?.[0] ?? "";
  const code = h("code", { "data-language": language.toLowerCase() });
  code.textContent = content.endsWith("\n") ? content.slice(0, -1) : content;
  const name = language === "" ? t("Code") : t("Code, {0}", language);
  return h(
    "div",
    { class: "code", dir: "ltr", role: "group", "aria-label": name },
    h(
      "div",
      { class: "code-head" },
      h("span", { class: "code-language" }, language),
      actionButton("copy", t("Copy code"), (text) => actions.copyCode(text)),
      actionButton("insert", t("Insert at cursor"), (text) => actions.insertCode(text)),
    ),
    h("pre", { tabindex: 0 }, code),
  );
}

function actionButton(name: "copy" | "insert", title: string, run: (text: string) => void): HTMLElement {
  // The text is read when it is wanted: while streaming it grows under the button.
  const click = (event: Event) => {
    const block = (event.currentTarget as Element).closest(".code");
    run(block?.querySelector("code")?.textContent ?? "");
  };
  return h("button", { type: "button", class: "icon-button", "aria-label": title, title, click }, icon(name));
}
