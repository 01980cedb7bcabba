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

describe("a new session", () => {
  /** What is in the chat after it was asked for, with these folders open and this one picked. */
  async function asked(folders: string[], picked: string | undefined) {
    const all = folders.map((name) => ({ name, uri: { fsPath: `/w/${name}` } }));
    vi.spyOn(vscode.workspace, "workspaceFolders", "get").mockReturnValue(all as never);
    vi.spyOn(vscode.window, "showQuickPick").mockImplementation((async (items: { label: string }[]) =>
      items.find(({ label }) => label === picked)) as never);
    const shown: unknown[] = [];
    const begun = await new SessionActions({
      sessions: { create: async (cwd: string) => cwd, setCurrent: (open: unknown) => shown.push(open) },
    } as never).newSession();
    vi.restoreAllMocks();
    return { begun, shown };
  }

  it("is begun in the folder that was picked", async () => {
    expect(await asked(["a", "b"], "b")).toEqual({ begun: true, shown: ["/w/b"] });
  });

  it("is none where the question was closed: what is in the chat stays", async () => {
    expect(await asked(["a", "b"], undefined)).toEqual({ begun: false, shown: [] });
  });

  it("is an empty chat where no folder is open", async () => {
    expect(await asked([], undefined)).toEqual({ begun: true, shown: [undefined] });
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
