// Keys that count everywhere on the page: stop, move between messages, scroll, and typing that finds the composer.
import { closeMenu } from "./menu.ts";

export interface KeyTargets {
  isRunning(): boolean;
  stop(): void;
  focusNeighbour(step: 1 | -1): void;
  focusComposer(): void;
  /** The element that scrolls. */
  scroller: HTMLElement;
  composer: HTMLElement;
}

/** Listens on the document; keys that a control has used itself (default prevented) are left alone. */
export function listenForKeys(targets: KeyTargets): void {
  document.addEventListener("keydown", (event) => {
    if (event.defaultPrevented || event.isComposing) return;
    const inTranscript = targets.scroller.contains(document.activeElement);
    const onRow =
      document.activeElement === targets.scroller || document.activeElement?.classList.contains("row") === true;
    if (event.key === "Escape") {
      if (closeMenu()) return;
      if (inTranscript) targets.focusComposer();
      else if (targets.isRunning()) targets.stop();
      else return;
    } else if ((event.key === "ArrowUp" || event.key === "ArrowDown") && (event.altKey || (inTranscript && onRow))) {
      targets.focusNeighbour(event.key === "ArrowUp" ? -1 : 1);
    } else if ((event.key === "PageUp" || event.key === "PageDown") && document.activeElement === targets.composer) {
      targets.scroller.scrollBy({ top: (event.key === "PageUp" ? -0.9 : 0.9) * targets.scroller.clientHeight });
    } else {
      return;
    }
    event.preventDefault();
  });
}
