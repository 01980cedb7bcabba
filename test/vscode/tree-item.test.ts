import { expect, it, vi } from "vitest";

vi.mock("vscode", async () => {
  class Item {
    readonly label: unknown;
    constructor(label: unknown) {
      this.label = label;
    }
  }
  return {
    ...(await import("../support/fake-vscode.ts")),
    TreeItem: Item,
    ThemeIcon: Item,
    ThemeColor: Item,
    TreeItemCollapsibleState: { None: 0, Collapsed: 1 },
  };
});

import { entryItem, moreItem } from "../../src/vscode/tree-item.ts";
import type { EntryNode, RowState } from "../../src/vscode/tree-nodes.ts";

it("gives rows commands without arguments: the editor forgets those whenever it draws a row anew", () => {
  const row = { head: false, below: 0, branches: 1, onPath: true };
  const node = { kind: "entry", key: "k", entryId: "a", run: null, row, folded: [] } as unknown as EntryNode;
  const content = { kind: "user", title: "Hello", tools: [], timeMs: 0 };
  const more = { kind: "more", key: "m", run: null, direction: "later", hidden: 3 } as const;
  for (const item of [entryItem("s", node, { content, tools: [] } as unknown as RowState), moreItem("s", more)]) {
    expect(item.command).toEqual({ command: "coppice.tree.open", title: expect.any(String) });
  }
});

it("counts the attempts that share a row and says what the last of them met", () => {
  const row = { head: false, below: 0, branches: 1, onPath: true };
  const node = { kind: "entry", key: "k", entryId: "b", run: null, row, folded: ["a", "b"] } as unknown as EntryNode;
  const content = { kind: "reply", title: "529 overloaded", tools: [], timeMs: 0, failure: "failed", attempt: true };
  const item = entryItem("s", node, { content, tools: [] } as unknown as RowState);
  expect(item.label).toBe("failed");
  expect(item.description).toBe("2 attempts: 529 overloaded");
});
