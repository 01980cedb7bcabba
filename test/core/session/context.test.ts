import { describe, expect, it } from "vitest";
import type { AgentMessage } from "../../../src/core/llm/messages.ts";
import {
  buildContext,
  defaultContextEntryTransform,
  deriveSessionContextState,
  sessionEntryToContextMessages,
} from "../../../src/core/session/context.ts";
import type { SessionEntry } from "../../../src/core/session/entries.ts";
import { assistant, toolCall, toolResult, user } from "../../support/session-builder.ts";

const TIME = "2026-01-01T00:00:00.000Z";
type Fields = { type: SessionEntry["type"]; [key: string]: unknown };

/** A path: each entry follows the one before it, and is called e1, e2… */
function path(...entries: Fields[]): SessionEntry[] {
  return entries.map(
    (fields, i) =>
      ({ id: `e${i + 1}`, parentId: i === 0 ? null : `e${i}`, timestamp: TIME, ...fields }) as unknown as SessionEntry,
  );
}
const message = (value: AgentMessage): Fields => ({ type: "message", message: value });
const say = (text: string): Fields => message(user(text));
const compaction = (summary: string, firstKeptEntryId?: string, extra: Record<string, unknown> = {}): Fields => ({
  type: "compaction",
  summary,
  tokensBefore: 9,
  ...(firstKeptEntryId === undefined ? {} : { firstKeptEntryId }),
  ...extra,
});
const ids = (entries: readonly SessionEntry[]) => entries.map((entry) => entry.id);
const roles = (entries: readonly SessionEntry[]) => buildContext(entries).messages.map((m) => m.role);

describe("defaultContextEntryTransform", () => {
  it("gives the whole path where nothing was compacted", () => {
    expect(ids(defaultContextEntryTransform(path(say("a"), say("b"))))).toEqual(["e1", "e2"]);
  });
  it("gives the compaction, what it keeps, and what follows", () => {
    const entries = path(say("1"), say("2"), say("3"), compaction("S", "e3"), say("5"));
    expect(ids(defaultContextEntryTransform(entries))).toEqual(["e4", "e3", "e5"]);
  });
  it("follows the newest of several compactions", () => {
    const entries = path(say("1"), say("2"), compaction("S1", "e2"), say("4"), compaction("S2", "e4"), say("6"));
    expect(ids(defaultContextEntryTransform(entries))).toEqual(["e5", "e4", "e6"]);
  });
  it("keeps nothing older where the kept entry is not on the path, is itself, or is not named", () => {
    for (const kept of ["elsewhere", "e2", undefined]) {
      expect(ids(defaultContextEntryTransform(path(say("1"), compaction("S", kept), say("3"))))).toEqual(["e2", "e3"]);
    }
  });
  it("takes stored messages instead of kept entries where a file has them", () => {
    const entries = path(say("1"), compaction("S", "e1", { retainedTail: [user("stored")] }), say("3"));
    expect(ids(defaultContextEntryTransform(entries))).toEqual(["e2", "e3"]);
    expect(buildContext(entries).messages.map((m) => ("content" in m ? m.content : m.role))).toEqual([
      "compactionSummary",
      "stored",
      "3",
    ]);
  });
});

describe("the context of a path", () => {
  it("shows one summary where an older compaction lies in the kept range", () => {
    const entries = path(say("1"), compaction("old", "e1"), say("3"), compaction("new", "e1"), say("5"));
    expect(buildContext(entries).messages).toEqual([
      { role: "compactionSummary", summary: "new", tokensBefore: 9, timestamp: Date.parse(TIME) },
      user("1"),
      user("3"),
      user("5"),
    ]);
  });
  it("keeps a call beside its result where a compaction was written between them", () => {
    const entries = path(
      say("1"),
      message(toolCall("c1")),
      compaction("old", "e1"),
      message(toolResult("c1", "r")),
      say("5"),
      compaction("new", "e2"),
    );
    expect(roles(entries)).toEqual(["compactionSummary", "assistant", "toolResult", "user"]);
  });
  it("shows branch summaries in place and leaves out empty ones", () => {
    const entries = path(
      say("1"),
      { type: "branch_summary", summary: "left", fromId: "x" },
      { type: "branch_summary", summary: "", fromId: "y" },
    );
    expect(buildContext(entries).messages).toEqual([
      user("1"),
      { role: "branchSummary", summary: "left", fromId: "x", timestamp: Date.parse(TIME) },
    ]);
  });
  it("never shows settings, labels, names, markers and custom data without a projector", () => {
    const entries = path(
      { type: "thinking_level_change", thinkingLevel: "high" },
      { type: "model_change", provider: "p", modelId: "m" },
      { type: "label", targetId: "e1", label: "x" },
      { type: "session_info", name: "n" },
      { type: "leaf", targetId: null },
      { type: "custom", customType: "x", data: 1 },
      { type: "unknown", originalType: "y" },
      { type: "usage", kind: "k", provider: "p", model: "m", usage: {} },
    );
    expect(buildContext(entries).messages).toEqual([]);
    const projectors = new Map([["x", () => [user("projected")]]]);
    expect(buildContext(entries, { projectors }).messages).toEqual([user("projected")]);
  });
  it("shows custom messages with what the screen needs", () => {
    const [entry] = path({ type: "custom_message", customType: "x", content: "c", display: false, details: { a: 1 } });
    expect(sessionEntryToContextMessages(entry!)).toEqual([
      { role: "custom", customType: "x", content: "c", display: false, details: { a: 1 }, timestamp: Date.parse(TIME) },
    ]);
  });
  it("applies the latest edit of an entry on the branch", () => {
    const edit = (targetId: string, replacement: unknown): Fields => ({ type: "context_edit", targetId, replacement });
    const entries = path(
      say("1"),
      message(assistant("2")),
      say("3"),
      edit("e1", { content: "first" }),
      edit("e1", { content: "second" }),
      edit("e2", { content: "text" }),
      edit("e3", null),
    );
    expect(buildContext(entries).messages).toEqual([user("second"), assistant("text")]);
    expect(buildContext(entries.slice(0, 4)).messages).toEqual([user("first"), assistant("2"), user("3")]);
  });
  it("forwards no role that is not of a conversation", () => {
    const entries = path(say("1"), message({ role: "system", content: "obey" } as unknown as AgentMessage));
    expect(roles(entries)).toEqual(["user"]);
  });
  it("ties every message to its entry", () => {
    const entries = path(say("1"), compaction("S", "e1", { retainedTail: undefined }), say("3"));
    expect(buildContext(entries).items.map((item) => [item.entry.id, item.messages.length])).toEqual([
      ["e2", 1],
      ["e1", 1],
      ["e3", 1],
    ]);
  });
});

describe("deriveSessionContextState", () => {
  it("is off, without model and tools, where nothing was said", () => {
    expect(deriveSessionContextState([])).toEqual({ thinkingLevel: "off", model: null, activeToolNames: null });
  });
  it("takes the model from the last change or reply, failed ones included, and the rest from changes alone", () => {
    const entries = path(
      { type: "model_change", provider: "p", modelId: "first" },
      { type: "thinking_level_change", thinkingLevel: "low" },
      { type: "active_tools_change", activeToolNames: ["read"] },
      message(assistant("x", { provider: "q", model: "second", stopReason: "error", thinkingLevel: "high" })),
      { type: "active_tools_change", activeToolNames: ["bash"] },
    );
    expect(deriveSessionContextState(entries)).toEqual({
      thinkingLevel: "low",
      model: { provider: "q", modelId: "second" },
      activeToolNames: ["bash"],
    });
  });
});
