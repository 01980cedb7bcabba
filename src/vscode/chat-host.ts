// One webview and the session that it shows: snapshots, numbered frames, and messages checked before they are heard.
import type * as vscode from "vscode";
import type { ContextSizeAt } from "../core/compaction/context-size-at.ts";
import type { HarnessContext } from "../core/harness/agent-harness.ts";
import { newestCompaction } from "../core/harness/undo-compaction.ts";
import { type FromWebview, fromWebviewSchema } from "../protocol/from-webview.ts";
import type { ToWebview, ViewOp } from "../protocol/to-webview.ts";
import type { ApprovalView, TranscriptItem, ViewedPointView } from "../protocol/view-state.ts";
import type { ApprovalQuestion } from "./approvals.ts";
import { type ChatFrame, chatFrame, type FrameInput, type Viewed } from "./chat-state.ts";
import type { OpenSession } from "./open-session.ts";
import { itemsFrom, oldestEntryId, rowOf, transcriptPage } from "./transcript-items.ts";
import { viewedPoint } from "./viewed-point.ts";

/** Deltas are joined for this long: the number of messages costs, not their text (vscode page, streaming). */
const FRAME_MS = 50;
const PAGE_ITEMS = 60;
/** A page that goes back to an entry that was asked for. */
const MAX_PAGE_ITEMS = 3000;

export interface ChatHostServices {
  log: vscode.LogOutputChannel;
  modelName: (provider: string, modelId: string) => string;
  /** A summary as people read it. */
  readable: (summary: string) => string;
  /** Everything of the frame that is not the session's own. */
  frameInput: (open: OpenSession | undefined, context: HarnessContext | undefined) => FrameInput;
  /** Hears valid messages. */
  handle: (message: FromWebview, host: ChatHost) => Promise<void>;
  /** Resolves once it is decided which session the side bar shows first: words typed before would go to another. */
  decided: Promise<void>;
  /** A page has been told what its session is. */
  shown: (host: ChatHost) => void;
  strings: Record<string, string>;
}

export class ChatHost implements vscode.Disposable {
  readonly #webview: vscode.Webview;
  readonly #services: ChatHostServices;
  readonly #disposables: vscode.Disposable[] = [];
  readonly #approvalViews = new WeakMap<ApprovalQuestion, ApprovalView>();
  #open: OpenSession | undefined;
  /** The session of the last snapshot. */
  #told: OpenSession | undefined;
  #bound: vscode.Disposable[] = [];
  #seq = 0;
  #ready = false;
  #ops: ViewOp[] = [];
  #timer: NodeJS.Timeout | undefined;
  #frameDirty = false;
  #contextDirty = true;
  #context: HarnessContext | undefined;
  #viewed: (Viewed & { key: string }) | undefined;
  #sent: Partial<ChatFrame> = {};
  #oldest: string | undefined;
  #snapshotWanted = false;
  #snapshotRunning = false;
  /** Entry to bring into view with the next snapshot. */
  #revealId: string | undefined;
  /** A tab of the editor; the other page is the side bar's. */
  readonly isTab: boolean;
  /** Files and selections that the next message carries. */
  attachments: { id: string; title: string; detail: string; text: string }[] = [];

  constructor(webview: vscode.Webview, services: ChatHostServices, isTab: boolean) {
    this.isTab = isTab;
    this.#webview = webview;
    this.#services = services;
    this.#disposables.push(webview.onDidReceiveMessage((message) => this.#receive(message)));
  }

  get open(): OpenSession | undefined {
    return this.#open;
  }

  /** Binds the page to a session, or to none. */
  bind(open: OpenSession | undefined): void {
    for (const disposable of this.#bound.splice(0)) disposable.dispose();
    this.#open = open;
    this.#context = undefined;
    this.#contextDirty = true;
    this.#revealId = undefined;
    if (open !== undefined) {
      let shown = open.shownLeafId;
      this.#bound.push(
        open.onOps((ops) => {
          if (open.shownLeafId === undefined) this.#push(ops);
        }),
        open.onDidChange(() => {
          if (shown !== open.shownLeafId) {
            shown = open.shownLeafId;
            this.snapshot();
          }
          if (open.phase === "idle") this.#contextDirty = true;
          this.refreshFrame();
        }),
        open.onDidReveal((entryId) => {
          this.#revealId = entryId;
          this.snapshot();
        }),
        open.onEvent((event) => {
          switch (event.type) {
            case "turn_end":
            case "settled":
            case "model_update":
            case "window_learned":
              this.#contextDirty = true;
              return this.refreshFrame();
            case "session_tree":
              this.#contextDirty = true;
              return this.snapshot();
            case "compaction_end":
              this.#contextDirty = true;
              if (event.entryId !== undefined) this.snapshot();
              return;
            default:
              return;
          }
        }),
        open.session.onDidChange === undefined
          ? { dispose: () => {} }
          : { dispose: open.session.onDidChange((change) => change.external && this.snapshot()) },
      );
    }
    this.snapshot();
  }

  /** Called when the page's view is shown or hidden; a hidden page is gone and asks again when it is back. */
  setVisible(visible: boolean): void {
    if (!visible) this.#ready = false;
  }

  /** True while the page can hear and shows its session: what is posted before goes into nothing, or to another session. */
  get isReady(): boolean {
    return this.#ready && this.#told === this.#open;
  }

  post(message: ToWebview): void {
    if (this.#ready) void this.#webview.postMessage(message);
  }

  #receive(raw: unknown): void {
    const parsed = fromWebviewSchema.safeParse(raw);
    if (!parsed.success) {
      this.#services.log.warn(
        `A message of the page was not understood and dropped: ${JSON.stringify(raw)?.slice(0, 200)}`,
      );
      return;
    }
    const message = parsed.data;
    if (message.type === "view.ready") {
      this.#ready = true;
      this.snapshot();
      return;
    }
    if (message.type === "page.older") {
      void this.#older();
      return;
    }
    void this.#services.handle(message, this).catch((error) => this.#services.log.error(error));
  }

  #push(ops: readonly ViewOp[]): void {
    if (!this.#ready) return;
    for (const op of ops) {
      const last = this.#ops.at(-1);
      if (
        op.op === "text.append" &&
        last?.op === "text.append" &&
        last.id === op.id &&
        last.block === op.block &&
        last.blockType === op.blockType
      ) {
        last.text += op.text;
      } else if (op.op === "item.upsert" && last?.op === "item.upsert" && last.item.id === op.item.id) {
        last.item = op.item;
      } else {
        this.#ops.push(op.op === "text.append" ? { ...op } : op);
      }
    }
    this.#schedule();
  }

  /** State other than rows may have changed. */
  refreshFrame(): void {
    this.#frameDirty = true;
    this.#schedule();
  }

  #schedule(): void {
    if (!this.#ready) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      void this.#flush();
    }, FRAME_MS);
  }

  async #flush(): Promise<void> {
    if (!this.#ready) return;
    if (this.#frameDirty) {
      this.#frameDirty = false;
      if (this.#contextDirty) await this.#updateContext();
      await this.#updateViewed();
      const frame = this.#frame();
      const patch: Record<string, unknown> = {};
      for (const [key, value] of Object.entries(frame)) {
        if (JSON.stringify(value) !== JSON.stringify(this.#sent[key as keyof ChatFrame])) patch[key] = value;
      }
      if (Object.keys(patch).length > 0) {
        this.#sent = frame;
        this.#ops.push({ op: "state.patch", patch });
      }
    }
    if (this.#snapshotRunning || this.#ops.length === 0) return;
    const ops = this.#ops.splice(0);
    this.#seq += 1;
    this.post({ type: "state.frame", seq: this.#seq, ops });
  }

  async #updateContext(): Promise<void> {
    this.#contextDirty = false;
    const open = this.#open;
    if (open === undefined || open.session.size() === 0) {
      this.#context = undefined;
      return;
    }
    this.#context = await open.harness.contextUsage().catch(() => undefined);
  }

  /** Finds out which point is shown, once for each place of it and of the position. */
  async #updateViewed(): Promise<void> {
    for (let tries = 0; tries < 3; tries++) {
      const open = this.#open;
      const leafId = open?.shownLeafId;
      if (open === undefined || leafId === undefined) {
        this.#viewed = undefined;
        return;
      }
      const key = JSON.stringify([open.session.id, leafId, open.session.getLeafId(), open.session.size()]);
      if (this.#viewed?.key !== key) {
        const [point, size] = await Promise.all([this.#pointOf(open, leafId), sizeOf(open, leafId)]);
        this.#viewed = { key, point, size };
      }
      if (open === this.#open && leafId === open.shownLeafId) return;
    }
  }

  /** Words that cannot be read leave the bar without words, not the chat without its bar. */
  async #pointOf({ session }: OpenSession, leafId: string | null): Promise<ViewedPointView> {
    try {
      return await viewedPoint(session, leafId);
    } catch (error) {
      this.#services.log.error(error as Error);
      return { leafId, kind: "earlier", title: "", labelled: false, abandonedEntries: 0 };
    }
  }

  #frame(): ChatFrame {
    const input = this.#services.frameInput(this.#open, this.#context);
    return chatFrame(input, this.#approvalViews, this.#viewed);
  }

  #itemContext(open: OpenSession) {
    return {
      session: open.session,
      modelName: this.#services.modelName,
      readable: this.#services.readable,
      undoableCompaction:
        open.shownLeafId === undefined ? newestCompaction(open.session, open.session.getLeafId()) : undefined,
    };
  }

  /** Sends the whole state with the newest page; requests that come meanwhile are joined. */
  snapshot(): void {
    this.#snapshotWanted = true;
    if (this.#snapshotRunning || !this.#ready) return;
    this.#snapshotRunning = true;
    void this.#sendSnapshots().finally(() => {
      this.#snapshotRunning = false;
    });
  }

  async #sendSnapshots(): Promise<void> {
    if (!this.isTab) await this.#services.decided;
    while (this.#snapshotWanted && this.#ready) {
      this.#snapshotWanted = false;
      const open = this.#open;
      let items: TranscriptItem[] = [];
      let hasOlder = false;
      if (open !== undefined) {
        try {
          await open.session.ready();
          for (let attempt = 0; attempt < 3; attempt++) {
            const size = open.session.size();
            const leafId = open.visibleLeafId;
            ({ items, hasOlder } = await transcriptPage(leafId, this.#itemContext(open), this.#pageSize(open)));
            // What was saved while the page was read is in neither the page nor the live rows: read again.
            if (size === open.session.size()) break;
          }
        } catch (error) {
          this.#services.log.error(error as Error);
        }
      }
      await this.#updateContext();
      await this.#updateViewed();
      if (open !== this.#open) continue;
      if (open !== undefined && open.shownLeafId === undefined) items = open.live.overlay(items);
      this.#oldest = oldestEntryId(items);
      this.#ops = [];
      this.#frameDirty = false;
      this.#sent = this.#frame();
      this.#seq += 1;
      const state = { ...(this.#sent as ChatFrame), items, hasOlder, hasNewer: false };
      this.#told = open;
      this.post({ type: "state.snapshot", seq: this.#seq, state, strings: this.#services.strings });
      if (open !== undefined) await this.#postReveal(open);
      this.#services.shown(this);
    }
  }

  #pageSize(open: OpenSession): number {
    if (this.#revealId === undefined) return PAGE_ITEMS;
    // Some rows above it, so that it does not stand at the very top.
    const wanted = itemsFrom(this.#revealId, open.visibleLeafId, open.session) + 10;
    return Math.min(Math.max(PAGE_ITEMS, wanted), MAX_PAGE_ITEMS);
  }

  async #postReveal(open: OpenSession): Promise<void> {
    if (this.#revealId === undefined || this.#snapshotWanted) return;
    const id = await rowOf(this.#revealId, open.session);
    this.#revealId = undefined;
    this.post({ type: "item.reveal", id });
  }

  async #older(): Promise<void> {
    const open = this.#open;
    if (open === undefined || this.#oldest === undefined) return;
    const page = await transcriptPage(open.visibleLeafId, this.#itemContext(open), PAGE_ITEMS, this.#oldest);
    if (open !== this.#open) return;
    this.#oldest = oldestEntryId(page.items) ?? this.#oldest;
    this.#seq += 1;
    this.post({ type: "page.items", seq: this.#seq, items: page.items, hasOlder: page.hasOlder });
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#ready = false;
    for (const disposable of [...this.#bound, ...this.#disposables]) disposable.dispose();
  }
}

/** Where it cannot be read it is unknown. */
async function sizeOf({ harness }: OpenSession, leafId: string | null): Promise<ContextSizeAt> {
  return await harness.contextSizeAt(leafId).catch(() => ({ tokens: null, estimated: true }));
}
