// What can be chosen while there is no model yet.
import * as vscode from "vscode";
import { type Model, modelKey } from "../core/llm/model.ts";
import type { SetupChoice } from "../protocol/view-state.ts";

/** The set-up card while no model is chosen (providers §8); nothing is sent before a click. */
export function setupChoices(editorModels: readonly Model[]): SetupChoice[] {
  const choices: SetupChoice[] = [];
  for (const model of editorModels.slice(0, 3)) {
    choices.push({
      id: `model:${modelKey(model)}`,
      title: vscode.l10n.t("Use {0}", model.name),
      detail: vscode.l10n.t("A model of your editor; no key needed"),
    });
  }
  choices.push(
    {
      id: "key",
      title: vscode.l10n.t("Use an API key…"),
      detail: vscode.l10n.t("Anthropic, OpenAI, OpenRouter or any compatible endpoint"),
    },
    {
      id: "local",
      title: vscode.l10n.t("Look for local models"),
      detail: vscode.l10n.t("Ollama, LM Studio, llama.cpp or vLLM on this machine"),
    },
    {
      id: "demo",
      title: vscode.l10n.t("Try the demo"),
      detail: vscode.l10n.t("A script, not an AI: shows everything without a key"),
    },
    {
      id: "sample",
      title: vscode.l10n.t("Look at a sample session"),
      detail: vscode.l10n.t("Branches and compactions to look around in; needs no model"),
    },
  );
  return choices;
}
