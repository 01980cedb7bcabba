// Summaries of branches that wait in an editor tab: nothing moves and nothing is written before one is attached.
import * as vscode from "vscode";
import { HarnessError, toError } from "../core/errors.ts";
import type { BranchSummaryDraft } from "../core/harness/tree-navigation.ts";
import { DraftDocument } from "./draft-document.ts";
import type { EntryActions } from "./entry-actions.ts";
import type { OpenSession } from "./open-session.ts";
import { draftWithProgress } from "./summary-progress.ts";

interface Draft {
  document: DraftDocument;
  sessionId: string;
  written: BranchSummaryDraft;
}

export class BranchSummaryDrafts implements vscode.Disposable {
  readonly #entryActions: EntryActions;
  readonly #shown: (sessionId: string) => OpenSession | undefined;
  readonly #closed: vscode.Disposable;
  #drafts: Draft[] = [];

  /** `shown` finds a session that is open in a chat. */
  constructor(entryActions: EntryActions, shown: (sessionId: string) => OpenSession | undefined) {
    this.#entryActions = entryActions;
    this.#shown = shown;
    this.#closed = vscode.workspace.onDidCloseTextDocument((document) => {
      // A text that is given another language is told of as closed and opened again.
      if (!document.isClosed) return;
      this.#keep(this.#drafts.filter((draft) => !draft.document.is(document)));
    });
  }

  /** Writes the summary of what a move would leave behind and opens it for editing; false where that was cancelled. */
  async write(open: OpenSession, entryId: string | null, customInstructions?: string): Promise<boolean> {
    const written = await draftWithProgress(open, () =>
      open.harness.draftBranchSummary(entryId, { customInstructions }),
    );
    if (written === undefined) return false;
    const document = await DraftDocument.open(written.summary);
    const draft: Draft = { document, sessionId: open.session.id, written };
    this.#keep([...this.#drafts, draft]);
    void this.#ask(draft).catch((error) => vscode.window.showErrorMessage(toError(error).message));
    return true;
  }

  async #ask(draft: Draft): Promise<void> {
    const attach = vscode.l10n.t("Attach and Continue");
    const discard = vscode.l10n.t("Discard");
    const question = vscode.l10n.t("Edit the summary. Nothing moves before you attach it.");
    const answer = await vscode.window.showInformationMessage(question, attach, discard);
    // The question stays where the tab's own buttons have answered it.
    if (!this.#drafts.includes(draft)) return;
    if (answer === attach) await this.attach(draft);
    else if (answer === discard) await this.discard(draft);
  }

  /** Moves with the text as it stands; refused, and the text kept, where the session or its position is another by now. */
  async attach(draft = this.#asked()): Promise<void> {
    const { document, sessionId, written } = draft;
    const summary = document.text;
    if (summary === "") throw new HarnessError("invalid_argument", vscode.l10n.t("The summary is empty."));
    const open = this.#shown(sessionId);
    if (open === undefined) {
      throw new HarnessError(
        "invalid_state",
        vscode.l10n.t("The session of this summary is not in the chat now. Open it again, then attach the summary."),
      );
    }
    try {
      const options = { summarize: true, draft: { ...written, summary } };
      if (!(await this.#entryActions.moveTo(open, written.targetId, options))) return;
    } catch (error) {
      if (!(error instanceof HarnessError && error.code === "invalid_state")) throw error;
      throw new HarnessError(
        "invalid_state",
        vscode.l10n.t(
          "The conversation went on since the summary was written, so it was not attached. Its text stays open; write a new one from the same point, or discard it.",
        ),
        error,
      );
    }
    await document.close();
  }

  /** Gives the text up: nothing has moved, nothing is written. */
  async discard(draft = this.#asked()): Promise<void> {
    await draft.document.close();
  }

  /** The draft in front, else the newest. */
  #asked(): Draft {
    const active = vscode.window.activeTextEditor?.document;
    const draft = this.#drafts.find(({ document }) => document.is(active)) ?? this.#drafts.at(-1);
    if (draft !== undefined) return draft;
    throw new HarnessError("invalid_state", vscode.l10n.t("There is no draft of a summary."));
  }

  #keep(drafts: Draft[]): void {
    this.#drafts = drafts;
    const paths = drafts.map(({ document }) => document.path);
    void vscode.commands.executeCommand("setContext", "coppice.branchDrafts", paths.length === 0 ? undefined : paths);
  }

  dispose(): void {
    this.#closed.dispose();
  }
}
