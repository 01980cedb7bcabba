// Turns markdown into nodes: tokens become elements from a fixed list, text becomes text, nothing is ever loaded.
import MarkdownIt from "markdown-it";
import { cleanText } from "./clean-text.ts";
import { codeBlock } from "./code-block.ts";
import { h } from "./dom.ts";
import { icon } from "./icons.ts";
import { type LinkTarget, linkTarget } from "./link-target.ts";
import { t } from "./strings.ts";

type Token = ReturnType<InstanceType<typeof MarkdownIt>["parse"]>[number];

// Links are judged in link-target.ts, so that a refused one is still readable.
const parser = new MarkdownIt({ html: false, linkify: true, typographer: false });
parser.validateLink = () => true;
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

/** What the nodes may ask for when they are used. */
export interface MarkdownActions {
  follow(target: LinkTarget): void;
  copyCode(text: string): void;
  insertCode(text: string): void;
}

const ELEMENTS: Readonly<Record<string, keyof HTMLElementTagNameMap>> = {
  paragraph_open: "p",
  blockquote_open: "blockquote",
  bullet_list_open: "ul",
  ordered_list_open: "ol",
  list_item_open: "li",
  table_open: "table",
  thead_open: "thead",
  tbody_open: "tbody",
  tr_open: "tr",
  th_open: "th",
  td_open: "td",
  em_open: "em",
  strong_open: "strong",
  s_open: "s",
};

// A top-level block finds its own direction, and what is in it follows; code keeps left to right (checklist 67).
const CELLS = new Set(["th", "td"]);

/** One top-level block: where it begins in the text (in characters) and its only node. */
export interface MarkdownBlock {
  start: number;
  node: HTMLElement;
}

/** The top-level blocks of a markdown text, in order (security §1.D 36–41). */
export function renderBlocks(markdown: string, actions: MarkdownActions): MarkdownBlock[] {
  const text = cleanText(markdown);
  const tokens = parser.parse(text, {});
  markTasks(tokens);
  const starts = lineStarts(text);
  const blocks: MarkdownBlock[] = [];
  let from = 0;
  for (let i = 0; i < tokens.length; i++) {
    const token = tokens[i]!;
    if (token.level !== 0 || token.nesting === 1) continue;
    const fragment = document.createDocumentFragment();
    renderTokens(tokens.slice(from, i + 1), fragment, actions);
    const line = tokens[from]!.map?.[0] ?? 0;
    const node = fragment.firstElementChild;
    if (node instanceof HTMLElement) blocks.push({ start: starts[line] ?? 0, node });
    from = i + 1;
  }
  return blocks;
}

/** Where an item of a list begins with `[ ]` or `[x]`, the item is a task and the mark becomes a box. */
function markTasks(tokens: readonly Token[]): void {
  for (let i = 2; i < tokens.length; i++) {
    const item = tokens[i - 2]!;
    const first = tokens[i]!.children?.[0];
    if (item.type !== "list_item_open" || tokens[i]!.type !== "inline" || first?.type !== "text") continue;
    const mark = /^\[([ xX])\](?:\s+|$)/.exec(first.content);
    if (mark === null) continue;
    first.content = first.content.slice(mark[0].length);
    item.meta = { task: true };
    tokens[i]!.meta = { done: mark[1] !== " " };
  }
}

function lineStarts(text: string): number[] {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return starts;
}

function renderTokens(tokens: readonly Token[], root: Node, actions: MarkdownActions): void {
  const stack: Node[] = [root];
  for (const token of tokens) {
    const parent = stack.at(-1)!;
    if (token.nesting === 1) stack.push(open(token, parent, actions));
    else if (token.nesting === -1) stack.length > 1 && stack.pop();
    else leaf(token, parent, actions);
  }
}

/** Appends the element of an opening token; what is not on the list adds no element, its content stays. */
function open(token: Token, parent: Node, actions: MarkdownActions): Node {
  if (token.hidden) return parent;
  if (token.type === "link_open") return openLink(attribute(token, "href"), parent, actions);
  const tag = token.type === "heading_open" ? headingTag(token.tag) : ELEMENTS[token.type];
  if (!tag) return parent;
  const element = document.createElement(tag);
  if (token.level === 0 || CELLS.has(tag)) element.dir = "auto";
  if (token.type === "heading_open") element.className = `md-${token.tag}`;
  if (token.meta?.task === true) element.className = "task";
  if (tag === "ol") {
    const start = Number(token.attrGet("start") ?? 1);
    if (Number.isSafeInteger(start) && start !== 1) element.setAttribute("start", String(start));
  }
  if (CELLS.has(tag)) {
    const align = /text-align:(left|center|right)/.exec(attribute(token, "style"))?.[1];
    if (align) element.className = `align-${align}`;
  }
  if (tag === "table") {
    parent.appendChild(h("div", { class: "table-scroll", tabindex: 0 }, element));
    return element;
  }
  parent.appendChild(element);
  return element;
}

function attribute(token: Token, name: string): string {
  return String(token.attrGet(name) ?? "");
}

/** The page's own headings come first: a reply's `#` is its third level. */
function headingTag(tag: string): "h3" | "h4" | "h5" | "h6" {
  return tag === "h1" ? "h3" : tag === "h2" ? "h4" : tag === "h3" ? "h5" : "h6";
}

function openLink(address: string, parent: Node, actions: MarkdownActions): Node {
  const target = linkTarget(address);
  if (!target) {
    // Nothing to follow: the words stay, the address is told.
    const element = h("span", { class: "dead-link", title: address });
    parent.appendChild(element);
    return element;
  }
  // No href: the page itself can go nowhere, the host decides.
  const follow = (event: Event) => {
    event.preventDefault();
    actions.follow(target);
  };
  const element = h("a", {
    role: "link",
    tabindex: 0,
    title: target.title,
    click: follow,
    keydown: (event: KeyboardEvent) => event.key === "Enter" && follow(event),
  });
  parent.appendChild(element);
  return element;
}

function leaf(token: Token, parent: Node, actions: MarkdownActions): void {
  switch (token.type) {
    case "inline":
      if (token.meta !== null) parent.appendChild(taskBox((token.meta as { done: boolean }).done));
      renderTokens(token.children ?? [], parent, actions);
      return;
    case "code_inline":
      parent.appendChild(h("code", { dir: "ltr" }, token.content));
      return;
    case "fence":
    case "code_block":
      parent.appendChild(codeBlock(token.content, token.info, actions));
      return;
    case "hr":
    case "hardbreak":
      parent.appendChild(document.createElement(token.type === "hr" ? "hr" : "br"));
      return;
    case "softbreak":
      parent.appendChild(document.createTextNode("\n"));
      return;
    case "image":
      parent.appendChild(imageAsText(token, actions));
      return;
    default:
      parent.appendChild(document.createTextNode(token.content));
  }
}

function taskBox(done: boolean): HTMLElement {
  const label = done ? t("done") : t("not done");
  return h(
    "span",
    { class: done ? "task-box done" : "task-box", role: "img", "aria-label": label },
    done && icon("check"),
  );
}

/** A picture's words and address; it is never fetched (CamoLeak and its kind). */
function imageAsText(token: Token, actions: MarkdownActions): HTMLElement {
  const address = attribute(token, "src");
  const element = h("span", { class: "image-text" });
  const words = token.content || "image";
  const holder = linkTarget(address) ? openLink(address, element, actions) : element;
  holder.appendChild(document.createTextNode(words));
  element.appendChild(document.createTextNode(` (${address.length > 120 ? `${address.slice(0, 120)}…` : address})`));
  return element;
}
