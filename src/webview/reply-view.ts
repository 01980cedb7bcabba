// Shows a reply: its text and thinking block by block, how it ended, and what it cost.
import type { AssistantBlock } from "../protocol/view-state.ts";
import { cleanText } from "./clean-text.ts";
import { fill, h, setAttribute, setText, show } from "./dom.ts";
import { Fold } from "./fold.ts";
import { formatCost, formatTokens } from "./format-numbers.ts";
import { icon } from "./icons.ts";
import type { ItemOf, ItemView } from "./item-view.ts";
import { MarkdownFlow } from "./markdown-flow.ts";
import { MessageActions } from "./message-actions.ts";
import { heading } from "./message-view.ts";
import type { PageContext } from "./page-context.ts";
import { t } from "./strings.ts";

type Reply = ItemOf<"assistant">;

interface BlockView {
  type: AssistantBlock["type"];
  element: HTMLElement;
  update(block: AssistantBlock, key: string, finished: boolean): void;
}

export function replyView(context: PageContext): ItemView<Reply> {
  const blocks = h("div", { class: "blocks" });
  const ending = h("div", { class: "ending" });
  const actions = new MessageActions(context);
  const element = h(
    "article",
    { class: "row reply", "aria-label": "Coppice", tabindex: -1 },
    heading("Coppice"),
    blocks,
    ending,
    actions.element,
  );
  const views: BlockView[] = [];
  let endingShown = "";
  return {
    element,
    update(item) {
      item.blocks.forEach((block, i) => {
        if (views[i]?.type !== block.type) {
          const view = blockView(block.type, context);
          if (views[i]) views[i].element.replaceWith(view.element);
          else blocks.append(view.element);
          views[i] = view;
        }
        views[i]!.update(block, `${item.id}/${i}`, !item.streaming || i < item.blocks.length - 1);
      });
      for (const view of views.splice(item.blocks.length)) view.element.remove();
      const hasText = item.blocks.some((block) => block.type === "text" && block.text.trim() !== "");
      const key = JSON.stringify([item.stopReason, item.errorMessage, item.attempts, item.fate]);
      if (key !== endingShown) {
        endingShown = key;
        fill(ending, endingOf(item, context));
      }
      const isEnd = !item.streaming && item.stopReason !== "toolUse";
      actions.update(item, isEnd ? usageNote(item) : "");
      show(actions.element, !item.streaming && (hasText || (isEnd && item.stopReason !== undefined)));
      setAttribute(element, "aria-busy", item.streaming ? "true" : undefined);
      // A reply that only called tools has nothing to show but those, which stand below.
      show(element, item.blocks.some(isVisible) || ending.firstChild !== null);
      setAttribute(element, "data-vscode-context", JSON.stringify({ webviewSection: "message", entryId: item.id }));
    },
  };
}

function isVisible(block: AssistantBlock): boolean {
  return block.type === "text"
    ? block.text.trim() !== ""
    : block.type === "thinking" && (block.redacted || block.text !== "");
}

function blockView(type: AssistantBlock["type"], context: PageContext): BlockView {
  if (type === "thinking") return thinkingView(context);
  if (type === "toolCall") return { type, element: h("div", { hidden: true }), update: () => {} };
  const flow = new MarkdownFlow(context.markdown);
  return {
    type,
    element: flow.element,
    update: (block, _key, finished) => block.type === "text" && flow.update(block.text, finished),
  };
}

function thinkingView(context: PageContext): BlockView {
  const label = h("span", { class: "fold-title" });
  const text = h("div", { class: "thinking-text", dir: "auto" });
  let latest = "";
  const fillText = () => fold.isOpen && setText(text, cleanText(latest).trim());
  const fold = new Fold(context.folds, "thinking", () => fillText());
  fold.button.append(label);
  fold.body.append(text);
  const element = h("div", { class: "thinking-block" }, fold.button, fold.body);
  return {
    type: "thinking",
    element,
    update(block, key, finished) {
      if (block.type !== "thinking") return;
      latest = block.text;
      setText(
        label,
        block.redacted ? t("Thinking (hidden by the provider)") : finished ? t("Thought") : t("Thinking…"),
      );
      label.classList.toggle("shimmer", !finished);
      fold.button.disabled = block.text === "";
      fold.update(key, false);
      fillText();
      show(element, block.redacted || block.text !== "");
    },
  };
}

function endingOf(item: Reply, context: PageContext): HTMLElement | undefined {
  if (item.stopReason === "aborted") {
    return h("p", { class: "stopped" }, item.cutOff ? t("Cut off when the editor closed") : t("Stopped"));
  }
  if (item.stopReason === "length") {
    return h("p", { class: "stopped" }, icon("warning"), t("The reply was cut off at the model's output limit."));
  }
  if (item.stopReason !== "error" && item.errorMessage === undefined) return undefined;
  const words = h(
    "div",
    { class: "notice-text", dir: "auto" },
    cleanText(item.errorMessage ?? t("The request failed.")),
  );
  const note = fateNote(item);
  if (note !== "") words.append(" ", h("span", { class: "attempts" }, note));
  // Not the last word: what is tried again, or was, is no error of the conversation.
  if (item.fate !== undefined) {
    return h("div", { class: "notice notice-quiet" }, icon("retry"), h("div", { class: "notice-body" }, words));
  }
  return h(
    "div",
    { class: "notice notice-error" },
    icon("error"),
    h(
      "div",
      { class: "notice-body" },
      words,
      h(
        "div",
        { class: "buttons" },
        h("button", { type: "button", class: "button", click: () => context.post({ type: "run.retry" }) }, t("Retry")),
        h(
          "button",
          { type: "button", class: "button secondary", click: () => context.post({ type: "log.show" }) },
          t("Show log"),
        ),
      ),
    ),
  );
}

/** How often it failed, and what became of it. */
function fateNote({ attempts = 1, fate }: Reply): string {
  if (fate === "retried") {
    return attempts > 1 ? t("Tried again after {0} failures.", attempts) : t("Tried again.");
  }
  const tried = attempts > 1 ? t("Tried {0} times.", attempts) : "";
  return fate === "retrying" ? `${tried} ${t("Trying again…")}`.trim() : tried;
}

/** "Sonnet · 12k in, 340 out · $0.02" */
function usageNote(item: Reply): string {
  const parts = [item.model];
  if (item.usage) {
    const { input, cacheRead, cacheWrite, output, costUsd, estimated } = item.usage;
    const about = estimated ? "~" : "";
    parts.push(
      t("{0} in, {1} out", about + formatTokens(input + cacheRead + cacheWrite), about + formatTokens(output)),
    );
    if (costUsd !== undefined) parts.push(formatCost(costUsd));
  }
  return parts.filter((part) => part !== "").join(" · ");
}
