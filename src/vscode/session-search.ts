// Searches sessions by name, first prompt and the text of every branch, with results as they are found.
import * as vscode from "vscode";
import { searchSession } from "../core/session/search-session.ts";
import type { Session } from "../core/session/session.ts";
import { showSearchPick } from "./search-pick.ts";
import { ago, type ListedSession, type SessionActions, sessionTitle } from "./session-actions.ts";
import type { SessionService } from "./session-service.ts";

/** Hits of one session, and in all. */
const MAX_PER_SESSION = 20;
const MAX_HITS = 300;

type Item = vscode.QuickPickItem & { path: string; entryId?: string };

export interface SearchServices {
  sessions: SessionService;
  sessionActions: SessionActions;
  /** Opens a file to read in it; closed after use. */
  openFile: (path: string) => Promise<Session>;
  onError: (error: unknown) => void;
}

/** Asks for a text and resolves with what was chosen; the search ends with the pick. */
export async function pickBySearch(
  services: SearchServices,
): Promise<{ path: string; entryId: string | undefined } | undefined> {
  let readable: ListedSession[] = [];
  const item = await showSearchPick<Item>({
    title: vscode.l10n.t("Search Sessions"),
    placeholder: vscode.l10n.t("A name, a first prompt, or any text of any branch"),
    items: async () => {
      const list = await services.sessionActions.list();
      readable = list.filter((session) => session.problem === undefined);
      return readable.map(sessionItem);
    },
    search: (text, show, signal) => search(services, readable, text, show, signal),
    onError: services.onError,
  });
  return item === undefined ? undefined : { path: item.path, entryId: item.entryId };
}

function sessionItem(session: ListedSession): Item {
  return {
    label: `$(comment-discussion) ${sessionTitle(session)}`,
    description: [session.fromPi ? "Pi" : "", ago(session.activeMs)].filter((part) => part !== "").join(" · "),
    path: session.path,
  };
}

async function search(
  services: SearchServices,
  list: readonly ListedSession[],
  text: string,
  show: (found: readonly Item[]) => void,
  signal: AbortSignal,
): Promise<void> {
  const hits: Item[] = [];
  for (const listed of list) {
    if (signal.aborted || hits.length >= MAX_HITS) break;
    const known = services.sessions.all.find((open) => open.session.file === listed.path)?.session;
    let session: Session;
    try {
      session = known ?? (await services.openFile(listed.path));
    } catch {
      continue; // The list says what is wrong with it.
    }
    try {
      let count = 0;
      for await (const hit of searchSession(session, text, signal)) {
        hits.push({
          label: `$(search) ${hit.snippet}`,
          description: sessionTitle(listed),
          path: listed.path,
          entryId: hit.entryId,
          alwaysShow: true,
        });
        if (++count >= MAX_PER_SESSION || hits.length >= MAX_HITS) break;
      }
      if (count > 0) show([...hits]);
    } finally {
      if (known === undefined) await session.close();
    }
  }
}
