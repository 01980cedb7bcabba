// Another window or a Pi terminal may write to the file of a session: what they append joins the tree when it is seen.
import * as vscode from "vscode";
import type { Session } from "../core/session/session.ts";

/** Several writes in a row are one look at the file (ms). */
const REFRESH_MS = 200;

/** Returns what ends it. */
export function watchFile(session: Session): () => void {
  if (session.file === undefined) return () => {};
  const uri = vscode.Uri.file(session.file);
  const name = uri.path.slice(uri.path.lastIndexOf("/") + 1);
  const pattern = new vscode.RelativePattern(vscode.Uri.joinPath(uri, ".."), name);
  const watcher = vscode.workspace.createFileSystemWatcher(pattern, true, false, true);
  let timer: NodeJS.Timeout | undefined;
  watcher.onDidChange(() => {
    timer ??= setTimeout(() => {
      timer = undefined;
      void session.refresh().catch(() => {}); // A file that is gone is told with the next write.
    }, REFRESH_MS);
  });
  return () => {
    clearTimeout(timer);
    watcher.dispose();
  };
}
