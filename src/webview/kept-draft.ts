// Drafts as the host keeps them: an editor in a browser forgets what the page saved last when its window is loaded again.
import type { FromWebview } from "../protocol/from-webview.ts";
import type { ToWebview } from "../protocol/to-webview.ts";
import type { ChatState } from "../protocol/view-state.ts";
import { type Draft, joinDrafts } from "./saved-page.ts";

type KeptDraft = Extract<ToWebview, { type: "draft.kept" }>;

/**
 * What a draft goes by: the session, or "" where that has no message yet. Such a session is in no list and gone with its
 * window; what was typed in it belongs to the next one.
 */
export function draftKey(chat: Pick<ChatState, "session"> | null): string {
  return chat?.session?.file === undefined ? "" : chat.session.id;
}

export class HostDrafts {
  readonly #post: (message: FromWebview) => void;
  /** The revision that the page itself came back with: what the host kept later is newer than the page. */
  readonly #loaded: number;
  #revision: number;
  /** What the host was last told or has told, by key; only where it has spoken is it told anything. */
  readonly #told = new Map<string, string>();

  constructor(revision: number, post: (message: FromWebview) => void) {
    this.#loaded = revision;
    this.#revision = revision;
    this.#post = post;
  }

  /** Grows with every change that the host is told of; belongs into what the page saves. */
  get revision(): number {
    return this.#revision;
  }

  /**
   * What belongs into the composer of the session now: `shown` stands in it, `restored` is the text that the page itself
   * brought back. Undefined where that stays as it is.
   */
  hear(message: KeptDraft, shown: Draft, restored: string): Draft | undefined {
    if (this.#told.has(message.sessionId)) return undefined;
    this.#told.set(message.sessionId, message.text);
    const isNewer = message.revision > this.#loaded;
    this.#revision = Math.max(this.#revision, message.revision);
    if (!isNewer || message.text === shown.text) return undefined;
    const end = message.text.length;
    const kept: Draft = { text: message.text, caret: [end, end], images: [] };
    if (shown.text !== restored) return joinDrafts(kept, shown);
    // What the page brought back is older, and nothing was typed since; where the words are gone, so are the pictures.
    return { ...kept, images: message.text === "" ? [] : shown.images };
  }

  /** A session has had its first message: the host cannot have a draft of it. */
  begin(sessionId: string): void {
    this.#told.set(sessionId, "");
  }

  /** Tells the host of a draft that has changed. `given`: ids of what the host has put into it. */
  keep(sessionId: string, text: string, given: string[]): void {
    const before = this.#told.get(sessionId);
    if (before === undefined || before === text) return;
    this.#told.set(sessionId, text);
    this.#revision++;
    this.#post({ type: "draft.changed", sessionId, text, revision: this.#revision, given });
  }
}
