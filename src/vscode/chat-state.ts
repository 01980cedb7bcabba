// Everything of the chat's state but its rows, from the session that it shows.
import * as vscode from "vscode";
import type { QueuedItem } from "../core/agent/message-queue.ts";
import type { ContextSizeAt } from "../core/compaction/context-size-at.ts";
import type { HarnessContext } from "../core/harness/agent-harness.ts";
import { messageText } from "../core/harness/session-memory.ts";
import { modelKey } from "../core/llm/model.ts";
import type {
  ApprovalView,
  ChatState,
  ContextView,
  Phase,
  SetupChoice,
  ViewedPointView,
} from "../protocol/view-state.ts";
import { approvalWords } from "./approval-words.ts";
import type { ApprovalQuestion } from "./approvals.ts";
import type { Configuration } from "./configuration.ts";
import { diffView } from "./diff-view.ts";
import type { OpenSession } from "./open-session.ts";

export type ChatFrame = Omit<ChatState, "items" | "hasOlder" | "hasNewer">;

const PHASES: Record<OpenSession["phase"], Phase> = {
  idle: "idle",
  starting: "starting",
  turn: "turn",
  compaction: "compaction",
  branch_summary: "branchSummary",
};

/** What is shown where that is not the position: the point itself and the size of its context. */
export interface Viewed {
  point: ViewedPointView;
  size: ContextSizeAt;
}

export interface FrameInput {
  open: OpenSession | undefined;
  title: string | undefined;
  configuration: Configuration;
  context: HarnessContext | undefined;
  costUsd: number | undefined;
  /** The model that a new session would have. */
  defaultModel: { key: string; name: string; provider: string; isDemo: boolean } | null;
  defaultThinking: { level: string; levels: readonly string[] };
  setup: SetupChoice[] | null;
  attachments: ChatState["attachments"];
  slashCommands: ChatState["slashCommands"];
}

function approvalView(question: ApprovalQuestion): ApprovalView {
  const { proposal } = question;
  // What leads out of the workspace is named in full by its warning; inside, the short path reads better.
  const path = proposal.path === undefined ? undefined : vscode.workspace.asRelativePath(proposal.path, false);
  return {
    nonce: question.nonce,
    callId: question.callId,
    toolName: question.toolName,
    kind: proposal.kind,
    title: approvalWords(proposal.title),
    ...(path === undefined ? {} : { path }),
    ...(proposal.command === undefined ? {} : { command: proposal.command }),
    ...(proposal.after === undefined
      ? {}
      : { diff: diffView(path ?? proposal.title, proposal.before ?? "", proposal.after) }),
    warnings: proposal.warnings.map(approvalWords),
    ...(proposal.sessionScope === undefined ? {} : { sessionScope: approvalWords(proposal.sessionScope) }),
  };
}

function contextView(
  context: HarnessContext,
  shown: ContextSizeAt | undefined,
  costUsd: number | undefined,
): ContextView {
  return {
    ...(shown === undefined
      ? { tokens: context.tokens, estimated: context.estimated, ...(context.waits ? { waits: true } : {}) }
      : { tokens: shown.tokens, estimated: shown.estimated, ofShown: true }),
    window: context.window,
    threshold: context.threshold,
    reserveTokens: context.reserveTokens,
    keepRecentTokens: context.keepRecentTokens,
    ...(costUsd === undefined ? {} : { costUsd }),
  };
}

/** The cut of a preview, where what is shown goes through it. */
function cutOf(open: OpenSession | undefined): ChatState["cut"] {
  if (open?.cut === undefined) return null;
  return open.session.pathTo(open.visibleLeafId).includes(open.cut.entryId) ? open.cut.view : null;
}

/**
 * The frame of the chat; an approval's diff is computed once a question (see `cache`). `viewed`: the point that is shown
 * where that is not the position.
 */
export function chatFrame(
  input: FrameInput,
  cache: WeakMap<ApprovalQuestion, ApprovalView>,
  viewed: Viewed | undefined,
): ChatFrame {
  const { open, configuration } = input;
  const model = open?.harness.model;
  const approvals = (open?.approvals.questions ?? []).map((question) => {
    let view = cache.get(question);
    if (view === undefined) {
      view = approvalView(question);
      cache.set(question, view);
    }
    return view;
  });
  const queues = open?.harness.queues ?? { steering: [], followUp: [] };
  const queued = (mode: "steer" | "followUp", items: readonly QueuedItem[]) =>
    items.map(({ id, message }) => ({ id, mode, text: messageText(message) }));
  return {
    session:
      open === undefined
        ? null
        : {
            id: open.session.id,
            title: input.title ?? vscode.l10n.t("New session"),
            ...(open.session.file === undefined || open.isBlank ? {} : { file: open.session.file }),
            ...(open.session.readOnlyReason === undefined ? {} : { readOnlyReason: open.session.readOnlyReason }),
            fromPi: open.fromPi,
            ...(open.unsavedReason === undefined ? {} : { unsavedReason: open.unsavedReason }),
          },
    phase: open === undefined ? "idle" : PHASES[open.phase],
    trusted: vscode.workspace.isTrusted,
    hasWorkspace: (vscode.workspace.workspaceFolders?.length ?? 0) > 0,
    model:
      model === undefined
        ? input.defaultModel
        : { key: modelKey(model), name: model.name, provider: model.provider, isDemo: model.api === "coppice-demo" },
    thinkingLevel: open === undefined || model === undefined ? input.defaultThinking.level : open.harness.thinkingLevel,
    thinkingLevels: [...(model === undefined ? input.defaultThinking.levels : model.thinkingLevels)],
    approvalsMode: configuration.approvalsMode(),
    context: input.context === undefined ? null : contextView(input.context, viewed?.size, input.costUsd),
    queue: [...queued("steer", queues.steering), ...queued("followUp", queues.followUp)],
    viewing: viewed === undefined ? null : { ...viewed.point, ask: configuration.askSummary() },
    cut: cutOf(open),
    approvals,
    progress: open?.progress ?? null,
    setup: input.setup,
    attachments: input.attachments,
    slashCommands: input.slashCommands,
  };
}
