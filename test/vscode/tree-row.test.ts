import { describe, expect, it } from "vitest";
import { asCutOff } from "../../src/core/llm/cut-off.ts";
import { emptyUsage } from "../../src/core/llm/messages.ts";
import type { NewEntry, SessionEntry } from "../../src/core/session/entries.ts";
import { withoutCredentials } from "../../src/vscode/repository-identity.ts";
import { titleLine } from "../../src/vscode/telling-words.ts";
import { rowContent, toolsTitle } from "../../src/vscode/tree-row.ts";
import { assistant, toolCall, user } from "../support/session-builder.ts";

const entry = (given: NewEntry): SessionEntry =>
  ({ ...given, id: "x", parentId: null, timestamp: "2026-01-02T03:04:05.000Z" }) as SessionEntry;
const message = (given: ReturnType<typeof user> | ReturnType<typeof assistant>) =>
  rowContent(entry({ type: "message", message: given }));

describe("a row of the tree", () => {
  it("shows the first line that says something, without control characters, cut at whole characters", () => {
    expect(titleLine("\n\n  first\u0007 line \nsecond")).toBe("first line");
    expect(titleLine("a\u202eb")).toBe("ab");
    expect(titleLine("")).toBe("");
    const long = titleLine(`${"a".repeat(159)}😀 and more`);
    expect(long.isWellFormed()).toBe(true);
    expect(long.endsWith("…")).toBe(true);
  });

  it("names what a reply of nothing but tools called them with", () => {
    expect(message(toolCall("1", "read", { path: "src/a.ts" }))).toMatchObject({
      kind: "tools",
      title: "read src/a.ts",
      tools: ["read"],
    });
    expect(toolsTitle(["read", "bash", "read"])).toBe("read ×2, bash");
  });

  it("shows the words of a reply without the marks of its Markdown", () => {
    expect(message(assistant("## The `parser` is **done** *(really)*")).title).toBe("The parser is done (really)");
    expect(message(assistant("a * b and snake_case_name")).title).toBe("a * b and snake_case_name");
    expect(message(user("keep `this`")).title).toBe("keep `this`");
  });

  it("tells failed and stopped replies, with the error where there is no text", () => {
    expect(message(assistant("", { stopReason: "error", errorMessage: "overloaded" }))).toMatchObject({
      kind: "reply",
      title: "overloaded",
      failure: "failed",
    });
    expect(message(assistant("half", { stopReason: "aborted" }))).toMatchObject({ failure: "stopped" });
    const cut = asCutOff(assistant("half", { stopReason: "aborted", errorMessage: "Stopped." }));
    expect(message(cut)).toMatchObject({ title: "half", failure: "cutOff" });
  });

  it("calls no price a price, and no estimate a report", () => {
    const unpriced = { ...emptyUsage(), input: 10, output: 5, totalTokens: 15, unpriced: true, estimated: true };
    const row = message(assistant("a", { usage: unpriced }));
    expect(row.costUsd).toBeUndefined();
    expect(row.tokens).toEqual({ context: 15, output: 5, estimated: true });
  });

  it("begins a summary with its first words instead of its headings", () => {
    const row = rowContent(
      entry({ type: "compaction", summary: "## Goal\n\n- [x] Mend the parser\n", tokensBefore: 12 }),
    );
    expect(row).toMatchObject({ kind: "compaction", title: "Mend the parser", tokensBefore: 12 });
  });
});

it("keeps user names and passwords of a remote out of the session file", () => {
  expect(withoutCredentials("https://user:secret@example.com/r.git")).toBe("https://example.com/r.git");
  expect(withoutCredentials("git@example.com:r.git")).toBe("git@example.com:r.git");
});
