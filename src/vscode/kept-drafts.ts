// Drafts of the composers, of the side bar's and of each tab's, kept in the workspace state within a moment: an editor that
// runs in a browser, or that dies, gives a page only what it had saved up to a minute before.
import type * as vscode from "vscode";
import type { FromWebview } from "../protocol/from-webview.ts";
import type { ToWebview } from "../protocol/to-webview.ts";

const STATE_KEY = "coppice.keptDrafts";
const MAX_DRAFTS = 50;
/** Longer drafts (characters) are the page's alone. */
const MAX_TEXT = 200_000;
/** Changes within this time (ms) are written together. */
const WRITE_PAUSE_MS = 300;

type Changed = Extract<FromWebview, { type: "draft.changed" }>;
type Kept = Pick<Changed, "text" | "revision" | "given">;

/** A session may stand in the side bar and in a tab, with a draft in each. */
function keyOf(sessionId: string, isTab: boolean): string {
  return isTab ? `tab ${sessionId}` : sessionId;
}

export class KeptDrafts {
  readonly #state: Pick<vscode.Memento, "get" | "update">;
  #drafts: Map<string, Kept> | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(state: Pick<vscode.Memento, "get" | "update">) {
    this.#state = state;
  }

  /** Tells a page what is kept for the session that it shows. */
  tell(sessionId: string, isTab: boolean, post: (message: ToWebview) => void): void {
    const kept = this.#all().get(keyOf(sessionId, isTab)) ?? { text: "", revision: 0, given: [] };
    post({ type: "draft.kept", sessionId, ...kept });
  }

  changed({ sessionId, text, revision, given }: Changed, isTab: boolean): void {
    const drafts = this.#all();
    const key = keyOf(sessionId, isTab);
    drafts.delete(key);
    if (text.length <= MAX_TEXT) drafts.set(key, { text, revision, given });
    this.#timer ??= setTimeout(() => void this.#write(), WRITE_PAUSE_MS);
  }

  async #write(): Promise<void> {
    this.#timer = undefined;
    await this.#state.update(STATE_KEY, [...this.#all()].slice(-MAX_DRAFTS));
  }

  #all(): Map<string, Kept> {
    if (this.#drafts === undefined) {
      const stored = this.#state.get<unknown>(STATE_KEY);
      this.#drafts = new Map(Array.isArray(stored) ? stored.filter(isKept) : []);
    }
    return this.#drafts;
  }
}

function isKept(value: unknown): value is [string, Kept] {
  if (!Array.isArray(value) || typeof value[0] !== "string") return false;
  const kept = value[1] as Partial<Kept> | null;
  return typeof kept?.text === "string" && typeof kept.revision === "number" && Array.isArray(kept.given);
}
