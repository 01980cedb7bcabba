// Which row of a tree view a key or a click is about. Loaded with the first.
import * as vscode from "vscode";

/** Adds the focused row to the selection of the list, or takes it out; opens nothing. */
const TOGGLE = "list.toggleSelection";
/** Waits between attempts, ms: while rows are being drawn anew, the editor's host knows none of them. */
const WAITS_MS = [0, 30, 60, 120, 240, 480];

/**
 * The row that was just opened, by a click or by Enter; undefined where it is gone. A row's command has no arguments: the
 * editor forgets those with every drawing, and a click that falls into one would do nothing.
 */
export function openedRow<T>(view: vscode.TreeView<T>): Promise<T | undefined> {
  return found(async () => view.selection[0]);
}

/**
 * The element that a key is about. The API tells the selection only, and the arrow keys move the focus alone: so the
 * focused row is selected and deselected again, and the difference is it. Undefined where no row has the focus.
 */
export function focusedRow<T>(view: vscode.TreeView<T>): Promise<T | undefined> {
  return found(() => difference(view));
}

async function found<T>(look: () => Promise<T | undefined>): Promise<T | undefined> {
  for (const wait of WAITS_MS) {
    if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
    const row = await look();
    if (row !== undefined) return row;
  }
  return undefined;
}

async function difference<T>(view: vscode.TreeView<T>): Promise<T | undefined> {
  const before = view.selection;
  let after: readonly T[] | undefined;
  const listening = view.onDidChangeSelection(({ selection }) => {
    after ??= selection;
  });
  try {
    await vscode.commands.executeCommand(TOGGLE);
    if (after === undefined) return undefined;
    await vscode.commands.executeCommand(TOGGLE);
  } finally {
    listening.dispose();
  }
  const now = after as readonly T[];
  const changed = [...now.filter((one) => !before.includes(one)), ...before.filter((one) => !now.includes(one))];
  // None: rows are being drawn. More than one: the selection was moved by something else meanwhile.
  return changed.length === 1 ? changed[0] : undefined;
}
