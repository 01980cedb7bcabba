// Context keys for `when` and `enablement`: what the open session can do now.
import * as vscode from "vscode";
import { newestCompaction } from "../core/harness/undo-compaction.ts";
import type { OpenSession } from "./open-session.ts";
import type { SessionService } from "./session-service.ts";

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
  const updateNowAndWhole = (open: OpenSession | undefined) => {
    update(open);
    // Where a compaction stands is known with the index of the file; one that cannot be read is told elsewhere.
    open?.session.ready().then(
      () => open === sessions.current && update(open),
      () => {},
    );
  };
  updateNowAndWhole(sessions.current);
  return vscode.Disposable.from(
    sessions.onDidChangeCurrent(updateNowAndWhole),
    sessions.onDidChangeSession((open) => {
      if (open === sessions.current) update(open);
    }),
  );
}
