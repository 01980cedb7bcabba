// The open sessions, each with a harness of its own; runs go on whatever is shown (product.md "One session, one harness").
import * as vscode from "vscode";
import { entryText } from "../core/harness/session-memory.ts";
import type { Session } from "../core/session/session.ts";
import { type AgentSide, OpenSession, type SessionSurroundings, titleOf } from "./open-session.ts";

/** Where session files come from; the folder is the working directory of new sessions. */
export interface SessionSource {
  create(cwd: string): Session;
  open(path: string): Promise<Session>;
  isPi(path: string): boolean;
}

export class SessionService implements vscode.Disposable {
  readonly #source: SessionSource;
  readonly #surroundings: SessionSurroundings;
  readonly #state: vscode.Memento;
  readonly #open = new Map<string, OpenSession>();
  readonly #currentChanged = new vscode.EventEmitter<OpenSession | undefined>();
  readonly #changed = new vscode.EventEmitter<OpenSession>();
  readonly #opened = new vscode.EventEmitter<OpenSession>();
  #current: OpenSession | undefined;
  #remembered: string | undefined;
  /** Another session came to be the one of the side bar. */
  readonly onDidChangeCurrent = this.#currentChanged.event;
  /** Status or title of any open session changed. */
  readonly onDidChangeSession = this.#changed.event;
  /** A session was opened or begun. */
  readonly onDidOpen = this.#opened.event;

  constructor(source: SessionSource, surroundings: SessionSurroundings, state: vscode.Memento) {
    this.#source = source;
    this.#surroundings = surroundings;
    this.#state = state;
  }

  get current(): OpenSession | undefined {
    return this.#current;
  }
  get all(): OpenSession[] {
    return [...this.#open.values()];
  }

  #adopt(session: Session, agent: AgentSide, fromPi: boolean, isCopy = false): OpenSession {
    const opened = new OpenSession(session, this.#surroundings, agent, fromPi);
    opened.isCopy = isCopy;
    this.#open.set(session.id, opened);
    opened.onDidChange(() => {
      // What is in the chat is no news.
      if (opened === this.#current) opened.hasNews = false;
      this.#changed.fire(opened);
    });
    this.#opened.fire(opened);
    // The file of a new session appears with its first message; a crash from then on finds it again.
    opened.onDidChangeTree(() => {
      if (opened === this.#current && opened.session.file !== this.#remembered) this.rememberCurrent();
    });
    return opened;
  }

  /** A new session of a folder, or the one without a message that there is; its file appears with the first message. */
  async create(cwd: string): Promise<OpenSession> {
    // Models first: a session that is begun by a hook's prompt has the chosen one.
    const [agent] = await Promise.all([this.#surroundings.agent(), this.#surroundings.ready()]);
    const blank = this.all.find((open) => open.isBlank && open.session.cwd === cwd && open.phase === "idle");
    if (blank !== undefined) return blank;
    const opened = this.#adopt(this.#source.create(cwd), agent, false);
    opened.isBlank = true;
    return opened;
  }

  /** Opens a file, or hands out the session that has it open already. */
  async open(path: string): Promise<OpenSession> {
    const known = this.all.find((open) => open.session.file === path);
    if (known !== undefined) return known;
    const [session, agent] = await Promise.all([this.#source.open(path), this.#surroundings.agent()]);
    const twice = this.#open.get(session.id);
    if (twice !== undefined && twice.session.file === path) {
      await session.close();
      return twice;
    }
    const opened = this.#adopt(session, agent, this.#source.isPi(path));
    this.#restore(opened);
    return opened;
  }

  /** What it is called, and what it was used with: neither waits for the other. */
  #restore(opened: OpenSession): void {
    const { session, harness } = opened;
    const title = async () => {
      await session.ready();
      for (const id of session.allIds()) {
        if (session.node(id)?.role !== "user") continue;
        const entry = await session.getEntry(id);
        if (entry !== undefined) opened.firstPrompt ??= titleOf(entryText(entry));
        break;
      }
      opened.notifyChanged();
    };
    const settings = async () => {
      await this.#surroundings.ready();
      await harness.restore();
      opened.notifyChanged();
    };
    // What cannot be restored shows as it is; the transcript tells of damage.
    for (const part of [title, settings]) part().catch(() => {});
  }

  /** Takes over a session that another part made (a fork, an import). */
  async take(session: Session): Promise<OpenSession> {
    const opened = this.#adopt(session, await this.#surroundings.agent(), false, true);
    this.#restore(opened);
    return opened;
  }

  setCurrent(opened: OpenSession | undefined): void {
    if (this.#current === opened) return;
    this.#current = opened;
    opened?.seen();
    this.rememberCurrent();
    this.#currentChanged.fire(opened);
  }

  /** The last open session comes back after a reload (product.md). */
  rememberCurrent(): void {
    this.#remembered = this.#current?.session.file;
    void this.#state.update("coppice.lastSession", this.#remembered);
  }
  get lastFile(): string | undefined {
    return this.#state.get<string>("coppice.lastSession");
  }

  find(id: string): OpenSession | undefined {
    return this.#open.get(id);
  }

  async close(opened: OpenSession): Promise<void> {
    this.#open.delete(opened.session.id);
    if (this.#current === opened) this.setCurrent(undefined);
    await opened.dispose();
  }

  /** Saves and stops everything: before the window closes. */
  async shutDown(): Promise<void> {
    await Promise.allSettled(this.all.map((open) => open.dispose()));
    this.#open.clear();
  }

  dispose(): void {
    this.#opened.dispose();
    this.#currentChanged.dispose();
    this.#changed.dispose();
  }
}
