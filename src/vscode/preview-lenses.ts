// What can be done with a previewed compaction or its draft, as a line above the text: nothing covers what there is to read.
import * as vscode from "vscode";
import { DOCUMENT_SCHEME } from "./documents.ts";

/** How a previewed compaction is carried out. */
export type PreviewChoice = "now" | "focus" | "draft";

export function isPreviewChoice(value: unknown): value is PreviewChoice {
  return value === "now" || value === "focus" || value === "draft";
}

/** The ways with their titles, in the order in which they are offered. */
export function previewChoices(): [PreviewChoice, string][] {
  return [
    ["now", vscode.l10n.t("Compact now")],
    ["focus", vscode.l10n.t("Compact with a focus…")],
    ["draft", vscode.l10n.t("Write the summary, let me edit it first…")],
  ];
}

const AT = () => new vscode.Range(0, 0, 0, 0);

/** The line over the draft of a summary; asked again with `changed`. */
export function registerDraftLens(
  isDraft: (document: vscode.TextDocument) => boolean,
  changed: vscode.Event<void>,
): vscode.Disposable {
  return vscode.languages.registerCodeLensProvider(
    { scheme: "untitled", language: "markdown" },
    {
      onDidChangeCodeLenses: changed,
      provideCodeLenses: (document) => {
        if (!isDraft(document)) return [];
        const apply = { command: "coppice.applyDraft", title: vscode.l10n.t("Compact with This Text") };
        const note = { command: "", title: vscode.l10n.t("Edit the summary. Nothing changes before you apply it.") };
        return [new vscode.CodeLens(AT(), apply), new vscode.CodeLens(AT(), note)];
      },
    },
  );
}

/** The line of actions over every preview. */
export function registerPreviewLenses(): vscode.Disposable {
  const at = AT();
  return vscode.languages.registerCodeLensProvider(
    { scheme: DOCUMENT_SCHEME, pattern: "/preview/**" },
    {
      provideCodeLenses: () => [
        ...previewChoices().map(
          ([choice, title]) =>
            new vscode.CodeLens(at, { command: "coppice.compactPreviewed", title, arguments: [choice] }),
        ),
        new vscode.CodeLens(at, { command: "coppice.showCut", title: vscode.l10n.t("Show the cut in the chat") }),
      ],
    },
  );
}
