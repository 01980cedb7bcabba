import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

import * as vscode from "vscode";
import { SessionActions, type SessionActionsOptions } from "../../src/vscode/session-actions.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const LAST = { name: "last" };
/** A window whose last session, `file`, can be opened when `opened` resolves. */
function window(opened: Promise<void> = Promise.resolve(), file: string | null = import.meta.filename) {
  const sessions = {
    lastFile: file ?? undefined,
    current: undefined as unknown,
    open: async () => {
      await opened;
      return LAST;
    },
    setCurrent(open: unknown) {
      this.current = open;
    },
  };
  const actions = new SessionActions({ sessions } as unknown as SessionActionsOptions);
  return { sessions, restored: actions.restoreLast() };
}

describe("the session that was open last", () => {
  it("is shown again", async () => {
    const { sessions, restored } = window();
    await restored;
    expect(sessions.current).toBe(LAST);
  });

  it("is not where its file is gone, or there was none", async () => {
    for (const file of ["/nowhere/at-all.jsonl", null]) {
      const { sessions, restored } = window(Promise.resolve(), file);
      await restored;
      expect(sessions.current).toBeUndefined();
    }
  });

  it("does not take the place of one that was begun while it was opened", async () => {
    let open = () => {};
    const { sessions, restored } = window(new Promise<void>((resolve) => (open = resolve)));
    await vi.advanceTimersByTimeAsync(1000);
    sessions.current = "begun meanwhile";
    open();
    await restored;
    expect(sessions.current).toBe("begun meanwhile");
  });

  it("takes no place any more where opening it took so long that the chat went on without it", async () => {
    let open = () => {};
    const { sessions, restored } = window(new Promise<void>((resolve) => (open = resolve)));
    await vi.advanceTimersByTimeAsync(60_000);
    await restored;
    open();
    await vi.advanceTimersByTimeAsync(1000);
    expect(sessions.current).toBeUndefined();
  });
});

describe("the question which folder a session is for", () => {
  it("stays when the chat takes the focus, and its answer is the folder's path", async () => {
    const folder = (name: string) => ({ name, uri: { fsPath: `/w/${name}` } });
    vi.spyOn(vscode.workspace, "workspaceFolders", "get").mockReturnValue([folder("a"), folder("b")] as never);
    const ask = vi
      .spyOn(vscode.window, "showQuickPick")
      .mockImplementation((async (items: unknown[]) => items[1]) as never);
    const actions = new SessionActions({ sessions: {} } as unknown as SessionActionsOptions);
    expect(await actions.folder()).toBe("/w/b");
    expect(ask.mock.calls[0]?.[1]).toMatchObject({ ignoreFocusOut: true });
    vi.restoreAllMocks();
  });
});
