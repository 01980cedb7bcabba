import { describe, expect, it, vi } from "vitest";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

import type { HarnessEvent } from "../../src/core/harness/harness-events.ts";
import { asCutOff } from "../../src/core/llm/cut-off.ts";
import type { AssistantMessage } from "../../src/core/llm/messages.ts";
import type { SessionChange } from "../../src/core/session/session.ts";
import type { FromWebview } from "../../src/protocol/from-webview.ts";
import type { ToWebview } from "../../src/protocol/to-webview.ts";
import { ChatController, type ControllerServices } from "../../src/vscode/chat-controller.ts";
import type { ChatHost } from "../../src/vscode/chat-host.ts";
import type { OpenSession } from "../../src/vscode/open-session.ts";
import { SessionWatch, type WatchServices } from "../../src/vscode/session-watch.ts";
import { TEST_MODEL, testHarness } from "../support/scripted-model.ts";
import { assistant, user } from "../support/session-builder.ts";

/** A controller with one open session whose notes and returned words are seen. */
function watched(model = TEST_MODEL) {
  const setup = testHarness({ model });
  const listeners: ((event: HarnessEvent) => void)[] = [];
  const changes: ((change: SessionChange) => void)[] = [];
  setup.harness.subscribe((event) => {
    for (const listener of listeners) listener(event);
  });
  const notes: { level: string; text: string; actions: { id: string }[] }[] = [];
  const dismissed: string[] = [];
  const show = vi.fn();
  const showEnd = vi.fn();
  vi.spyOn(setup.session, "onDidChange").mockImplementation((listener) => {
    changes.push(listener);
    return () => {};
  });
  const open = {
    session: setup.session,
    harness: setup.harness,
    phase: "idle",
    onEvent: (listener: (event: HarnessEvent) => void) => listeners.push(listener),
    live: {
      notice: (note: (typeof notes)[number]) => `n${notes.push(note)}`,
      dismiss: (id: string) => dismissed.push(id) > 0,
    },
    show,
    showEnd,
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
  return { ...setup, controller, open, host, notes, posted, added, state, change: changes, dismissed, show, showEnd };
}

describe("what a session tells its conversation", () => {
  it("says that another program rewrote the file, and nothing of what it wrote itself", async () => {
    const { notes, change } = watched();
    await expect.poll(() => change.length).toBe(1);
    change[0]!({ appended: [], external: false, leafId: null });
    change[0]!({ appended: ["a"], external: false, leafId: null });
    change[0]!({ appended: [], external: true, leafId: null });
    await expect.poll(() => notes.length).toBe(1);
    expect(notes.map(({ level, text }) => [level, text])).toEqual([
      ["warning", expect.stringContaining("Another program changed the session file.")],
    ]);
  });
});

describe("a compaction that waits", () => {
  it("is told of once when the run is over, with both ways on, and again behind the next run", async () => {
    const small = { ...TEST_MODEL, contextWindow: 10_000, maxTokens: 2000 };
    const { harness, model, notes } = watched(small);
    const waits = () => notes.filter(({ actions }) => actions.some(({ id }) => id === "resumeCompaction"));
    for (let turn = 0; turn < 5; turn++) await harness.prompt(`turn ${turn} ${"word ".repeat(560)}`);
    await harness.undoCompaction(await harness.compact());
    for (const [run, totalTokens] of [9900, 9950].entries()) {
      model.replies = [{ text: "big", totalTokens }];
      await harness.prompt("more");
      await expect.poll(() => waits().length).toBe(run + 1);
    }
    expect(waits()[0]!.actions.map(({ id }) => id)).toEqual(["compact", "resumeCompaction"]);
  });
});

describe("a session that ends without an answer", () => {
  /** What is said of it when it is opened; undefined where nothing is. */
  async function said(last: AssistantMessage | undefined, isCopy = false) {
    const { session, open } = watched();
    await session.appendMessage(user("One"));
    if (last !== undefined) await session.appendMessage(last);
    open.isCopy = isCopy;
    const notes: { text: string; actions: { id: string }[] }[] = [];
    const watch = new SessionWatch({
      words: { restore: async () => 0 },
      log: { info: () => {}, warn: () => {} },
      notice: (_open: unknown, _level: unknown, text: string, actions: { id: string }[]) =>
        `n${notes.push({ text, actions })}`,
    } as unknown as WatchServices);
    await watch.opened(open);
    expect(notes.length).toBeLessThan(2);
    return notes[0];
  }

  it("was cut off where it was opened, and merely has none yet where it was copied", async () => {
    expect((await said(undefined))?.text).toContain("cut off");
    expect((await said(undefined, true))?.text).toBe("The last message has no answer here yet.");
  });

  it("was cut off in the middle of a reply too, copied or not, and may go on; one that the person stopped was not", async () => {
    const cutOff = asCutOff(assistant("Half a", { stopReason: "aborted" }));
    for (const isCopy of [false, true]) {
      const note = await said(cutOff, isCopy);
      expect(note?.text).toContain("cut off");
      expect(note?.actions.map(({ id }) => id)).toEqual(["retry"]);
    }
    expect(await said(assistant("Half a", { stopReason: "aborted" }))).toBeUndefined();
    expect(await said(assistant("All of it"))).toBeUndefined();
  });
});

describe("what another window added", () => {
  /** A session with two entries; `grow` tells of entries as another window's. */
  async function grown() {
    const world = watched();
    await expect.poll(() => world.change.length).toBe(1);
    const first = await world.session.appendMessage(user("One"));
    const second = await world.session.appendMessage(assistant("Two"));
    const grow = (...appended: string[]) => world.change[0]!({ appended, external: true, leafId: null });
    /** Notes of growth with their ids; others may stand between. */
    const told = () =>
      world.notes.flatMap(({ text, actions }, at) =>
        actions.some(({ id }) => id === "showAdded") ? [{ id: `n${at + 1}`, text }] : [],
      );
    return { ...world, first, second, grow, told };
  }

  it("is one note that goes there: a later one takes the place of the earlier and counts on", async () => {
    const { told, dismissed, show, grow, first, second, controller, host } = await grown();
    grow(first);
    grow(second);
    await expect.poll(() => told().length).toBe(2);
    const [earlier, later] = told();
    expect(dismissed).toEqual([earlier!.id]);
    expect(later!.text).toContain("added 2 entries");
    await controller.handle({ type: "notice.action", itemId: later!.id, actionId: "showAdded" }, host);
    expect(show.mock.calls).toEqual([[second]]);
    expect(dismissed).toEqual([earlier!.id, later!.id]);
  });

  it("is not told of where it is no part of the conversation", async () => {
    const { told, grow, session, first, second } = await grown();
    grow(await session.appendLabel(first, "here"), await session.appendSessionName("A name"));
    grow(second);
    await expect.poll(() => told().length).toBe(1);
    expect(told()[0]!.text).toContain("added an entry");
  });

  it("is followed, without a note, by who looks at the end of the branch that grew", async () => {
    const { told, open, grow, first, second, showEnd } = await grown();
    open.shownLeafId = first;
    grow(second);
    await expect.poll(() => showEnd.mock.calls).toEqual([[second]]);
    expect(told()).toEqual([]);
  });

  it("leaves who looks at an earlier point of that branch where they are", async () => {
    const { told, open, grow, session, first, showEnd } = await grown();
    open.shownLeafId = first;
    grow(await session.appendMessage(user("Three")));
    await expect.poll(() => told().length).toBe(1);
    expect(showEnd).not.toHaveBeenCalled();
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
