// What a person can do at an entry of the open session: look, continue, edit, label, copy, compact, undo.
import * as vscode from "vscode";
import { CompactionError, HarnessError, SessionError, toError } from "../core/errors.ts";
import { editTarget } from "../core/harness/navigation-plan.ts";
import { entryText } from "../core/harness/session-memory.ts";
import type { NavigateOptions } from "../core/harness/tree-navigation.ts";
import { newestCompaction } from "../core/harness/undo-compaction.ts";
import { leafAt } from "../core/session/siblings.ts";
import type { BranchSummaryDrafts } from "./branch-summary-drafts.ts";
import type { Documents } from "./documents.ts";
import { type OpenSession, titleOf } from "./open-session.ts";
import { summaryForReading } from "./summary-for-reading.ts";
import { compactWithProgress } from "./summary-progress.ts";
import { rowContent } from "./tree-row.ts";
import { requireTrust } from "./workspace-trust.ts";

/** How long the status bar says what was done (ms). */
export const TOLD_MS = 5000;

/** The chats, as far as actions need them. */
export interface Chats {
  /** Puts text into the composer of the session's chat, behind a draft that stands there. */
  offerText: (open: OpenSession, text: string, images?: { mimeType: string; data: string }[]) => Promise<void>;
  /** The session, where it is open in a chat. */
  shown: (sessionId: string) => OpenSession | undefined;
}

/** Throws where something is on in the session, with the reason and an offer to stop. */
async function mustBeIdle(open: OpenSession): Promise<boolean> {
  if (open.phase === "idle") return true;
  const stop = vscode.l10n.t("Stop It");
  const choice = await vscode.window.showWarningMessage(
    vscode.l10n.t("The session is busy ({0}). The position can move when that is over.", open.phase.replace("_", " ")),
    stop,
  );
  if (choice !== stop) return false;
  open.harness.abort();
  await open.harness.waitForIdle();
  return true;
}

export class EntryActions {
  readonly #documents: Documents;
  readonly #chats: Chats;
  #drafts: Promise<BranchSummaryDrafts> | undefined;

  constructor(documents: Documents, chats: Chats) {
    this.#documents = documents;
    this.#chats = chats;
  }

  /** Branch summaries that are being edited; loaded with the first. */
  get summaryDrafts(): Promise<BranchSummaryDrafts> {
    this.#drafts ??= import("./branch-summary-drafts.ts").then(
      (module) => new module.BranchSummaryDrafts(this, this.#chats.shown),
    );
    return this.#drafts;
  }

  /** Moves the position to an entry and shows it; false where nothing moved. */
  async moveTo(open: OpenSession, entryId: string | null, options: NavigateOptions): Promise<boolean> {
    if (!(await mustBeIdle(open))) return false;
    if (options.summarize && options.draft === undefined) {
      open.setProgress({ text: vscode.l10n.t("Summarising the branch that is left…"), cancellable: true });
    }
    const seen = open.shownLeafId;
    try {
      const result = await open.harness.navigateTree(entryId, options);
      if (result.cancelled) return false;
      open.returnFrom(seen);
      if (result.editorText !== undefined) await this.#chats.offerText(open, result.editorText);
      return true;
    } finally {
      open.setProgress(undefined);
    }
  }

  /** Writes the summary of what would be left and opens it for editing; nothing moves. False where nothing was written. */
  async draftSummary(open: OpenSession, entryId: string | null, focus = ""): Promise<boolean> {
    if (!(await mustBeIdle(open))) return false;
    const target = entryId === null ? null : leafAt(open.session, entryId);
    return await (await this.summaryDrafts).write(open, target, focus.trim() === "" ? undefined : focus.trim());
  }

  /** "Continue from here": moves, and asks for an answer where a message of the person is now the last. */
  async continueFrom(open: OpenSession, entryId: string | null, options: NavigateOptions): Promise<void> {
    // As it is shown: a reply's calls with what they gave.
    if (!(await this.moveTo(open, entryId === null ? null : leafAt(open.session, entryId), options))) return;
    const node = entryId === null ? undefined : open.session.node(entryId);
    if (node?.role === "user" && !options.summarize) await open.harness.continueRun();
  }

  /**
   * Edit and resend: the chat shows what stood before the message, and its text comes into the composer. Nothing moves until
   * it is sent, so that the way back stays open.
   */
  async editAndResend(open: OpenSession, entryId: string): Promise<void> {
    const { targetId, editorText, editorImages } = await editTarget(open.session, entryId);
    open.showBefore(targetId);
    await this.#chats.offerText(open, editorText, editorImages);
  }

  async label(open: OpenSession, entryId: string): Promise<void> {
    const entry = await open.session.getEntry(entryId);
    const words = entry === undefined ? "" : rowContent(entry).title;
    const label = await vscode.window.showInputBox({
      title: words === "" ? vscode.l10n.t("Label") : vscode.l10n.t("Label: {0}", titleOf(words)),
      ignoreFocusOut: true,
      value: open.session.getLabel(entryId) ?? "",
      prompt: vscode.l10n.t("A short name for this point; empty takes it away"),
    });
    if (label === undefined) return;
    await open.session.appendLabel(entryId, label);
    open.notifyChanged();
  }

  async copy(open: OpenSession, entryId: string): Promise<void> {
    const entry = await open.session.getEntry(entryId);
    if (entry !== undefined) await vscode.env.clipboard.writeText(entryText(entry));
  }

  async openSummary(open: OpenSession, entryId: string): Promise<void> {
    const entry = await open.session.getEntry(entryId);
    if (entry?.type !== "compaction" && entry?.type !== "branch_summary") return;
    const name = entry.type === "compaction" ? "Compaction" : "Branch summary";
    await this.#documents.show(`/${open.session.id}/${entryId}/${name}.md`, summaryForReading(entry.summary));
  }

  /** Compacts with progress and cancel; a session that is too short is offered to keep its last turn only. */
  async compact(open: OpenSession, instructions: string): Promise<void> {
    requireTrust();
    if (open.phase !== "idle") {
      throw new HarnessError(
        "busy",
        vscode.l10n.t("The session is busy. Stop the run first, or compact when it is over."),
      );
    }
    const focus = instructions.trim() === "" ? {} : { customInstructions: instructions.trim() };
    let cut: { kind: "lastTurn" } | undefined;
    if ((await open.harness.previewCompaction()) === undefined) {
      const shortest = await open.harness.previewCompaction({ kind: "lastTurn" });
      if (shortest === undefined) {
        throw new CompactionError("nothing_to_compact", vscode.l10n.t("There is nothing to compact yet."));
      }
      const [question, keep] = shortest.isSplitTurn
        ? [
            vscode.l10n.t(
              "All of this conversation is one turn, recent enough to be kept. Compact everything before its last reply?",
            ),
            vscode.l10n.t("Keep Only the Last Reply"),
          ]
        : [
            vscode.l10n.t(
              "All of this conversation is recent enough to be kept. Compact everything before the last turn?",
            ),
            vscode.l10n.t("Keep Only the Last Turn"),
          ];
      const choice = await vscode.window.showInformationMessage(question, { modal: true }, keep);
      if (choice !== keep) return;
      cut = { kind: "lastTurn" };
    }
    try {
      await compactWithProgress(open, { ...focus, ...(cut === undefined ? {} : { cut }) });
    } catch (error) {
      if (!(error instanceof CompactionError && error.code === "aborted")) throw error;
    }
  }

  async undoCompaction(open: OpenSession, entryId?: string): Promise<void> {
    const id = entryId ?? newestCompaction(open.session, open.session.getLeafId());
    if (id === undefined) {
      throw new SessionError("invalid_argument", vscode.l10n.t("There is no compaction on this branch."));
    }
    if (!(await mustBeIdle(open))) return;
    const seen = open.shownLeafId;
    await open.harness.undoCompaction(id);
    open.returnFrom(seen);
    // Its marker may be out of sight in the chat.
    vscode.window.setStatusBarMessage(vscode.l10n.t("The compaction was undone."), TOLD_MS);
  }

  async pickEntry(open: OpenSession): Promise<string | undefined> {
    return await (await import("./entry-picker.ts")).pickEntry(open.session);
  }
}

/** What an error says to someone who looks at the chat; undefined for what they did themselves. */
export function messageOf(thrown: unknown): string | undefined {
  const error = toError(thrown);
  if (error instanceof CompactionError && error.code === "aborted") return undefined;
  return error.message;
}
