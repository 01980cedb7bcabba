// Context keys for `when` and `enablement`: what the open session can do now.
import * as vscode from "vscode";
import { newestCompaction } from "../core/harness/undo-compaction.ts";
import type { OpenSession, SessionService } from "./session-service.ts";

/** Keeps `coppice.hasSession`, `coppice.busy` and `coppice.hasCompaction` true to the session in the chat. */
export function trackContextKeys(sessions: SessionService): vscode.Disposable {
  const sent = new Map<string, boolean>();
  const set = (key: string, value: boolean) => {
    if (sent.get(key) === value) return;
    sent.set(key, value);
    void vscode.commands.executeCommand("setContext", `coppice.${key}`, value);
  };
  const update = (open: OpenSession | undefined) => {
    set("hasSession", open !== undefined);
    set("busy", open !== undefined && open.phase !== "idle");
    set("hasCompaction", open !== undefined && newestCompaction(open.session, open.session.getLeafId()) !== undefined);
  };
  update(sessions.current);
  return vscode.Disposable.from(
    sessions.onDidChangeCurrent(update),
    sessions.onDidChangeSession((open) => {
      if (open === sessions.current) update(open);
    }),
  );
}
