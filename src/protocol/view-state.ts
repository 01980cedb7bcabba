// What the chat shows. The host owns all of it; the page keeps only draft, scroll and what is folded.

export interface Siblings {
  /** 0-based place among the siblings. */
  index: number;
  count: number;
  /** Entry whose branch "Previous branch" shows; absent at the first. */
  previousId?: string;
  nextId?: string;
}

export interface UsageView {
  /** Tokens. */
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** US dollars; absent where no price is known. */
  costUsd?: number;
  estimated: boolean;
}

export type AssistantBlock =
  | { type: "text"; text: string }
  | { type: "thinking"; text: string; redacted: boolean }
  /** A call; the item of kind `tool` with the same `callId` shows it. */
  | { type: "toolCall"; callId: string };

export type ToolStatus = "streaming" | "waiting" | "running" | "done" | "error" | "denied" | "aborted";

export interface DiffView {
  path: string;
  /** Unified hunks: each line begins with ` `, `+` or `-`; hunk headers with `@@`. Capped. */
  lines: string[];
  added: number;
  removed: number;
  truncated: boolean;
}

/**
 * A failed reply that is asked for again: it waits for that, it was asked for again, or nothing is decided yet while the run
 * goes on.
 */
export type ReplyFate = "pending" | "retrying" | "retried";

interface ItemBase {
  /** Entry id once saved; a temporary id before. Stable while shown, so that a node is patched and not made anew. */
  id: string;
  /** False between two save points: the screen runs ahead of the disk. */
  saved: boolean;
  /** Epoch milliseconds. */
  timestamp: number;
  /** Person's label on the entry. */
  label?: string;
}

export type TranscriptItem = ItemBase &
  /** Made by the page from `ChatState.cut`; never sent. */
  (
    | { kind: "cut"; cut: CutView }
    | { kind: "user"; text: string; images: { mimeType: string; data: string }[]; siblings?: Siblings }
    | {
        kind: "assistant";
        blocks: AssistantBlock[];
        streaming: boolean;
        stopReason?: "stop" | "length" | "toolUse" | "error" | "aborted";
        errorMessage?: string;
        /** Nobody stopped it: its session was closed. */
        cutOff?: true;
        /** Failed attempts that this row stands for; made by the page, never sent. */
        attempts?: number;
        /** What became of a failure that was not the last word; made by the page, never sent. */
        fate?: ReplyFate;
        /** Model's display name; says "Demo (scripted, not AI)" for the demo. */
        model: string;
        usage?: UsageView;
        siblings?: Siblings;
      }
    | {
        kind: "tool";
        callId: string;
        name: string;
        /** One line: the path, the command, the pattern. */
        title: string;
        status: ToolStatus;
        /** Arguments as pretty JSON, capped; shown when unfolded. */
        args: string;
        /** Result text, capped to what is worth showing; `outputTruncated` offers the whole in an editor. */
        output: string;
        outputTruncated: boolean;
        diff?: DiffView;
        /** Milliseconds that it ran. */
        durationMs?: number;
      }
    | {
        kind: "compaction";
        summary: string;
        tokensBefore: number;
        /** Estimate after; absent when unknown. */
        tokensAfter?: number;
        reason?: "manual" | "threshold" | "overflow";
        canUndo: boolean;
      }
    | { kind: "branchSummary"; summary: string; fromId: string }
    | { kind: "custom"; title: string; text: string }
    | { kind: "bash"; command: string; output: string; exitCode?: number }
    /** Something the person should know in the conversation; `actions` are ids that `notice.action` sends back. */
    | {
        kind: "notice";
        level: "info" | "warning" | "error";
        text: string;
        actions: { id: string; title: string }[];
      }
  );

export interface ApprovalView {
  /** Identifies the question; an answer with another nonce is dropped. */
  nonce: string;
  callId: string;
  toolName: string;
  kind: "read" | "edit" | "command";
  title: string;
  path?: string;
  /** The whole command, never clipped. */
  command?: string;
  diff?: DiffView;
  warnings: string[];
  /** What "Allow for session" would allow; absent where it is not offered. */
  sessionScope?: string;
}

export type ApprovalsMode = "ask" | "edits" | "all";

export type Phase = "idle" | "starting" | "turn" | "compaction" | "branchSummary";

export interface ContextView {
  /** Tokens in use; null while unknown (right after a compaction). */
  tokens: number | null;
  /** True where the number is an estimate, not the provider's report. */
  estimated: boolean;
  /** The number is that of the point that is shown, not of the position. */
  ofShown?: boolean;
  window: number;
  /** Compaction starts above this many tokens; null while switched off. */
  threshold: number | null;
  /** A compaction is due and waits for the person, who undid one on this branch. */
  waits?: boolean;
  /** Effective settings, for the tooltip. */
  reserveTokens: number;
  keepRecentTokens: number;
  /** Session's cost in US dollars, abandoned branches and summaries included; absent where unknown. */
  costUsd?: number;
}

export interface ModelView {
  key: string;
  name: string;
  provider: string;
  isDemo: boolean;
}

export interface QueuedMessage {
  id: string;
  text: string;
  mode: "steer" | "followUp";
}

/** While a request is about to be tried again, or a long job runs. */
export interface ProgressView {
  /** "Compacting…", "Trying again in 4 s (2 of 3)"; plain text. */
  text: string;
  cancellable: boolean;
  /** A failed request is about to be made again. */
  retry?: boolean;
}

/** A choice of the set-up card that shows while no model is chosen. */
export interface SetupChoice {
  id: string;
  title: string;
  detail: string;
}

/** Where a compaction that is being previewed would cut; counts are entries, tokens are estimates. */
export interface CutView {
  /** Rows that the cut stands before: the first of these that is there. */
  before: string[];
  summarised: { entries: number; tokens: number };
  kept: { entries: number; tokens: number };
  /** The cut falls inside a turn. */
  splitTurn: boolean;
}

/** A point that is shown while the position is elsewhere. */
export interface ViewedPointView {
  leafId: string | null;
  /**
   * Above the position on its branch, below it, the end of another branch, or a point on the way to one.
   */
  kind: "earlier" | "later" | "otherBranch" | "otherBranchPoint";
  /** The label or the first words that it goes by; empty at the very beginning. */
  title: string;
  labelled: boolean;
  /** Entries that going on from there leaves behind. */
  abandonedEntries: number;
}

export interface ChatState {
  /** Null: no session is open yet (a new one begins with the first message). */
  session: {
    id: string;
    title: string;
    /** By it a tab finds its session again; missing before the first message, as the file itself is. */
    file?: string;
    readOnlyReason?: string;
    /** True for sessions that belong to Pi's folder. */
    fromPi: boolean;
    /** Set while the last write failed: what was said since is in memory only. */
    unsavedReason?: string;
  } | null;
  phase: Phase;
  trusted: boolean;
  hasWorkspace: boolean;
  model: ModelView | null;
  thinkingLevel: string;
  thinkingLevels: string[];
  approvalsMode: ApprovalsMode;
  context: ContextView | null;
  queue: QueuedMessage[];
  /** One page, oldest first. */
  items: TranscriptItem[];
  hasOlder: boolean;
  hasNewer: boolean;
  /** Set while another point than the position is shown. */
  viewing: (ViewedPointView & { ask: "ask" | "always" | "never" }) | null;
  /** Set while a compaction is previewed. */
  cut: CutView | null;
  approvals: ApprovalView[];
  progress: ProgressView | null;
  /** Present while no model is chosen. */
  setup: SetupChoice[] | null;
  /** Files and selections that the next message will carry. */
  attachments: { id: string; title: string; detail: string }[];
  /** Commands that `/` completes. */
  slashCommands: { name: string; description: string }[];
}
