import { beforeEach, describe, expect, it, vi } from "vitest";

const { command } = vi.hoisted(() => ({ command: { run: (_id: string) => {} } }));
vi.mock("vscode", () => ({ commands: { executeCommand: async (id: string) => command.run(id) } }));

import type * as vscode from "vscode";
import { focusedRow, openedRow } from "../../src/vscode/focused-row.ts";

/** A list as the editor has it: `drawing` looks come while its rows are drawn anew, and find none of them. */
function list({ focus, selected = [], drawing = 0 }: { focus?: string; selected?: string[]; drawing?: number }) {
  const listeners = new Set<(event: { selection: string[] }) => void>();
  const now = new Set(selected);
  let looks = 0;
  const known = () => (looks <= drawing ? [] : [...now]);
  command.run = () => {
    if (focus === undefined) return;
    if (!now.delete(focus)) now.add(focus);
    for (const listener of listeners) listener({ selection: known() });
  };
  const view = {
    get selection() {
      looks++;
      return known();
    },
    onDidChangeSelection: (listener: (event: { selection: string[] }) => void) => {
      listeners.add(listener);
      return { dispose: () => listeners.delete(listener) };
    },
  };
  return { view: view as unknown as vscode.TreeView<string>, now };
}
beforeEach(() => void vi.useRealTimers());

describe("the row that a click opened", () => {
  it("is the selected one", async () => {
    expect(await openedRow(list({ selected: ["a"] }).view)).toBe("a");
  });

  it("is found though the rows are being drawn at that moment", async () => {
    expect(await openedRow(list({ selected: ["a"], drawing: 3 }).view)).toBe("a");
  });

  it("is none where it went meanwhile", async () => {
    expect(await openedRow(list({}).view)).toBeUndefined();
  });
});

describe("the row that a key is about", () => {
  it("is the focused one, selected or not, and the selection stays", async () => {
    for (const selected of [[], ["a"], ["b"], ["a", "b"]]) {
      const { view, now } = list({ focus: "b", selected });
      expect(await focusedRow(view)).toBe("b");
      expect([...now].sort()).toEqual(selected);
    }
  });

  it("is found though the rows are being drawn at that moment", async () => {
    const { view, now } = list({ focus: "b", selected: ["a"], drawing: 2 });
    expect(await focusedRow(view)).toBe("b");
    expect([...now]).toEqual(["a"]);
  });

  it("is none where the list has no focus", async () => {
    expect(await focusedRow(list({ selected: ["a"] }).view)).toBeUndefined();
  });
});
