// From a tab about a session to its place in the chat: the tab stays open while the chat is about another session.
import * as vscode from "vscode";
import type { OpenSession } from "./open-session.ts";
import type { SessionService } from "./session-service.ts";

/** Brings the session into the chat and runs a command on one of its entries; nothing where it is no longer open. */
export async function showInChat(
  sessions: Pick<SessionService, "find" | "setCurrent">,
  open: OpenSession,
  entryId: string,
  command: "coppice.showEntry" | "coppice.continueFromHere" = "coppice.showEntry",
): Promise<void> {
  if (open.session.node(entryId) === undefined || sessions.find(open.session.id) !== open) return;
  sessions.setCurrent(open);
  await vscode.commands.executeCommand(command, entryId);
}
