// How much a model takes: what is configured, or what its server said when it was too much (product.md, small windows).
import { type Model, modelKey } from "../llm/model.ts";

/** Tokens, for as long as no model is chosen. */
const FALLBACK_WINDOW = 128_000;

export class ModelWindows {
  readonly #learned = new Map<string, number>();

  /** Tokens. */
  of(model: Model | undefined): number {
    if (model === undefined) return FALLBACK_WINDOW;
    return this.#learned.get(modelKey(model)) ?? model.contextWindow;
  }

  /** False where that is no window, or was known. */
  learn(model: Model, window: number): boolean {
    if (!Number.isSafeInteger(window) || window <= 0 || window === this.of(model)) return false;
    this.#learned.set(modelKey(model), window);
    return true;
  }
}
