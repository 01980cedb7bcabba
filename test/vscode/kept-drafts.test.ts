import { describe, expect, it, vi } from "vitest";
import type { ToWebview } from "../../src/protocol/to-webview.ts";
import { KeptDrafts } from "../../src/vscode/kept-drafts.ts";

function memento() {
  const values = new Map<string, string>();
  return {
    get: <T>(key: string) => (values.has(key) ? (JSON.parse(values.get(key)!) as T) : undefined),
    update: async (key: string, value: unknown) => void values.set(key, JSON.stringify(value)),
  };
}
const heard = (drafts: KeptDrafts, sessionId: string, isTab = false) => {
  const messages: ToWebview[] = [];
  drafts.tell(sessionId, isTab, (message) => messages.push(message));
  return messages;
};
const changed = (sessionId: string, text: string, revision: number, given: string[] = []) => ({
  ...{ type: "draft.changed" as const, sessionId, text, revision, given },
});

describe("drafts that the host keeps", () => {
  it("are there for the next window, each with its session", async () => {
    vi.useFakeTimers();
    const state = memento();
    const drafts = new KeptDrafts(state);
    drafts.changed(changed("a", "one", 1), false);
    drafts.changed(changed("b", "two", 2, ["w"]), false);
    drafts.changed(changed("a", "one more", 3), false);
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    const again = new KeptDrafts(state);
    expect(heard(again, "a")).toEqual([
      { type: "draft.kept", sessionId: "a", text: "one more", revision: 3, given: [] },
    ]);
    expect(heard(again, "b")).toEqual([{ type: "draft.kept", sessionId: "b", text: "two", revision: 2, given: ["w"] }]);
    expect(heard(again, "c")).toEqual([{ type: "draft.kept", sessionId: "c", text: "", revision: 0, given: [] }]);
  });

  it("are as many as are worth keeping, and none that is too long for it", async () => {
    vi.useFakeTimers();
    const state = memento();
    const drafts = new KeptDrafts(state);
    for (let i = 0; i < 80; i++) drafts.changed(changed(`s${i}`, `draft ${i}`, i + 1), false);
    drafts.changed(changed("s79", "x".repeat(300_000), 99), false);
    await vi.runAllTimersAsync();
    vi.useRealTimers();
    const again = new KeptDrafts(state);
    const texts = ["s0", "s40", "s78", "s79"].map((id) => heard(again, id)[0]).map((m) => (m as { text: string }).text);
    expect(texts).toEqual(["", "draft 40", "draft 78", ""]);
  });

  it("are one for the side bar and one for the tabs, where both show the session", () => {
    const drafts = new KeptDrafts(memento());
    drafts.changed(changed("a", "in the side bar", 1), false);
    drafts.changed(changed("a", "in a tab", 2), true);
    expect(heard(drafts, "a")).toMatchObject([{ sessionId: "a", text: "in the side bar", revision: 1 }]);
    expect(heard(drafts, "a", true)).toMatchObject([{ sessionId: "a", text: "in a tab", revision: 2 }]);
  });

  it("begin anew where what was stored is of another shape", () => {
    for (const stored of [3, "x", [["a"]], [["a", { text: 5 }]], { a: 1 }]) {
      const drafts = new KeptDrafts({ get: <T>() => stored as T, update: async () => {} });
      expect(heard(drafts, "a")).toMatchObject([{ text: "", revision: 0 }]);
    }
  });
});
