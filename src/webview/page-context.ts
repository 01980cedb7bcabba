// What every view of the page is given: the host, the state, and what is folded.
import type { FromWebview } from "../protocol/from-webview.ts";
import type { ChatState } from "../protocol/view-state.ts";
import type { MarkdownActions } from "./markdown.ts";

export interface PageContext {
  post(message: FromWebview): void;
  chat(): ChatState | null;
  readonly folds: Folds;
  readonly markdown: MarkdownActions;
  /** Puts text into the composer, after what is there. */
  suggest(text: string): void;
  focusComposer(): void;
}

/** What the person opened or closed by hand; everything else has its natural state. */
export class Folds {
  readonly #chosen: Map<string, boolean>;
  readonly #changed: () => void;

  constructor(saved: Iterable<[string, boolean]>, changed: () => void) {
    this.#chosen = new Map(saved);
    this.#changed = changed;
  }

  isOpen(key: string, natural: boolean): boolean {
    return this.#chosen.get(key) ?? natural;
  }

  set(key: string, open: boolean): void {
    this.#chosen.delete(key);
    this.#chosen.set(key, open);
    this.#changed();
  }

  /** An item that got its entry id keeps what was folded. */
  rename(id: string, newId: string): void {
    for (const [key, open] of [...this.#chosen]) {
      if (key !== id && !key.startsWith(`${id}/`)) continue;
      this.#chosen.delete(key);
      this.#chosen.set(newId + key.slice(id.length), open);
    }
  }

  /** The latest choices, to be saved. */
  entries(): [string, boolean][] {
    return [...this.#chosen].slice(-300);
  }
}
