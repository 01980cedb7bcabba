// Quick pick over the entries of a session. Loaded when it is first used.
import * as vscode from "vscode";
import { toError } from "../core/errors.ts";
import { entryText } from "../core/harness/session-memory.ts";
import type { SessionEntry } from "../core/session/entries.ts";
import { searchSession } from "../core/session/search-session.ts";
import type { Session } from "../core/session/session.ts";
import { showSearchPick } from "./search-pick.ts";
import { withoutMarks } from "./telling-words.ts";
import { rowContent } from "./tree-row.ts";

type Item = vscode.QuickPickItem & { id: string };

/** Entries that are listed before anything is typed: the newest. */
const LISTED = 1000;
/** Entries that typing finds beside them. */
const MAX_HITS = 200;
/** Characters of an entry in the list. */
const SHOWN = 120;

/** Every entry that has something to say, whether a tree has loaded it or not; undefined where none was picked. */
export async function pickEntry(session: Session): Promise<string | undefined> {
  let listed: Item[] = [];
  let onBranch: ReadonlySet<string> = new Set();
  const picked = await showSearchPick<Item>({
    title: vscode.l10n.t("Go to Entry"),
    placeholder: vscode.l10n.t("Looking does not move the position"),
    items: async () => {
      await session.ready();
      onBranch = new Set(session.pathTo(session.getLeafId()));
      listed = await newestItems(session, onBranch);
      return listed;
    },
    search: async (text, show, signal) => {
      const needle = text.trim().toLowerCase();
      // The list finds these by itself.
      const inSight = new Set(listed.filter((item) => says(item, needle)).map((item) => item.id));
      const hits: Item[] = [];
      for await (const { entryId, snippet } of searchSession(session, text, signal)) {
        if (inSight.has(entryId)) continue;
        const [entry] = await session.getEntries([entryId]);
        if (entry === undefined) continue;
        hits.push({ ...itemOf(session, onBranch, entry, withoutMarks(snippet)), alwaysShow: true });
        if (hits.length % 20 === 1) show([...hits]);
        if (hits.length >= MAX_HITS) break;
      }
      show(hits);
    },
    onError: (error) => void vscode.window.showErrorMessage(toError(error).message),
  });
  return picked?.id;
}

function says(item: Item, needle: string): boolean {
  return [item.label, item.description, item.detail].some((text) => text?.toLowerCase().includes(needle) === true);
}

async function newestItems(session: Session, onBranch: ReadonlySet<string>): Promise<Item[]> {
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
  const items: Item[] = [];
  for (const entry of (await session.getEntries(ids.slice(-LISTED))).reverse()) {
    const text = entryText(entry).trim() === "" ? "" : rowContent(entry).title;
    if (text !== "" || session.getLabel(entry.id) !== undefined) items.push(itemOf(session, onBranch, entry, text));
  }
  return items;
}

function itemOf(session: Session, onBranch: ReadonlySet<string>, entry: SessionEntry, text: string): Item {
  const label = session.getLabel(entry.id);
  return {
    id: entry.id,
    label: `$(${iconOf(entry)}) ${text.slice(0, SHOWN).toWellFormed()}`,
    description: [
      label === undefined ? "" : `$(tag) ${label}`,
      onBranch.has(entry.id) ? vscode.l10n.t("on this branch") : "",
    ]
      .filter((part) => part !== "")
      .join(" · "),
    detail: new Date(entry.timestamp).toLocaleString(vscode.env.language),
  };
}

function iconOf(entry: SessionEntry): string {
  if (entry.type === "compaction") return "fold";
  if (entry.type === "branch_summary") return "git-branch";
  return entry.type === "message" && entry.message.role === "user" ? "account" : "comment";
}
