// The sample session: a copy of the one that ships, so that everything can be looked at before a model is chosen.
import * as vscode from "vscode";
import type { JsonlSessionRepo } from "../../core/session/jsonl-repo.ts";
import type { SessionActions } from "../session-actions.ts";

const SAMPLE_NAME = "Sample session";

/** Opens the copy of this folder, or makes it first. */
export async function openSample(
  extensionUri: vscode.Uri,
  actions: SessionActions,
  repo: JsonlSessionRepo,
): Promise<void> {
  const cwd = await actions.neededFolder();
  if (cwd === undefined) return;
  const known = (await repo.list({ cwd })).find((item) => item.name === SAMPLE_NAME && item.imported === true);
  if (known !== undefined) {
    await actions.open(known.path);
    return;
  }
  const shipped = vscode.Uri.joinPath(extensionUri, "media", "sample-session.jsonl");
  const session = await repo.importFile(shipped.fsPath, cwd);
  const file = session.file;
  await session.close();
  if (file !== undefined) await actions.open(file);
}
