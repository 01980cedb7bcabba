// Where the editor offers no models.
import * as vscode from "vscode";
import type { EditorModels } from "./model-service.ts";

export const noEditorModels: EditorModels = {
  list: async () => [],
  // biome-ignore lint/correctness/useYield: it fails before there is anything to yield
  stream: async function* () {
    throw new Error("The editor offers no models.");
  },
  onDidChange: new vscode.EventEmitter<void>().event,
};
