// Which row of a tree view has the keyboard's focus. Loaded with the first key.
import * as vscode from "vscode";

/** Adds the focused row to the selection of the list, or takes it out; opens nothing. */
const TOGGLE = "list.toggleSelection";

/**
 * The element that a key is about. The API tells the selection only, and the arrow keys move the focus alone: so the
 * focused row is selected and deselected again, and the difference is it. Undefined where no row has the focus.
 */
export async function focusedRow<T>(view: vscode.TreeView<T>): Promise<T | undefined> {
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
  // More than one: the selection was moved by something else meanwhile.
  return changed.length === 1 ? changed[0] : undefined;
}
