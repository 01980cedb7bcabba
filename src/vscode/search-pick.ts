// A quick pick that shows items at once and finds more as one types, with results as they come.
import * as vscode from "vscode";

const TYPING_MS = 300;
const MIN_CHARS = 2;

export interface SearchPick<T extends vscode.QuickPickItem> {
  title: string;
  placeholder: string;
  /** What is there before anything is typed. */
  items: () => Promise<readonly T[]>;
  /** Finds more for a text and shows all that it found so far; ends early where the signal is aborted. */
  search: (text: string, show: (found: readonly T[]) => void, signal: AbortSignal) => Promise<void>;
  onError: (error: unknown) => void;
}

/** Resolves with what was chosen, undefined where nothing was; the search ends with the pick. */
export async function showSearchPick<T extends vscode.QuickPickItem>(options: SearchPick<T>): Promise<T | undefined> {
  const pick = vscode.window.createQuickPick<T>();
  pick.title = options.title;
  pick.placeholder = options.placeholder;
  pick.matchOnDetail = true;
  pick.matchOnDescription = true;
  pick.keepScrollPosition = true;
  pick.busy = true;
  let items: readonly T[] = [];
  let found: readonly T[] = [];
  let running = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const draw = () => {
    pick.items = [...items, ...found];
  };
  const search = (text: string, signal: AbortSignal) => {
    const show = (more: readonly T[]) => {
      if (signal.aborted) return;
      found = more;
      draw();
    };
    options
      .search(text, show, signal)
      .catch(options.onError)
      .finally(() => {
        if (!signal.aborted) pick.busy = false;
      });
  };
  const typed = pick.onDidChangeValue((value) => {
    clearTimeout(timer);
    running.abort();
    if (found.length > 0) {
      found = [];
      draw();
    }
    pick.busy = value.trim().length >= MIN_CHARS;
    if (!pick.busy) return;
    running = new AbortController();
    const { signal } = running;
    timer = setTimeout(() => search(value, signal), TYPING_MS);
  });
  pick.show();
  const chosen = new Promise<T | undefined>((resolve) => {
    pick.onDidAccept(() => {
      resolve(pick.selectedItems[0]);
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
  try {
    items = await options.items();
    draw();
    if (timer === undefined) pick.busy = false;
  } catch (error) {
    pick.hide();
    throw error;
  }
  return await chosen;
}
