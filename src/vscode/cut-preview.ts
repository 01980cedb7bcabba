// A compaction that is being previewed: its page in the editor and its cut in chat and tree, kept true until it is closed.
import * as vscode from "vscode";
import type { CompactionPreparation, PrepareInput } from "../core/compaction/compaction.ts";
import { estimateTokens } from "../core/compaction/token-estimation.ts";
import { HarnessError } from "../core/errors.ts";
import type { HarnessContext } from "../core/harness/agent-harness.ts";
import type { ContextItem } from "../core/session/session.ts";
import type { CutView } from "../protocol/view-state.ts";
import type { Documents } from "./documents.ts";
import type { OpenSession } from "./open-session.ts";
import { rowIdsOf } from "./transcript-items.ts";
import { attemptsTitle, kindName, shortTokens } from "./tree-labels.ts";
import { rowContent } from "./tree-row.ts";

export type Cut = PrepareInput["cut"];

/** Several changes in a row are one look. */
const REFRESH_MS = 200;
/** Entries from the cut on whose rows are looked for: not every entry has one. */
const CANDIDATES = 8;

interface Shown {
  open: OpenSession;
  cut: Cut;
  path: string;
  watch: vscode.Disposable;
}

export const itemTokens = (item: ContextItem) =>
  item.messages.reduce((sum, message) => sum + estimateTokens(message), 0);

const sum = (items: readonly ContextItem[]) => items.reduce((total, item) => total + itemTokens(item), 0);

export class CutPreview implements vscode.Disposable {
  readonly #documents: Documents;
  readonly #disposables: vscode.Disposable[] = [];
  #shown: Shown | undefined;
  #timer: NodeJS.Timeout | undefined;

  constructor(documents: Documents) {
    this.#documents = documents;
    this.#disposables.push(
      vscode.window.tabGroups.onDidChangeTabs(() => {
        if (this.#shown !== undefined && this.#tab() === undefined) this.#end();
      }),
      vscode.workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration("coppice.compaction")) this.#refreshSoon();
      }),
    );
  }

  /** Opens the page and marks the cut. Throws where there is nothing to compact. */
  async show(open: OpenSession, wanted: Cut): Promise<{ open: OpenSession; cut: Cut }> {
    let cut = wanted;
    let preparation = await open.harness.previewCompaction(cut);
    if (preparation === undefined && cut === undefined) {
      cut = { kind: "lastTurn" };
      preparation = await open.harness.previewCompaction(cut);
    }
    if (preparation === undefined) {
      throw new HarnessError("invalid_argument", vscode.l10n.t("There is nothing to compact: all of it is recent."));
    }
    this.#end();
    const path = `/preview/${open.session.id}/Compaction preview.md`;
    await this.#documents.show(path, await this.#mark(open, cut, preparation));
    let looked = open.shownLeafId;
    const watch = vscode.Disposable.from(
      open.onDidChangeTree(() => this.#refreshSoon()),
      open.onDidChange(() => {
        if (looked === open.shownLeafId) return;
        looked = open.shownLeafId;
        this.#refreshSoon();
      }),
      open.onEvent(({ type }) => {
        if (type === "model_update" || type === "window_learned") this.#refreshSoon();
      }),
    );
    this.#shown = { open, cut, path, watch };
    this.#tell();
    return { open, cut };
  }

  /** What is being previewed; throws where nothing is. */
  needed(): { open: OpenSession; cut: Cut } {
    if (this.#shown !== undefined) return this.#shown;
    throw new HarnessError("invalid_state", vscode.l10n.t("No compaction is being previewed."));
  }

  reveal(): void {
    const { open } = this.needed();
    if (open.cut === undefined) return;
    // A branch that does not go through the cut is left: looking is not moving.
    if (!open.session.pathTo(open.visibleLeafId).includes(open.cut.entryId)) open.show(undefined);
    open.reveal(open.cut.entryId);
  }

  /** Closes the page; the marks go with it. */
  async close(): Promise<void> {
    const tab = this.#tab();
    this.#end();
    if (tab !== undefined) await vscode.window.tabGroups.close(tab);
  }

  #tab(): vscode.Tab | undefined {
    return vscode.window.tabGroups.all
      .flatMap((group) => group.tabs)
      .find(({ input }) => input instanceof vscode.TabInputText && input.uri.path === this.#shown?.path);
  }

  #end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const shown = this.#shown;
    this.#shown = undefined;
    if (shown === undefined) return;
    this.#tell();
    shown.watch.dispose();
    shown.open.setCut(undefined);
  }

  #tell(): void {
    void vscode.commands.executeCommand("setContext", "coppice.cutShown", this.#shown !== undefined);
  }

  #refreshSoon(): void {
    if (this.#shown === undefined) return;
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      // A session that is closed or cannot be read has no cut any more.
      this.#refresh().catch(() => this.#end());
    }, REFRESH_MS);
  }

  /** The conversation, the model or the settings changed: the page and the marks follow. */
  async #refresh(): Promise<void> {
    const shown = this.#shown;
    if (shown === undefined) return;
    const preparation = await shown.open.harness.previewCompaction(shown.cut);
    if (this.#shown !== shown) return;
    if (preparation === undefined) return await this.close();
    this.#documents.put(shown.path, await this.#mark(shown.open, shown.cut, preparation));
  }

  /** Marks the cut in chat and tree, and returns the text of the page. */
  async #mark(open: OpenSession, cut: Cut, preparation: CompactionPreparation): Promise<string> {
    const { items } = await open.session.buildContext();
    const parts = partsOf(preparation, items);
    const first = parts.kept[0];
    const view: CutView = {
      before: parts.kept.slice(0, CANDIDATES).flatMap((item) => rowIdsOf(item.entry)),
      summarised: { entries: parts.gone.length, tokens: parts.goneTokens },
      kept: { entries: parts.kept.length, tokens: parts.keptTokens },
      splitTurn: preparation.isSplitTurn,
    };
    open.setCut(first === undefined ? undefined : { entryId: first.entry.id, view });
    return previewText(preparation, parts, {
      lastTurn: cut?.kind === "lastTurn",
      elsewhere: open.shownLeafId !== undefined,
      now: await open.harness.contextUsage(),
    });
  }

  dispose(): void {
    this.#end();
    for (const disposable of this.#disposables) disposable.dispose();
  }
}

interface Parts {
  previous: ContextItem | undefined;
  gone: ContextItem[];
  kept: ContextItem[];
  /** Tokens by estimate, the previous summary included. */
  goneTokens: number;
  keptTokens: number;
}

function partsOf(preparation: CompactionPreparation, items: readonly ContextItem[]): Parts {
  const summarised = new Set([...preparation.summarizeIds, ...preparation.prefixIds]);
  const gone = items.filter((item) => summarised.has(item.entry.id));
  const previous = items[0]?.entry.type === "compaction" ? items[0] : undefined;
  const kept = items.filter((item) => !summarised.has(item.entry.id) && item !== previous);
  const goneTokens = sum(gone) + (previous === undefined ? 0 : itemTokens(previous));
  return { previous, gone, kept, goneTokens, keptTokens: sum(kept) };
}

/** A line for each entry; attempts at one reply share theirs. */
function lines(items: readonly ContextItem[]): string[] {
  const made: string[] = [];
  for (let at = 0; at < items.length; ) {
    const { kind, title, attempt } = rowContent(items[at]!.entry);
    const from = at++;
    while (attempt === true && items[at] !== undefined && rowContent(items[at]!.entry).attempt === true) at++;
    const shown = at - from > 1 ? attemptsTitle(at - from, rowContent(items[at - 1]!.entry).title) : title || "–";
    made.push(`- ${kindName(kind)}: ${shown} (~${shortTokens(sum(items.slice(from, at)))})`);
  }
  return made;
}

/** `elsewhere`: the chat shows another point than the position, which the preview is about. */
function previewText(
  preparation: CompactionPreparation,
  parts: Parts,
  { lastTurn, elsewhere, now }: { lastTurn: boolean; elsewhere: boolean; now: HarnessContext },
): string {
  const { previous, gone, kept, goneTokens, keptTokens } = parts;
  const page = [
    `# ${vscode.l10n.t("What a compaction would do")}`,
    "",
    vscode.l10n.t("Nothing has been changed. Numbers with ~ are estimates."),
    "",
    ...(elsewhere
      ? [vscode.l10n.t("This is about the current position, not about the point that the chat shows."), ""]
      : []),
    `- ${
      now.estimated
        ? vscode.l10n.t("Context now: ~{0} tokens", shortTokens(now.tokens))
        : vscode.l10n.t("Context now: {0} tokens", shortTokens(now.tokens))
    }`,
    `- ${vscode.l10n.t("To be summarised: {0} entries, ~{1} tokens", gone.length, shortTokens(goneTokens))}`,
    `- ${vscode.l10n.t("Stays word for word: {0} entries, ~{1} tokens", kept.length, shortTokens(keptTokens))}`,
    `- ${vscode.l10n.t("Freed: ~{0} tokens less the new summary", shortTokens(goneTokens))}`,
    `- ${vscode.l10n.t("The rest is the system prompt, the tools, and what estimates miss.")}`,
  ];
  if (previous !== undefined) page.push(`- ${vscode.l10n.t("The previous summary is carried on into the new one.")}`);
  if (preparation.isSplitTurn) {
    page.push(`- ${vscode.l10n.t("The cut falls inside a turn: its beginning gets a summary of its own.")}`);
  }
  if (lastTurn) {
    page.push(`- ${vscode.l10n.t("All of it is recent by the settings: only the last turn would stay.")}`);
  }
  const cut = kept[0];
  page.push("", `## ${vscode.l10n.t("To be summarised")}`, "", ...lines(gone));
  page.push("", "---", "");
  page.push(
    cut === undefined
      ? vscode.l10n.t("The cut is behind the last entry.")
      : vscode.l10n.t("The cut is before: {0}", rowContent(cut.entry).title),
  );
  page.push("", `## ${vscode.l10n.t("Stays word for word")}`, "", ...lines(kept), "");
  return page.join("\n");
}
