// Colours finished code blocks when the page is idle; the highlighter's tree becomes nodes, never HTML.
import type { Emitter } from "highlight.js";
import hljs from "highlight.js/lib/core";
import bash from "highlight.js/lib/languages/bash";
import c from "highlight.js/lib/languages/c";
import cpp from "highlight.js/lib/languages/cpp";
import csharp from "highlight.js/lib/languages/csharp";
import css from "highlight.js/lib/languages/css";
import diff from "highlight.js/lib/languages/diff";
import dockerfile from "highlight.js/lib/languages/dockerfile";
import go from "highlight.js/lib/languages/go";
import ini from "highlight.js/lib/languages/ini";
import java from "highlight.js/lib/languages/java";
import javascript from "highlight.js/lib/languages/javascript";
import json from "highlight.js/lib/languages/json";
import kotlin from "highlight.js/lib/languages/kotlin";
import markdown from "highlight.js/lib/languages/markdown";
import php from "highlight.js/lib/languages/php";
import python from "highlight.js/lib/languages/python";
import ruby from "highlight.js/lib/languages/ruby";
import rust from "highlight.js/lib/languages/rust";
import sql from "highlight.js/lib/languages/sql";
import typescript from "highlight.js/lib/languages/typescript";
import xml from "highlight.js/lib/languages/xml";
import yaml from "highlight.js/lib/languages/yaml";
import { h } from "./dom.ts";

const LANGUAGES = {
  bash,
  c,
  cpp,
  csharp,
  css,
  diff,
  dockerfile,
  go,
  ini,
  java,
  javascript,
  json,
  kotlin,
  markdown,
  php,
  python,
  ruby,
  rust,
  sql,
  typescript,
  xml,
  yaml,
};
let registered = false;

/** Longer code stays plain: colouring it would hold the page for more than a frame or two. Characters. */
const MAX_CODE = 12_000;

const waiting = new Set<HTMLElement>();
let scheduled = false;

/** Colours the code blocks below this element, one per idle moment; what left the page meanwhile is skipped. */
export function queueHighlights(root: Element): void {
  for (const code of root.querySelectorAll<HTMLElement>("code[data-language]:not([data-coloured])")) {
    const size = code.textContent?.length ?? 0;
    if (size > 0 && size <= MAX_CODE) waiting.add(code);
  }
  schedule();
}

function schedule(): void {
  if (scheduled || waiting.size === 0) return;
  scheduled = true;
  // Safari has no idle callbacks: there one block follows another with a pause between.
  if ("requestIdleCallback" in window) requestIdleCallback(work, { timeout: 2000 });
  else setTimeout(() => work({ timeRemaining: () => 0 }), 50);
}

function work(deadline: Pick<IdleDeadline, "timeRemaining">): void {
  scheduled = false;
  do {
    const [code] = waiting;
    if (!code) return;
    waiting.delete(code);
    if (code.isConnected && !isSelected(code)) colour(code);
  } while (deadline.timeRemaining() > 8);
  schedule();
}

/** Replacing selected text would take the selection away. */
function isSelected(element: Element): boolean {
  const selection = document.getSelection();
  return selection !== null && !selection.isCollapsed && selection.containsNode(element, true);
}

function colour(code: HTMLElement): void {
  if (!registered) {
    for (const [name, language] of Object.entries(LANGUAGES)) hljs.registerLanguage(name, language);
    registered = true;
  }
  const language = code.dataset.language ?? "";
  if (!hljs.getLanguage(language)) return;
  const result = hljs.highlight(code.textContent ?? "", { language, ignoreIllegals: true });
  const nodes = document.createDocumentFragment();
  appendScope(nodes, (result._emitter as EmitterTree).rootNode);
  code.replaceChildren(nodes);
  code.setAttribute("data-coloured", "");
}

interface Scope {
  scope?: string;
  children: (Scope | string)[];
}
type EmitterTree = Emitter & { rootNode: Scope };

function appendScope(parent: Node, scope: Scope): void {
  for (const child of scope.children) {
    if (typeof child === "string") {
      parent.appendChild(document.createTextNode(child));
      continue;
    }
    const name = /^[a-z]+/.exec(child.scope ?? "")?.[0];
    const into = name && name !== "language" ? parent.appendChild(h("span", { class: `hl-${name}` })) : parent;
    appendScope(into, child);
  }
}
