import { describe, expect, it, vi } from "vitest";
import { HarnessError, SessionError } from "../../src/core/errors.ts";
import type { AgentHarness } from "../../src/core/harness/agent-harness.ts";
import type { HarnessEvent } from "../../src/core/harness/harness-events.ts";
import { createMemorySession } from "../../src/core/session/stored-session.ts";
import { OpenSession, type SessionSurroundings } from "../../src/vscode/open-session.ts";
import { noticeFor } from "../../src/vscode/session-notices.ts";
import { countingClock, countingIds } from "../support/session-builder.ts";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

/** An error of a write as it arrives: the system's own at the end of a chain of causes. */
function failure(code?: string): Error {
  const cause = Object.assign(new Error(`${code}: write`), code === undefined ? {} : { code });
  return new HarnessError("session", "…", new SessionError("storage", "/s/a.jsonl could not be written.", cause));
}

function world() {
  let tell = (_event: HarnessEvent) => {};
  const harness = {
    subscribe: (listener: typeof tell) => {
      tell = listener;
      return () => {};
    },
  } as unknown as AgentHarness;
  const session = createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });
  const agent = { createHarness: () => harness, tools: () => [], harness: () => ({}) };
  const surroundings = { newId: () => "1", now: () => 0 } as unknown as SessionSurroundings;
  const open = new OpenSession(session, surroundings, agent as never, false);
  let changes = 0;
  open.onDidChange(() => void changes++);
  return { open, tell: (event: unknown) => tell(event as HarnessEvent), changes: () => changes };
}

describe("a session that could not be saved", () => {
  it("is shown as saved as soon as it is, also where nothing else happens", () => {
    const { open, tell, changes } = world();
    tell({ type: "save_failed", error: failure("ENOSPC") });
    expect([open.unsavedReason, changes()]).toEqual(["the disk is full", 1]);
    tell({ type: "entries_saved", saved: [] });
    expect([open.unsavedReason, changes()]).toEqual([undefined, 2]);
  });

  it("does not make the chat look again at each entry that was saved as it should", () => {
    const { tell, changes } = world();
    tell({ type: "entries_saved", saved: [] });
    expect(changes()).toBe(0);
  });

  it.each([
    ["ENOSPC", "the disk is full"],
    ["EROFS", "the file or its folder may not be written"],
    ["EACCES", "the file or its folder may not be written"],
  ])("says why in plain words: %s", (code, words) => {
    const error = new SessionError("storage", "x", Object.assign(new Error("y"), { code }));
    const text = noticeFor({ type: "save_failed", error })?.text;
    expect(text).toBe(
      `This could not be saved (${words}). It stays in memory; nothing more is sent until it is on disk.`,
    );
  });

  it("names the file where the reason is not known", () => {
    const error = new SessionError("storage", "/s/a.jsonl could not be written.", new Error("odd"));
    expect(noticeFor({ type: "save_failed", error })?.text).toContain("saved (/s/a.jsonl could not be written). It");
  });
});
