// Words of the person that no file and no composer holds: queued for a run, or on their way back. They outlive the window.
import type * as vscode from "vscode";
import type { QueuedItem } from "../core/agent/message-queue.ts";
import type { HarnessEvent } from "../core/harness/harness-events.ts";
import { messageText } from "../core/harness/session-memory.ts";
import type { AgentMessage } from "../core/llm/messages.ts";
import type { ToWebview } from "../protocol/to-webview.ts";
import type { OpenSession } from "./open-session.ts";

const STATE_KEY = "coppice.keptWords";
/** Sessions whose words are kept; the oldest go first. */
const MAX_SESSIONS = 50;
/** Messages at the end of a session among which sent ones are looked for. */
const MAX_LOOKED_AT = 200;

export interface Picture {
  mimeType: string;
  data: string;
}

/** As it stands in the workspace state. */
interface Kept {
  id: string;
  text: string;
  images: Picture[];
  /** Of the queued message: by it the session knows what was sent after all. */
  timestamp: number;
  /** It belongs into the composer already. */
  theirs?: boolean;
}

interface Item extends Kept {
  /** The queued message, while this window knows it. */
  message: AgentMessage | undefined;
  /** `queued`: waits in a run, or is being saved. `theirs`: belongs into the composer. */
  state: "queued" | "theirs";
  focus: boolean;
  /** The page that it was handed to; another one does not get it as well. */
  host: WordsHost | undefined;
}

/** A page with a composer. */
export interface WordsHost {
  readonly open: OpenSession | undefined;
  readonly isReady: boolean;
  post(message: ToWebview): void;
}

export interface WordsServices {
  state: Pick<vscode.Memento, "get" | "update">;
  newId: () => string;
  hosts: () => readonly WordsHost[];
  /** Brings the chat of the side bar into view. */
  reveal: () => Promise<unknown>;
  /** The session in the side bar's chat. */
  current: () => OpenSession | undefined;
}

export class KeptWords {
  readonly #services: WordsServices;
  readonly #items = new Map<string, Item[]>();

  constructor(services: WordsServices) {
    this.#services = services;
  }

  /** Follows the queues of a session. */
  async hear(open: OpenSession, event: HarnessEvent): Promise<void> {
    const items = this.#of(open);
    switch (event.type) {
      case "queue_update": {
        const known = new Set(items.map((item) => item.message));
        const added = [...event.steering, ...event.followUp].filter(({ message }) => !known.has(message));
        if (added.length === 0) return;
        return await this.#keep(open, [...items, ...added.map((queued) => this.#queued(queued))]);
      }
      case "entries_saved": {
        const saved = new Set(event.saved.map(({ message }) => message));
        const left = items.filter(({ message }) => message === undefined || !saved.has(message));
        if (left.length < items.length) await this.#keep(open, left);
        return;
      }
      case "queue_returned": {
        const rest = items.filter((item) => !event.items.some(({ message }) => message === item.message));
        const theirs = event.items.map((item): Item => ({ ...this.#queued(item), state: "theirs" }));
        await this.#keep(open, [...rest, ...theirs]);
        return await this.#bringUp(open);
      }
      default:
        return;
    }
  }

  /** Takes a message out of its queue because the person does not want it any more. */
  async removeQueued(open: OpenSession, id: string): Promise<void> {
    const { steering, followUp } = open.harness.queues;
    const queued = [...steering, ...followUp].find((item) => item.id === id);
    if (!open.harness.removeQueued(id)) return;
    await this.#keep(
      open,
      this.#of(open).filter((item) => item.message !== queued?.message),
    );
  }

  /** Puts words into the composer of the session's chat, behind a draft that stands there, as soon as a page shows it. */
  async offer(open: OpenSession, text: string, images: readonly Picture[] = []): Promise<void> {
    const item: Item = {
      ...{ id: this.#services.newId(), text, images: [...images], timestamp: 0 },
      ...{ message: undefined, state: "theirs", focus: true, host: undefined },
    };
    await this.#keep(open, [...this.#of(open), item]);
    await this.#bringUp(open);
  }

  /**
   * A session was opened: what was queued in it when its window ended belongs into the composer, unless it was sent after
   * all. Resolves with how many queued messages came back. Nothing is ever sent from here.
   */
  async restore(open: OpenSession): Promise<number> {
    const old = (this.#stored()[open.session.id] ?? []).filter(isKept);
    const waiting = old.map(
      (kept): Item => ({
        ...kept,
        ...{ message: undefined, state: kept.theirs === true ? "theirs" : "queued", focus: false, host: undefined },
      }),
    );
    this.#items.set(open.session.id, waiting);
    if (waiting.length === 0) return 0;
    await open.session.ready();
    const queued = waiting.filter(({ state }) => state === "queued");
    const sent = await sentAmong(queued, open);
    for (const item of waiting) item.state = "theirs";
    await this.#keep(
      open,
      this.#of(open).filter((item) => !sent.has(item)),
    );
    this.deliver(open);
    return queued.length - sent.size;
  }

  /**
   * Hands what belongs to the person to a page that shows the session. It stays kept until it has left the composer again:
   * what only a page holds is gone with a window that dies. A page takes the same words once.
   */
  deliver(open: OpenSession): void {
    const hosts = this.#services.hosts();
    for (const item of this.#of(open)) {
      if (item.state !== "theirs") continue;
      const before = item.host !== undefined && hosts.includes(item.host) ? item.host : undefined;
      const host = before ?? hosts.find((candidate) => candidate.open === open && candidate.isReady);
      if (host?.open !== open || !host.isReady) continue;
      item.host = host;
      const { id, text, images, focus } = item;
      host.post({ type: "composer.add", id, text, images, focus });
    }
  }

  /** The words of this id were sent from the composer, or taken out of it. */
  async done(open: OpenSession, id: string): Promise<void> {
    const items = this.#of(open);
    const left = items.filter((item) => item.id !== id);
    if (left.length < items.length) await this.#keep(open, left);
  }

  async #bringUp(open: OpenSession): Promise<void> {
    const isShown = this.#services.hosts().some((host) => host.open === open);
    if (!isShown && this.#services.current() === open) await this.#services.reveal();
    this.deliver(open);
  }

  #of(open: OpenSession): readonly Item[] {
    return this.#items.get(open.session.id) ?? [];
  }

  #queued({ message }: QueuedItem): Item {
    const images = message.role === "user" && typeof message.content !== "string" ? message.content : [];
    return {
      id: this.#services.newId(),
      text: messageText(message),
      images: images.flatMap((part) => (part.type === "image" ? [{ mimeType: part.mimeType, data: part.data }] : [])),
      timestamp: message.timestamp ?? 0,
      ...{ message, state: "queued", focus: true, host: undefined },
    };
  }

  #stored(): Record<string, Kept[]> {
    const stored = this.#services.state.get<Record<string, Kept[]>>(STATE_KEY);
    return typeof stored === "object" && stored !== null ? stored : {};
  }

  async #keep(open: OpenSession, items: readonly Item[]): Promise<void> {
    const { id } = open.session;
    this.#items.set(id, [...items]);
    const { [id]: _before, ...others } = this.#stored();
    const kept = items.map(
      ({ id: own, text, images, timestamp, state }): Kept => ({
        ...{ id: own, text, images, timestamp },
        ...(state === "theirs" ? { theirs: true } : {}),
      }),
    );
    const all = [...Object.entries(others), ...(kept.length === 0 ? [] : [[id, kept] as const])];
    await this.#services.state.update(STATE_KEY, Object.fromEntries(all.slice(-MAX_SESSIONS)));
  }
}

function isKept(value: unknown): value is Kept {
  const kept = value as Partial<Kept> | null;
  return typeof kept?.id === "string" && typeof kept.text === "string" && Array.isArray(kept.images);
}

/** Those that stand in the session: saved, before the window could note it. */
async function sentAmong(items: readonly Item[], open: OpenSession): Promise<Set<Item>> {
  const users = [...open.session.allIds()].filter((id) => open.session.node(id)?.role === "user");
  const said = new Set<string>();
  for (const entry of await open.session.getEntries(users.slice(-MAX_LOOKED_AT))) {
    if (entry.type === "message") said.add(`${entry.message.timestamp} ${messageText(entry.message)}`);
  }
  return new Set(items.filter((item) => said.has(`${item.timestamp} ${item.text}`)));
}
