// Small facts about what surrounds a chat: roots, model, attachments, slash commands.
import * as vscode from "vscode";
import { type Model, modelKey } from "../core/llm/model.ts";
import type { Session } from "../core/session/session.ts";
import type { ChatState, ModelView } from "../protocol/view-state.ts";
import type { ChatHost } from "./chat-host.ts";
import type { OpenSession } from "./open-session.ts";

/** Folders that the tools may work in without a question: the session's own and those of the workspace. */
export function workspaceRoots(session: Session): string[] {
  const folders = (vscode.workspace.workspaceFolders ?? []).map((folder) => folder.uri.fsPath);
  return folders.includes(session.cwd) ? folders : [...folders, session.cwd];
}

export function modelView(model: Model | undefined): ModelView | null {
  if (model === undefined) return null;
  return {
    key: modelKey(model),
    name: model.name,
    provider: model.provider,
    isDemo: model.api === "coppice-demo",
  };
}

/** What the next message of a session's chat carries. */
export function attachmentsOf(hosts: readonly ChatHost[], open: OpenSession | undefined): ChatState["attachments"] {
  const host = hosts.find((candidate) => candidate.open === open);
  return (host?.attachments ?? []).map(({ id, title, detail }) => ({ id, title, detail }));
}

/** Commands that can be typed into the composer. */
export function slashCommands(): ChatState["slashCommands"] {
  return [
    { name: "compact", description: vscode.l10n.t("Summarise the older part; text behind it is the focus") },
    { name: "undo", description: vscode.l10n.t("Undo the newest compaction") },
    { name: "tree", description: vscode.l10n.t("Go to an entry of the session") },
    { name: "fork", description: vscode.l10n.t("Begin a new session as a copy of this one") },
    { name: "name", description: vscode.l10n.t("Name the session") },
    { name: "model", description: vscode.l10n.t("Choose a model") },
    { name: "new", description: vscode.l10n.t("Begin a new session") },
  ];
}

/** The translations of the editor's language for the page; empty for English. */
export function pageStrings(): Record<string, string> {
  return { ...vscode.l10n.bundle };
}
