// Compaction before and after the fact: what one would do, a draft to edit, and what one did.
import * as vscode from "vscode";
import { HarnessError, SessionError } from "../core/errors.ts";
import { entryText } from "../core/harness/session-memory.ts";
import type { Usage } from "../core/llm/messages.ts";
import type { ContextItem } from "../core/session/session.ts";
import { type Cut, CutPreview, itemTokens } from "./cut-preview.ts";
import type { Documents } from "./documents.ts";
import { DraftDocument } from "./draft-document.ts";
import type { OpenSession } from "./open-session.ts";
import {
  isPreviewChoice,
  type PreviewChoice,
  previewChoices,
  registerDraftLens,
  registerPreviewLenses,
} from "./preview-lenses.ts";
import { compactWithProgress, draftWithProgress } from "./summary-progress.ts";
import { kindName, shortTokens } from "./tree-labels.ts";
import { rowContent } from "./tree-row.ts";
import { requireTrust } from "./workspace-trust.ts";

/** A summary that stands in an editor and waits to be applied. */
interface Draft {
  document: DraftDocument;
  open: OpenSession;
  cut: Cut;
  /** The position that it was written for. */
  leafId: string | null;
  usage: Usage | undefined;
}

export class CompactionPreview implements vscode.Disposable {
  readonly #documents: Documents;
  readonly #revealChat: () => Promise<unknown>;
  readonly #cuts: CutPreview;
  readonly #disposables: vscode.Disposable[] = [];
  readonly #draftChanged = new vscode.EventEmitter<void>();
  #draft: Draft | undefined;

  constructor(documents: Documents, revealChat: () => Promise<unknown>) {
    this.#documents = documents;
    this.#revealChat = revealChat;
    this.#cuts = new CutPreview(documents);
    this.#disposables.push(
      this.#cuts,
      registerPreviewLenses(),
      this.#draftChanged,
      registerDraftLens((document) => this.#draft?.document.is(document) === true, this.#draftChanged.event),
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (this.#draft?.document.is(document) === true) this.#setDraft(undefined);
      }),
    );
  }

  /** Shows what would be summarised and what would stay, here, in the chat and in the tree; what can be done stands above. */
  async preview(open: OpenSession, entryId?: string): Promise<void> {
    await this.#cuts.show(open, entryId === undefined ? undefined : { kind: "entry", id: entryId });
  }

  /** Carries out what is previewed, in the way that was chosen or is chosen now. */
  async carryOut(choice?: unknown): Promise<void> {
    const { open, cut } = this.#cuts.needed();
    const chosen = isPreviewChoice(choice) ? choice : await this.#choose();
    if (chosen !== undefined) await this.#compact(open, cut, chosen);
  }

  /** Brings the cut of the preview into view, in the chat and in the tree. */
  async showCut(): Promise<void> {
    await this.#revealChat();
    this.#cuts.reveal();
  }

  async closePreview(): Promise<void> {
    await this.#cuts.close();
  }

  async #choose(): Promise<PreviewChoice | undefined> {
    const items = previewChoices().map(([choice, label]) => ({ label, choice }));
    const picked = await vscode.window.showQuickPick(items, {
      title: vscode.l10n.t("Compaction"),
      placeHolder: vscode.l10n.t("Nothing has been changed yet"),
      ignoreFocusOut: true,
    });
    return picked?.choice;
  }

  async #compact(open: OpenSession, cut: Cut, choice: PreviewChoice): Promise<void> {
    requireTrust();
    const options: { cut?: NonNullable<Cut>; customInstructions?: string } = cut === undefined ? {} : { cut };
    if (choice === "focus") {
      const focus = await vscode.window.showInputBox({
        title: vscode.l10n.t("Compact with a focus…"),
        prompt: vscode.l10n.t("What should the summary pay attention to?"),
        ignoreFocusOut: true,
      });
      if (focus === undefined) return;
      if (focus.trim() !== "") options.customInstructions = focus.trim();
    }
    if (choice === "draft") return await this.#writeDraft(open, options);
    try {
      await compactWithProgress(open, options);
    } finally {
      await this.#cuts.close();
    }
  }

  async #writeDraft(open: OpenSession, options: { cut?: NonNullable<Cut> }): Promise<void> {
    const leafId = open.session.getLeafId();
    const result = await draftWithProgress(open, () => open.harness.draftCompaction(options));
    const document = await DraftDocument.open(result.summary);
    this.#setDraft({ document, open, cut: options.cut, leafId, usage: result.usage });
  }

  #setDraft(draft: Draft | undefined): void {
    this.#draft = draft;
    this.#draftChanged.fire();
    void vscode.commands.executeCommand("setContext", "coppice.hasDraft", draft !== undefined);
  }

  /** Compacts with the text of the draft; refused where the position has moved since it was written. */
  async applyDraft(): Promise<void> {
    const draft = this.#draft;
    if (draft === undefined) {
      throw new HarnessError("invalid_state", vscode.l10n.t("There is no draft of a summary."));
    }
    const summary = draft.document.text;
    if (summary === "") throw new HarnessError("invalid_argument", vscode.l10n.t("The summary is empty."));
    if (draft.open.session.getLeafId() !== draft.leafId) {
      throw new HarnessError(
        "invalid_state",
        vscode.l10n.t("The conversation went on since the draft was written. Preview the compaction again."),
      );
    }
    await compactWithProgress(draft.open, {
      summary,
      ...(draft.cut === undefined ? {} : { cut: draft.cut }),
      ...(draft.usage === undefined ? {} : { summaryUsage: draft.usage }),
    });
    this.#setDraft(undefined);
    await draft.document.close();
    await this.#cuts.close();
  }

  /** The context before and after a compaction, side by side. */
  async compare(open: OpenSession, compactionId: string): Promise<void> {
    const { session } = open;
    const node = session.node(compactionId);
    if (node?.type !== "compaction") {
      throw new SessionError("invalid_argument", vscode.l10n.t("This entry is no compaction."));
    }
    const [before, after] = await Promise.all([
      session.buildContext(node.parentId),
      session.buildContext(compactionId),
    ]);
    const total = (items: readonly ContextItem[]) => items.reduce((sum, item) => sum + itemTokens(item), 0);
    await this.#documents.showDiff(
      "context.md",
      contextText(before.items),
      contextText(after.items),
      vscode.l10n.t(
        "Messages before ↔ after the compaction (~{0} → ~{1} tokens)",
        shortTokens(total(before.items)),
        shortTokens(total(after.items)),
      ),
      `compaction/${session.id}/${compactionId}`,
    );
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

/** A context as a text that a diff can compare entry by entry. */
function contextText(items: readonly ContextItem[]): string {
  return items
    .map((item) => {
      const content = rowContent(item.entry);
      const text = entryText(item.entry).trim();
      const tools = content.tools.length === 0 ? "" : `\n\n${content.title}`;
      return `## ${kindName(content.kind)} (${item.entry.id})\n\n${text}${text === "" ? tools.trim() : ""}\n`;
    })
    .join("\n");
}
