// What can be done with a compaction that is previewed, as a line above its text: nothing covers what there is to read.
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

/** The line of actions over every preview. */
export function registerPreviewLenses(): vscode.Disposable {
  const at = new vscode.Range(0, 0, 0, 0);
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
