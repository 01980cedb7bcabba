// The open sessions, each with a harness of its own; runs go on whatever is shown (product.md "One session, one harness").
import * as vscode from "vscode";
import type { AgentTool } from "../core/agent/agent-tool.ts";
import type { AgentHarness } from "../core/harness/agent-harness.ts";
import type { HarnessEvent, Phase } from "../core/harness/harness-events.ts";
import type { HarnessOptions } from "../core/harness/harness-options.ts";
import { entryText, messageText } from "../core/harness/session-memory.ts";
import type { Session } from "../core/session/session.ts";
import { leafAt, leafThrough, samePlace } from "../core/session/siblings.ts";
import type { ViewOp } from "../protocol/to-webview.ts";
import type { CutView } from "../protocol/view-state.ts";
import { type ApprovalPolicy, Approvals } from "./approvals.ts";
import { LiveTranscript } from "./live-transcript.ts";
import { saveFailureWords } from "./save-failure.ts";
import { siblingsView } from "./transcript-items.ts";

export type SessionStatus = "idle" | "running" | "waiting" | "news";

/** What a session needs beside its file. */
export interface SessionSurroundings {
  /** Loaded with the first session: looking at the editor costs none of it. */
  agent: () => Promise<AgentSide>;
  approvals: ApprovalPolicy;
  modelName: (provider: string, modelId: string) => string;
  newId: () => string;
  now: () => number;
  /** Resolves when settings and models are known: a branch's model is looked for after that. */
  ready: () => Promise<void>;
}

/** What makes a session one that can act. */
export interface AgentSide {
  createHarness: (options: HarnessOptions) => AgentHarness;
  tools: (session: Session, approvals: Approvals) => readonly AgentTool[];
  harness: (session: Session, tools: readonly AgentTool[]) => Omit<HarnessOptions, "session" | "tools" | "approve">;
}

/** One open session: file, harness, approvals, and what of it is being looked at. */
export class OpenSession {
  readonly session: Session;
  readonly harness: AgentHarness;
  readonly approvals: Approvals;
  readonly live: LiveTranscript;
  readonly fromPi: boolean;
  /** Another leaf than the position, while one is being looked at. Looking writes nothing. */
  shownLeafId: string | null | undefined;
  /** Why the last write failed. */
  unsavedReason: string | undefined;
  progress: { text: string; cancellable: boolean; retry?: boolean } | undefined;
  /** Where a compaction that is being previewed would cut: the first entry that would stay. */
  cut: { entryId: string; view: CutView } | undefined;
  hasNews = false;
  /** Made just now as a copy: what it ends with was not cut off here. */
  isCopy = false;
  /** Title of a session without a name. */
  firstPrompt: string | undefined;

  readonly #events = new vscode.EventEmitter<HarnessEvent>();
  readonly #ops = new vscode.EventEmitter<ViewOp[]>();
  readonly #changes = new vscode.EventEmitter<void>();
  readonly #tree = new vscode.EventEmitter<readonly string[]>();
  readonly #reveals = new vscode.EventEmitter<string>();
  readonly #toDispose: (() => void)[] = [];
  #countdown: NodeJS.Timeout | undefined;
  /** Everything that the harness tells, in order. */
  readonly onEvent = this.#events.event;
  /** Changes of the rows at the position. */
  readonly onOps = this.#ops.event;
  /** Status, approvals, shown leaf, title: anything but rows. */
  readonly onDidChange = this.#changes.event;
  /** An entry was asked for: chats bring it into view. */
  readonly onDidReveal = this.#reveals.event;
  /** Entries joined the tree or the position moved. */
  readonly onDidChangeTree = this.#tree.event;

  constructor(session: Session, surroundings: SessionSurroundings, agent: AgentSide, fromPi: boolean) {
    this.session = session;
    this.fromPi = fromPi;
    this.approvals = new Approvals(surroundings.approvals, surroundings.newId, () => {
      this.live.setWaiting(new Set(this.approvals.questions.map((question) => question.callId)), surroundings.now());
      this.#changes.fire();
    });
    this.live = new LiveTranscript(
      (ops) => this.#ops.fire(ops),
      surroundings.modelName,
      (entryId) => siblingsView(session, entryId),
    );
    const tools = agent.tools(session, this.approvals);
    this.harness = agent.createHarness({
      ...agent.harness(session, tools),
      session,
      tools,
      approve: (call, signal) => this.approvals.approve(call, signal),
    });
    this.#watch();
    this.#toDispose.push(
      this.harness.subscribe((event) => {
        this.#onEvent(event);
        this.live.handle(event, surroundings.now());
        this.#events.fire(event);
      }),
      session.onDidChange((change) => this.#tree.fire(change.appended)),
    );
  }

  /** Another window or a Pi terminal may write to the file: what they append joins the tree when it is seen. */
  #watch(): void {
    const { file } = this.session;
    if (file === undefined) return;
    const uri = vscode.Uri.file(file);
    const pattern = new vscode.RelativePattern(
      vscode.Uri.joinPath(uri, ".."),
      uri.path.slice(uri.path.lastIndexOf("/") + 1),
    );
    const watcher = vscode.workspace.createFileSystemWatcher(pattern, true, false, true);
    let timer: NodeJS.Timeout | undefined;
    watcher.onDidChange(() => {
      timer ??= setTimeout(() => {
        timer = undefined;
        void this.session.refresh().catch(() => {}); // A file that is gone is told with the next write.
      }, REFRESH_MS);
    });
    this.#toDispose.push(() => {
      clearTimeout(timer);
      watcher.dispose();
    });
  }

  get phase(): Phase {
    return this.harness.phase;
  }

  get status(): SessionStatus {
    if (this.approvals.questions.length > 0) return "waiting";
    if (this.harness.phase !== "idle") return "running";
    return this.hasNews ? "news" : "idle";
  }

  /** The leaf whose branch the chat shows. */
  get visibleLeafId(): string | null {
    return this.shownLeafId === undefined ? this.session.getLeafId() : this.shownLeafId;
  }

  #onEvent(event: HarnessEvent): void {
    switch (event.type) {
      case "message_start":
        if (event.message.role === "user") this.firstPrompt ??= titleOf(messageText(event.message));
        break;
      case "save_failed":
        this.unsavedReason = saveFailureWords(event.error);
        break;
      case "entries_saved":
        if (this.unsavedReason === undefined) return;
        this.unsavedReason = undefined;
        break;
      case "agent_settled":
        this.hasNews = true;
        break;
      case "compaction_start":
        this.progress = { text: vscode.l10n.t("Compacting the conversation…"), cancellable: true };
        break;
      case "auto_retry_start":
        this.#countDown(event);
        break;
      case "compaction_end":
      case "turn_start":
      case "auto_retry_end":
        this.#endProgress();
        break;
      case "phase_change":
        if (event.phase === "idle") this.#endProgress();
        break;
      case "message_update":
      case "tool_execution_update":
        return;
      default:
        break;
    }
    this.#changes.fire();
  }

  #endProgress(): void {
    clearInterval(this.#countdown);
    this.progress = undefined;
  }

  /** Tells the seconds until the next attempt, one by one. */
  #countDown(event: Extract<HarnessEvent, { type: "auto_retry_start" }>): void {
    clearInterval(this.#countdown);
    let seconds = Math.ceil(event.delayMs / 1000);
    const tell = () => {
      this.progress = {
        text:
          seconds > 0
            ? vscode.l10n.t("Trying again in {0} s ({1} of {2}).", seconds, event.attempt, event.maxAttempts)
            : vscode.l10n.t("Trying again ({0} of {1})…", event.attempt, event.maxAttempts),
        cancellable: true,
        retry: true,
      };
      this.#changes.fire();
      seconds = Math.max(0, seconds - 1);
    };
    tell();
    this.#countdown = setInterval(tell, 1000);
  }

  /** Shows the branch through an entry to its end; `undefined` shows the position. Looking writes nothing. */
  show(entryId: string | null | undefined): void {
    this.#look(typeof entryId === "string" ? leafThrough(this.session, entryId) : entryId);
    if (typeof entryId === "string") this.#reveals.fire(entryId);
  }

  /** Shows the conversation as it stood at an entry: what is sent from there continues there. */
  showAt(entryId: string): void {
    this.#look(leafAt(this.session, entryId));
    this.#reveals.fire(entryId);
  }

  /** Shows the branch through an entry to its end and stays where it is scrolled to. */
  showEnd(entryId: string): void {
    this.#look(leafThrough(this.session, entryId));
  }

  /** Shows the conversation as it stood before a message that is about to be written anew; null is the beginning. */
  showBefore(leafId: string | null): void {
    this.#look(leafId);
  }

  /**
   * Shows the position after something that took its time, where the person still looks at what they looked at (`seen`, the
   * `shownLeafId` from before) when it began: what they have turned to meanwhile, a message to edit above all, stays.
   */
  returnFrom(seen: string | null | undefined): void {
    if (this.shownLeafId === seen) this.show(undefined);
  }

  #look(leafId: string | null | undefined): void {
    const here = leafId !== undefined && samePlace(this.session, leafId, this.session.getLeafId());
    this.shownLeafId = here ? undefined : leafId;
    this.#changes.fire();
  }

  setCut(cut: OpenSession["cut"]): void {
    this.cut = cut;
    this.#changes.fire();
  }

  /** Brings an entry of what is shown into view. */
  reveal(entryId: string): void {
    this.#reveals.fire(entryId);
  }

  setProgress(progress: { text: string; cancellable: boolean } | undefined): void {
    this.progress = progress;
    this.#changes.fire();
  }

  seen(): void {
    if (!this.hasNews) return;
    this.hasNews = false;
    this.#changes.fire();
  }

  notifyChanged(): void {
    this.#changes.fire();
  }

  async dispose(): Promise<void> {
    clearInterval(this.#countdown);
    for (const dispose of this.#toDispose) dispose();
    await this.harness.dispose();
    this.#events.dispose();
    this.#ops.dispose();
    this.#changes.dispose();
    this.#tree.dispose();
    this.#reveals.dispose();
  }
}

const MAX_TITLE = 80;
/** Several writes in a row are one look at the file. */
const REFRESH_MS = 200;

/** A prompt as a title: its first line, not too long. */
export function titleOf(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE).toWellFormed()}…` : line;
}

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

  /** A new session of a folder; its file appears with the first message. */
  async create(cwd: string): Promise<OpenSession> {
    // Models first: a session that is begun by a hook's prompt has the chosen one.
    const [agent] = await Promise.all([this.#surroundings.agent(), this.#surroundings.ready()]);
    const empty = this.all.find(
      (open) => open.session.size() === 0 && open.session.cwd === cwd && open.phase === "idle",
    );
    return empty ?? this.#adopt(this.#source.create(cwd), agent, false);
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

  #restore(opened: OpenSession): void {
    void (async () => {
      await this.#surroundings.ready();
      await opened.harness.restore();
      for (const id of opened.session.allIds()) {
        if (opened.session.node(id)?.role !== "user") continue;
        const entry = await opened.session.getEntry(id);
        if (entry !== undefined) opened.firstPrompt = titleOf(entryText(entry));
        break;
      }
      opened.notifyChanged();
    })().catch(() => {}); // What cannot be restored shows as it is; the transcript tells of damage.
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
