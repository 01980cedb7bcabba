// Builds elements: the only place that turns names and attributes into nodes.

export type AttributeValue = string | number | boolean | undefined | ((event: never) => void);
export type Child = Node | string | null | undefined | false;

/**
 * An element with attributes and children. Functions become listeners of the event that the key names; `true` an empty
 * attribute; `false` and `undefined` none. Never give it `style` or an attribute name that came from outside.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Record<string, AttributeValue> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value as EventListener);
    else setAttribute(element, name, value);
  }
  append(element, children);
  return element;
}

/** Sets, or for `false` and `undefined` removes; touches nothing where the value is already that. */
export function setAttribute(element: Element, name: string, value: string | number | boolean | undefined): void {
  if (value === undefined || value === false) {
    if (element.hasAttribute(name)) element.removeAttribute(name);
    return;
  }
  const text = value === true ? "" : String(value);
  if (element.getAttribute(name) !== text) element.setAttribute(name, text);
}

/** Appends what is there of the children. */
export function append(parent: Node, children: readonly Child[]): void {
  for (const child of children) {
    if (child) parent.appendChild(typeof child === "string" ? document.createTextNode(child) : child);
  }
}

/** Replaces all children. */
export function fill(parent: Element, ...children: Child[]): void {
  parent.replaceChildren();
  append(parent, children);
}

/** Writes the text where it differs, so that a node which did not change keeps its selection. */
export function setText(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text;
}

/** Shows or hides without a style. */
export function show(element: HTMLElement, visible: boolean): void {
  if (element.hidden === visible) element.hidden = !visible;
}
