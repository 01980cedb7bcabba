import { describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

import type { HarnessEvent } from "../../src/core/harness/harness-events.ts";
import type { SessionChange } from "../../src/core/session/session.ts";
import type { FromWebview } from "../../src/protocol/from-webview.ts";
import type { ToWebview } from "../../src/protocol/to-webview.ts";
import { ChatController, type ControllerServices } from "../../src/vscode/chat-controller.ts";
import type { ChatHost } from "../../src/vscode/chat-host.ts";
import type { OpenSession } from "../../src/vscode/session-service.ts";
import { SessionWatch, type WatchServices } from "../../src/vscode/session-watch.ts";
import { TEST_MODEL, testHarness } from "../support/scripted-model.ts";

/** A controller with one open session whose notes and returned words are seen. */
function watched(model = TEST_MODEL) {
  const setup = testHarness({ model });
  const listeners: ((event: HarnessEvent) => void)[] = [];
  const changes: ((change: SessionChange) => void)[] = [];
  setup.harness.subscribe((event) => {
    for (const listener of listeners) listener(event);
  });
  const notes: { level: string; text: string; actions: { id: string }[] }[] = [];
  vi.spyOn(setup.session, "onDidChange").mockImplementation((listener) => {
    changes.push(listener);
    return () => {};
  });
  const open = {
    session: setup.session,
    harness: setup.harness,
    phase: "idle",
    onEvent: (listener: (event: HarnessEvent) => void) => listeners.push(listener),
    live: { notice: (note: (typeof notes)[number]) => notes.push(note) },
  } as unknown as OpenSession;
  const posted: ToWebview[] = [];
  const host = { open, isReady: true, post: (message: ToWebview) => posted.push(message) } as unknown as ChatHost;
  const state = new Map<string, unknown>();
  const log = { info: () => {}, warn: () => {}, error: (error: unknown) => expect.fail(String(error)) };
  let ids = 0;
  const controller = new ChatController({
    log,
    now: () => 0,
    words: {
      state: {
        get: <T>(key: string) => state.get(key) as T,
        update: async (key: string, value: unknown) => void state.set(key, value),
      },
      newId: () => `w${ids++}`,
      hosts: () => [host],
      reveal: async () => {},
      current: () => open,
    },
  } as unknown as ControllerServices);
  controller.watch(open);
  const added = () => posted.filter((message) => message.type === "composer.add");
  return { ...setup, controller, open, host, notes, posted, added, state, change: changes };
}

describe("what a session tells its conversation", () => {
  it("says that another program rewrote the file, and that another one added to it", async () => {
    const { notes, change } = watched();
    await expect.poll(() => change.length).toBe(1);
    change[0]!({ appended: [], external: false, leafId: null });
    change[0]!({ appended: ["a"], external: false, leafId: null });
    change[0]!({ appended: [], external: true, leafId: null });
    change[0]!({ appended: ["a", "b"], external: true, leafId: null });
    await expect.poll(() => notes.length).toBe(2);
    expect(notes.map(({ level, text }) => [level, text])).toEqual([
      ["warning", expect.stringContaining("Another program changed the session file.")],
      ["info", expect.stringContaining("added 2 entries")],
    ]);
  });
});

describe("a failure in a note", () => {
  it("offers each way out once, the log among them", async () => {
    const { harness, model, notes } = watched();
    model.replies = [{ failure: { kind: "badRequest", message: "400" } }];
    await harness.prompt("go");
    await expect.poll(() => notes.length).toBe(1);
    expect(notes[0]!.actions.map(({ id }) => id)).toEqual(["retry", "log"]);
  });

  it("says of an empty reply that it was empty, and offers to ask again", async () => {
    const { harness, model, notes } = watched();
    model.fallback = { failure: { kind: "emptyReply", message: "The model sent an empty reply.", maxRetries: 1 } };
    await harness.prompt("go");
    await expect.poll(() => notes.length).toBe(1);
    expect(model.requests.length).toBe(2);
    expect(notes[0]!.text).toContain("came back empty");
    expect(notes[0]!.actions.map(({ id }) => id)).toEqual(["retry", "model", "log"]);
  });
});

describe("queued messages that an abort hands back", () => {
  it("go to the page of their session, and are kept until they have left its composer", async () => {
    const { harness, model, added, controller, host, state, open } = watched();
    model.replies = [{ text: "half", until: new Promise(() => {}) }];
    const run = harness.prompt("go");
    await expect.poll(() => model.requests.length).toBe(1);
    harness.steer("one");
    harness.followUp("two", [{ type: "image", mimeType: "image/png", data: "AA==" }]);
    controller.stop(open);
    await run;
    await expect.poll(() => added().length).toBe(2);
    expect(added().map(({ text, images }) => [text, images])).toEqual([
      ["one", []],
      ["two", [{ mimeType: "image/png", data: "AA==" }]],
    ]);
    for (const { id } of added()) await controller.handle({ type: "composer.done", id } as FromWebview, host);
    expect(state.get("coppice.keptWords")).toEqual({});
    expect(model.requests.length).toBe(1);
  });
});

describe("a run that ended because it could not be saved", () => {
  const world = () => {
    const notes: { text: string; actions: string[] }[] = [];
    const watch = new SessionWatch({
      words: { hear: async () => {} },
      notice: (_open: unknown, _level: unknown, text: string, actions: { id: string }[] = []) =>
        void notes.push({ text, actions: actions.map(({ id }) => id) }),
    } as unknown as WatchServices);
    const open = { unsavedReason: undefined as string | undefined, phase: "turn" };
    const hear = (event: unknown) => watch.hear(open as OpenSession, event as HarnessEvent);
    return { notes, open, hear };
  };
  const failed = { type: "run_failed", failure: { kind: "other", message: "could not be saved" } };

  it("is not told as a request that failed, and can go on as soon as it is saved", async () => {
    const { notes, open, hear } = world();
    open.unsavedReason = "the disk is full";
    await hear(failed);
    expect(notes).toEqual([]);
    open.unsavedReason = undefined;
    open.phase = "idle";
    await hear({ type: "entries_saved", saved: [] });
    await hear({ type: "entries_saved", saved: [] });
    expect(notes).toEqual([{ text: "Everything is saved now. The model was not asked yet.", actions: ["retry"] }]);
  });

  it("says nothing where the next message saved it and asks the model itself", async () => {
    const { notes, open, hear } = world();
    open.unsavedReason = "the disk is full";
    await hear(failed);
    open.unsavedReason = undefined;
    await hear({ type: "entries_saved", saved: [] });
    open.phase = "idle";
    await hear({ type: "entries_saved", saved: [] });
    expect(notes).toEqual([]);
  });

  it("is one whose request failed where nothing is unsaved", async () => {
    const { notes, hear } = world();
    await hear(failed);
    expect(notes[0]?.text).toBe("The request failed. The log has the details.");
  });
});
