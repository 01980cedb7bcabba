// One session at work in this window: its harness, its questions, its rows, and what of it is being looked at.
import * as vscode from "vscode";
import type { AgentTool } from "../core/agent/agent-tool.ts";
import type { AgentHarness } from "../core/harness/agent-harness.ts";
import type { HarnessEvent, Phase } from "../core/harness/harness-events.ts";
import type { HarnessOptions } from "../core/harness/harness-options.ts";
import { messageText } from "../core/harness/session-memory.ts";
import type { Session } from "../core/session/session.ts";
import { leafAt, leafThrough, samePlace } from "../core/session/siblings.ts";
import type { ViewOp } from "../protocol/to-webview.ts";
import type { CutView } from "../protocol/view-state.ts";
import { type ApprovalPolicy, Approvals } from "./approvals.ts";
import { LiveTranscript } from "./live-transcript.ts";
import { saveFailureWords } from "./save-failure.ts";
import { watchFile } from "./session-file-watch.ts";
import { siblingsView } from "./transcript-items.ts";

const MAX_TITLE = 80;
/** A prompt as a title: its first line, not too long. */
export function titleOf(text: string): string {
  const line = text.trim().split("\n", 1)[0] ?? "";
  return line.length > MAX_TITLE ? `${line.slice(0, MAX_TITLE).toWellFormed()}…` : line;
}

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
  /** Begun in this window and without a message: it has no file yet, and is in no list. */
  isBlank = false;
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
    this.#toDispose.push(
      watchFile(session),
      this.harness.subscribe((event) => {
        this.#onEvent(event);
        this.live.handle(event, surroundings.now());
        this.#events.fire(event);
      }),
      session.onDidChange((change) => {
        // The file appears with the first message of the person.
        if (change.appended.some((id) => session.node(id)?.role === "user")) this.isBlank = false;
        this.#tree.fire(change.appended);
      }),
    );
  }

  /** Its name, else its first prompt; undefined before it has either. */
  get title(): string | undefined {
    return this.session.getName() ?? this.firstPrompt;
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
