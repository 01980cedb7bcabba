// Turns what stands in the page into what should stand there with the fewest changes, so that selections survive.

/**
 * Makes the children of `parent`, from index `from` on, equal to `wanted`. Equal nodes stay the same objects; text that grew
 * is appended to (reports 79). Nodes of `wanted` are moved into the page where they are needed.
 */
export function morphChildren(parent: Node, wanted: readonly Node[], from = 0): void {
  for (let i = 0; i < wanted.length; i++) {
    const now = parent.childNodes[from + i];
    const want = wanted[i]!;
    if (!now) parent.appendChild(want);
    else if (!morph(now, want)) parent.replaceChild(want, now);
  }
  while (parent.childNodes.length > from + wanted.length) parent.removeChild(parent.lastChild!);
}

/** @returns false where the node must be replaced */
function morph(now: Node, want: Node): boolean {
  if (now instanceof Text && want instanceof Text) {
    if (want.data.startsWith(now.data)) {
      if (want.data.length > now.data.length) now.appendData(want.data.slice(now.data.length));
    } else {
      now.data = want.data;
    }
    return true;
  }
  if (!(now instanceof Element) || !(want instanceof Element) || !sameShell(now, want)) return false;
  if (now.tagName === "CODE" && now.hasAttribute("data-coloured")) return now.textContent === want.textContent;
  if (now instanceof SVGElement) return true;
  morphChildren(now, [...want.childNodes]);
  return true;
}

function sameShell(now: Element, want: Element): boolean {
  if (now.tagName !== want.tagName) return false;
  const names = now.getAttributeNames().filter((name) => name !== "data-coloured");
  return (
    names.length === want.getAttributeNames().length &&
    names.every((name) => now.getAttribute(name) === want.getAttribute(name)) &&
    // A link carries its target in its listener, so only the very same address may keep the node.
    (now.tagName !== "A" || now.getAttribute("title") === want.getAttribute("title"))
  );
}
