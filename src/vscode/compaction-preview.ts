// Compaction before and after the fact: what one would do, a draft to edit, what one did, and the way back to one undone.
import * as vscode from "vscode";
import type { CompactionPreparation, PrepareInput } from "../core/compaction/compaction.ts";
import { estimateTokens } from "../core/compaction/token-estimation.ts";
import { HarnessError, SessionError } from "../core/errors.ts";
import { entryText, UNDO_CUSTOM_TYPE } from "../core/harness/session-memory.ts";
import type { Usage } from "../core/llm/messages.ts";
import type { ContextItem, Session } from "../core/session/session.ts";
import { leafThrough } from "../core/session/siblings.ts";
import type { Documents } from "./documents.ts";
import { DraftDocument } from "./draft-document.ts";
import type { EntryActions } from "./entry-actions.ts";
import type { OpenSession } from "./session-service.ts";
import { compactWithProgress } from "./tree-commands.ts";
import { kindName, shortTokens } from "./tree-labels.ts";
import { rowContent } from "./tree-row.ts";

type Cut = PrepareInput["cut"];

/** A summary that stands in an editor and waits to be applied. */
interface Draft {
  document: DraftDocument;
  open: OpenSession;
  cut: Cut;
  /** The position that it was written for. */
  leafId: string | null;
  usage: Usage | undefined;
}

const itemTokens = (item: ContextItem) => item.messages.reduce((sum, message) => sum + estimateTokens(message), 0);

export class CompactionPreview implements vscode.Disposable {
  readonly #documents: Documents;
  readonly #entryActions: EntryActions;
  readonly #disposables: vscode.Disposable[] = [];
  #draft: Draft | undefined;

  constructor(documents: Documents, entryActions: EntryActions) {
    this.#documents = documents;
    this.#entryActions = entryActions;
    this.#disposables.push(
      vscode.workspace.onDidCloseTextDocument((document) => {
        if (this.#draft?.document.is(document) === true) this.#setDraft(undefined);
      }),
    );
  }

  /** Shows what would be summarised and what would stay, and offers to do it. */
  async preview(open: OpenSession, entryId?: string): Promise<void> {
    const cut: Cut = entryId === undefined ? undefined : { kind: "entry", id: entryId };
    let used = cut as Cut;
    let preparation = await open.harness.previewCompaction(cut);
    if (preparation === undefined && cut === undefined) {
      used = { kind: "lastTurn" };
      preparation = await open.harness.previewCompaction(used);
    }
    if (preparation === undefined) {
      throw new HarnessError("invalid_argument", vscode.l10n.t("There is nothing to compact: all of it is recent."));
    }
    const context = await open.session.buildContext();
    const text = previewText(preparation, context.items, used?.kind === "lastTurn");
    await this.#documents.show(`/preview/${open.session.id}/Compaction preview.md`, text);
    await this.#offer(open, used);
  }

  async #offer(open: OpenSession, cut: Cut): Promise<void> {
    const choices = {
      now: vscode.l10n.t("Compact now"),
      focus: vscode.l10n.t("Compact with a focus…"),
      draft: vscode.l10n.t("Write the summary, let me edit it first…"),
    };
    const picked = await vscode.window.showQuickPick(Object.values(choices), {
      title: vscode.l10n.t("Compaction"),
      placeHolder: vscode.l10n.t("Nothing has been changed yet"),
      ignoreFocusOut: true,
    });
    const options: { cut?: NonNullable<Cut>; customInstructions?: string } = cut === undefined ? {} : { cut };
    if (picked === undefined) return;
    if (picked === choices.focus) {
      const focus = await vscode.window.showInputBox({
        title: choices.focus,
        prompt: vscode.l10n.t("What should the summary pay attention to?"),
        ignoreFocusOut: true,
      });
      if (focus === undefined) return;
      if (focus.trim() !== "") options.customInstructions = focus.trim();
    }
    if (picked === choices.draft) await this.#writeDraft(open, options);
    else await compactWithProgress(open, options);
  }

  async #writeDraft(open: OpenSession, options: { cut?: NonNullable<Cut> }): Promise<void> {
    const leafId = open.session.getLeafId();
    const result = await vscode.window.withProgress(
      {
        location: vscode.ProgressLocation.Notification,
        title: vscode.l10n.t("Writing the summary…"),
        cancellable: true,
      },
      (_progress, token) => {
        token.onCancellationRequested(() => open.harness.abort());
        return open.harness.draftCompaction(options);
      },
    );
    const document = await DraftDocument.open(result.summary);
    const draft: Draft = { document, open, cut: options.cut, leafId, usage: result.usage };
    this.#setDraft(draft);
    const apply = vscode.l10n.t("Compact with This Text");
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t("Edit the summary. Nothing changes before you apply it."),
      apply,
      vscode.l10n.t("Not Now"),
    );
    if (answer === apply && this.#draft === draft) await this.applyDraft();
  }

  #setDraft(draft: Draft | undefined): void {
    this.#draft = draft;
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
        "Context before ↔ after the compaction (~{0} → ~{1} tokens)",
        shortTokens(total(before.items)),
        shortTokens(total(after.items)),
      ),
      `compaction/${session.id}/${compactionId}`,
    );
  }

  /** Back to the branch of a compaction that was undone here; what was said since stays as a branch of its own. */
  async redo(open: OpenSession): Promise<void> {
    await open.session.ready();
    const compactionId = await undoneCompaction(open.session);
    if (compactionId === undefined) {
      throw new SessionError("invalid_argument", vscode.l10n.t("No compaction was undone on this branch."));
    }
    await this.#entryActions.moveTo(open, leafThrough(open.session, compactionId), { summarize: false });
  }

  dispose(): void {
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

/** The compaction that was last undone on the way to the position. */
async function undoneCompaction(session: Session): Promise<string | undefined> {
  const customs = session.pathTo(session.getLeafId()).filter((id) => session.node(id)?.type === "custom");
  for (const entry of (await session.getEntries(customs)).reverse()) {
    if (entry.type !== "custom" || entry.customType !== UNDO_CUSTOM_TYPE) continue;
    const id = (entry.data as { compactionId?: unknown } | undefined)?.compactionId;
    if (typeof id === "string" && session.node(id)?.type === "compaction") return id;
  }
  return undefined;
}

function line(item: ContextItem): string {
  const content = rowContent(item.entry);
  return `- ${kindName(content.kind)}: ${content.title || "–"} (~${shortTokens(itemTokens(item))})`;
}

function previewText(preparation: CompactionPreparation, items: readonly ContextItem[], lastTurn: boolean): string {
  const summarised = new Set([...preparation.summarizeIds, ...preparation.prefixIds]);
  const gone = items.filter((item) => summarised.has(item.entry.id));
  const previous = items[0]?.entry.type === "compaction" ? items[0] : undefined;
  const kept = items.filter((item) => !summarised.has(item.entry.id) && item !== previous);
  const sum = (list: readonly ContextItem[]) => list.reduce((total, item) => total + itemTokens(item), 0);
  const keptTokens = sum(kept);
  const goneTokens = sum(gone) + (previous === undefined ? 0 : itemTokens(previous));
  const lines = [
    `# ${vscode.l10n.t("What a compaction would do")}`,
    "",
    vscode.l10n.t("Nothing has been changed. Numbers with ~ are estimates."),
    "",
    `- ${vscode.l10n.t("Context now: {0} tokens", shortTokens(preparation.tokensBefore))}`,
    `- ${vscode.l10n.t("To be summarised: {0} entries, ~{1} tokens", gone.length, shortTokens(goneTokens))}`,
    `- ${vscode.l10n.t("Stays word for word: {0} entries, ~{1} tokens", kept.length, shortTokens(keptTokens))}`,
    `- ${vscode.l10n.t("Freed: ~{0} tokens less the new summary", shortTokens(goneTokens))}`,
  ];
  if (previous !== undefined) lines.push(`- ${vscode.l10n.t("The previous summary is carried on into the new one.")}`);
  if (preparation.isSplitTurn) {
    lines.push(`- ${vscode.l10n.t("The cut falls inside a turn: its beginning gets a summary of its own.")}`);
  }
  if (lastTurn) {
    lines.push(`- ${vscode.l10n.t("All of it is recent by the settings: only the last turn would stay.")}`);
  }
  const cut = kept[0];
  lines.push("", `## ${vscode.l10n.t("To be summarised")}`, "", ...gone.map(line));
  lines.push("", "---", "");
  lines.push(
    cut === undefined
      ? vscode.l10n.t("The cut is behind the last entry.")
      : vscode.l10n.t("The cut is before: {0}", rowContent(cut.entry).title),
  );
  lines.push("", `## ${vscode.l10n.t("Stays word for word")}`, "", ...kept.map(line), "");
  return lines.join("\n");
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
