// Shows one growing markdown text: finished blocks are frozen, only the last is rendered again, the whole once at the end.
import { cleanText } from "./clean-text.ts";
import { h } from "./dom.ts";
import { queueHighlights } from "./highlight.ts";
import { type MarkdownActions, renderBlocks } from "./markdown.ts";
import { morphChildren } from "./morph.ts";

export class MarkdownFlow {
  readonly element = h("div", { class: "md" });
  readonly #actions: MarkdownActions;
  #text = "";
  #finished = false;
  /** Characters and nodes before the block that still grows. */
  #frozenText = 0;
  #frozenNodes = 0;

  constructor(actions: MarkdownActions) {
    this.#actions = actions;
  }

  /** Shows the text; while not finished it may only grow, anything else starts over (performance §5). */
  update(markdown: string, finished: boolean): void {
    const text = cleanText(markdown);
    if (text === this.#text && finished === this.#finished) return;
    if (finished || !text.startsWith(this.#text)) {
      this.#frozenText = 0;
      this.#frozenNodes = 0;
    }
    this.#text = text;
    this.#finished = finished;
    const blocks = renderBlocks(text.slice(this.#frozenText), this.#actions);
    const before = this.#frozenNodes;
    morphChildren(
      this.element,
      blocks.map((block) => block.node),
      before,
    );
    if (finished) {
      queueHighlights(this.element);
    } else if (blocks.length > 1) {
      this.#frozenText += blocks.at(-1)!.start;
      this.#frozenNodes += blocks.length - 1;
      for (let i = before; i < this.#frozenNodes; i++) queueHighlights(this.element.children[i]!);
    }
  }
}
