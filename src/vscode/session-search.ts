// Searches sessions by name, first prompt and the text of every branch, with results as they are found.
import * as vscode from "vscode";
import { searchSession } from "../core/session/search-session.ts";
import type { Session } from "../core/session/session.ts";
import { ago, type ListedSession, type SessionActions, sessionTitle } from "./session-actions.ts";
import type { SessionService } from "./session-service.ts";

const TYPING_MS = 300;
const MIN_CHARS = 2;
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
  const pick = vscode.window.createQuickPick<Item>();
  pick.title = vscode.l10n.t("Search Sessions");
  pick.placeholder = vscode.l10n.t("A name, a first prompt, or any text of any branch");
  pick.matchOnDetail = true;
  pick.matchOnDescription = true;
  pick.busy = true;
  pick.keepScrollPosition = true;
  pick.show();
  const list = await services.sessionActions.list();
  const readable = list.filter((session) => session.problem === undefined);
  const named = readable.map(sessionItem);
  pick.items = named;
  pick.busy = false;

  let running = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const typed = pick.onDidChangeValue((value) => {
    clearTimeout(timer);
    running.abort();
    pick.items = named;
    pick.busy = value.trim().length >= MIN_CHARS;
    if (!pick.busy) return;
    running = new AbortController();
    const { signal } = running;
    timer = setTimeout(() => {
      void search(services, pick, named, readable, value, signal)
        .catch(services.onError)
        .finally(() => {
          if (!signal.aborted) pick.busy = false;
        });
    }, TYPING_MS);
  });
  return await new Promise((resolve) => {
    pick.onDidAccept(() => {
      const item = pick.selectedItems[0];
      resolve(item === undefined ? undefined : { path: item.path, entryId: item.entryId });
      pick.hide();
    });
    pick.onDidHide(() => {
      clearTimeout(timer);
      running.abort();
      typed.dispose();
      pick.dispose();
      resolve(undefined);
    });
  });
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
  pick: vscode.QuickPick<Item>,
  named: readonly Item[],
  list: readonly ListedSession[],
  value: string,
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
      for await (const hit of searchSession(session, value, signal)) {
        hits.push({
          label: `$(search) ${hit.snippet}`,
          description: sessionTitle(listed),
          path: listed.path,
          entryId: hit.entryId,
          alwaysShow: true,
        });
        if (++count >= MAX_PER_SESSION || hits.length >= MAX_HITS) break;
      }
      if (count > 0 && !signal.aborted) pick.items = [...named, ...hits];
    } finally {
      if (known === undefined) await session.close();
    }
  }
}
