// Quick pick over the entries of a session. Loaded when it is first used.
import * as vscode from "vscode";
import { entryText } from "../core/harness/session-memory.ts";
import type { Session } from "../core/session/session.ts";

type Item = vscode.QuickPickItem & { id: string };

/** Every entry that has something to say, whether a tree has loaded it or not; undefined where none was picked. */
export async function pickEntry(session: Session): Promise<string | undefined> {
  await session.ready();
  const picked = await vscode.window.showQuickPick(pickItems(session), {
    title: vscode.l10n.t("Go to Entry"),
    placeHolder: vscode.l10n.t("Looking does not move the position"),
    matchOnDescription: true,
    matchOnDetail: true,
  });
  return picked?.id;
}

const PICK_LIMIT = 5000;

async function pickItems(session: Session): Promise<Item[]> {
  const ids: string[] = [];
  for (const id of session.allIds()) {
    const node = session.node(id);
    const worth =
      node?.role === "user" ||
      node?.role === "assistant" ||
      node?.type === "compaction" ||
      node?.type === "branch_summary" ||
      session.getLabel(id) !== undefined;
    if (worth) ids.push(id);
  }
  const position = new Set(session.pathTo(session.getLeafId()));
  const items: Item[] = [];
  for (const entry of (await session.getEntries(ids.slice(-PICK_LIMIT))).reverse()) {
    const text = entryText(entry).trim().replace(/\s+/g, " ");
    const label = session.getLabel(entry.id);
    if (text === "" && label === undefined) continue;
    const icon =
      entry.type === "compaction"
        ? "$(fold)"
        : entry.type === "branch_summary"
          ? "$(git-branch)"
          : entry.type === "message" && entry.message.role === "user"
            ? "$(account)"
            : "$(comment)";
    items.push({
      id: entry.id,
      label: `${icon} ${text.slice(0, 120).toWellFormed()}`,
      description: [
        label === undefined ? "" : `$(tag) ${label}`,
        position.has(entry.id) ? vscode.l10n.t("on this branch") : "",
      ]
        .filter((part) => part !== "")
        .join(" · "),
      detail: new Date(entry.timestamp).toLocaleString(vscode.env.language),
    });
  }
  return items;
}
