// What the chat opens elsewhere: diffs, outputs, files of the workspace, links.
import * as vscode from "vscode";
import { contentText } from "../core/llm/messages.ts";
import { approvalWords } from "./approval-words.ts";
import type { ChatHost } from "./chat-host.ts";
import type { Documents } from "./documents.ts";
import type { OpenSession } from "./open-session.ts";
import { closeWithAnswer } from "./proposed-diff.ts";

export class ChatOpeners {
  readonly #documents: Documents;

  constructor(documents: Documents) {
    this.#documents = documents;
  }

  async #resultOf(open: OpenSession, callId: string) {
    for (const id of [...open.session.pathTo(open.visibleLeafId)].reverse()) {
      if (open.session.node(id)?.role !== "toolResult") continue;
      const entry = await open.session.getEntry(id);
      if (entry?.type === "message" && entry.message.role === "toolResult" && entry.message.toolCallId === callId) {
        return entry.message;
      }
    }
    return undefined;
  }

  async diff(open: OpenSession | undefined, callId: string): Promise<void> {
    if (open === undefined) return;
    const proposal = open.approvals.proposalOf(callId);
    if (proposal?.after !== undefined) {
      const title = vscode.l10n.t("{0} (proposed)", approvalWords(proposal.title));
      const { path = "file", before = "", after } = proposal;
      closeWithAnswer(open, callId, await this.#documents.showDiff(path, before, after, title, callId));
      return;
    }
    const result = await this.#resultOf(open, callId);
    const details = result?.details as { path?: string; before?: string; after?: string } | undefined;
    if (typeof details?.before !== "string" || typeof details.after !== "string") return;
    const name = details.path ?? "file";
    const title = vscode.l10n.t("{0} (changed by Coppice)", name.replace(/^.*[\\/]/, ""));
    await this.#documents.showDiff(name, details.before, details.after, title, callId);
  }

  async output(open: OpenSession | undefined, callId: string): Promise<void> {
    if (open === undefined) return;
    const result = await this.#resultOf(open, callId);
    if (result === undefined) return;
    const details = result.details as { fullOutputPath?: string } | undefined;
    const text = contentText(result.content);
    if (details?.fullOutputPath !== undefined) {
      const uri = vscode.Uri.file(details.fullOutputPath);
      const opened = await vscode.window.showTextDocument(uri, { preview: true }).then(
        () => true,
        () => false,
      );
      if (opened) return;
    }
    await this.#documents.show(`/${open.session.id}/${callId}/output.txt`, text);
  }

  async file(path: string, line: number | undefined, open: OpenSession | undefined): Promise<void> {
    const root = open?.session.cwd ?? vscode.workspace.workspaceFolders?.[0]?.uri.fsPath;
    if (root === undefined) return;
    const uri = path.startsWith("/") ? vscode.Uri.file(path) : vscode.Uri.joinPath(vscode.Uri.file(root), path);
    // The transcript may name any file; only those of the workspace are opened by a click.
    if (vscode.workspace.getWorkspaceFolder(uri) === undefined) return;
    const at = line === undefined ? undefined : new vscode.Position(Math.max(0, line - 1), 0);
    await vscode.window.showTextDocument(uri, {
      preview: true,
      ...(at === undefined ? {} : { selection: new vscode.Range(at, at) }),
    });
  }

  async attach(text: string, host: ChatHost): Promise<void> {
    const uri = vscode.Uri.parse(text, true);
    const folder = vscode.workspace.getWorkspaceFolder(uri);
    if (folder === undefined) return;
    const path = vscode.workspace.asRelativePath(uri, false);
    host.attachments.push({ id: `file:${path}`, title: path, detail: vscode.l10n.t("file"), text: `File: ${path}` });
    host.refreshFrame();
  }

  /** Shows the whole address before anything leaves the editor; http and https only. */
  async link(url: string): Promise<void> {
    let parsed: URL;
    try {
      parsed = new URL(url);
    } catch {
      return;
    }
    if (parsed.protocol !== "http:" && parsed.protocol !== "https:") return;
    const go = vscode.l10n.t("Open Link");
    const answer = await vscode.window.showInformationMessage(
      vscode.l10n.t("Open this link from the conversation?"),
      { modal: true, detail: parsed.href },
      go,
    );
    if (answer === go) await vscode.env.openExternal(vscode.Uri.parse(parsed.href, true));
  }
}
