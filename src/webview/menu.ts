// A small menu that opens above its button: arrows move, Enter chooses, Esc and leaving close it.
import { h, setAttribute } from "./dom.ts";
import { icon } from "./icons.ts";

export interface MenuItem {
  title: string;
  detail?: string;
  checked?: boolean;
  run(): void;
}

let closeOpen: (() => void) | undefined;

/** Closes the open menu. @returns false where there was none */
export function closeMenu(): boolean {
  const close = closeOpen;
  closeOpen = undefined;
  close?.();
  return close !== undefined;
}

/** Opens a menu inside `host` (which is positioned), named `label`; a second call on the same button closes it. */
export function openMenu(host: HTMLElement, button: HTMLElement, label: string, items: readonly MenuItem[]): void {
  const wasOpen = button.getAttribute("aria-expanded") === "true";
  closeMenu();
  if (wasOpen) return;
  const menu = h("div", { class: "menu", role: "menu", "aria-label": label });
  let closed = false;
  const close = (back: boolean) => {
    // Removing the menu takes the focus from it, which would close it once more.
    if (closed) return;
    closed = true;
    menu.remove();
    setAttribute(button, "aria-expanded", "false");
    closeOpen = undefined;
    if (back) button.focus();
  };
  for (const item of items) {
    const checkable = item.checked !== undefined;
    menu.append(
      h(
        "button",
        {
          type: "button",
          class: "menu-item",
          role: checkable ? "menuitemradio" : "menuitem",
          "aria-checked": checkable ? String(item.checked) : undefined,
          tabindex: -1,
          click: () => {
            close(true);
            item.run();
          },
        },
        h("span", { class: "menu-check" }, item.checked ? icon("check") : null),
        h(
          "span",
          { class: "menu-words" },
          h("span", {}, item.title),
          item.detail && h("span", { class: "note" }, item.detail),
        ),
      ),
    );
  }
  menu.addEventListener("keydown", (event) => onKey(event, menu, close));
  menu.addEventListener("focusout", (event) => {
    const to = event.relatedTarget;
    if (to !== button && !(to instanceof Node && menu.contains(to))) close(false);
  });
  host.append(menu);
  setAttribute(button, "aria-expanded", "true");
  closeOpen = () => close(true);
  (menu.querySelector<HTMLElement>('[aria-checked="true"]') ?? (menu.firstElementChild as HTMLElement | null))?.focus();
}

function onKey(event: KeyboardEvent, menu: HTMLElement, close: (back: boolean) => void): void {
  const items = [...menu.querySelectorAll<HTMLElement>(".menu-item")];
  const at = items.indexOf(document.activeElement as HTMLElement);
  const targets: Record<string, number> = { ArrowDown: at + 1, ArrowUp: at - 1, Home: 0, End: items.length - 1 };
  const target = targets[event.key];
  if (event.key === "Tab") {
    close(true);
    return;
  }
  if (event.key === "Escape") close(true);
  else if (target !== undefined) items[(target + items.length) % items.length]?.focus();
  else return;
  event.preventDefault();
  event.stopPropagation();
}
