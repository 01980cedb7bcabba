// The demo through its public stream: what a person in the sample workspace would see.
import { describe, expect, it } from "vitest";
import { type Message, toolCallsOf } from "../../src/core/llm/messages.ts";
import type { ToolDefinition } from "../../src/core/llm/stream.ts";
import { DEMO_MODEL } from "../../src/providers/demo.ts";
import { collect, contextOf, textOf, user } from "../support/provider-fixture.ts";

const demo = { ...DEMO_MODEL, compat: { delayMs: 0 } };
const tools: ToolDefinition[] = ["read", "write", "edit", "bash", "grep", "find", "ls"].map((name) => ({
  name,
  description: name,
  parameters: { type: "object", properties: {} },
}));
const NAME = "$" + "{name}";
const GREETING = `export function greet(name: string): string {\n  return \`Hello, ${NAME}!\`;\n}\n`;

/** Plays a whole turn; `results` answers calls by tool name. */
async function play(prompt: string, results: Record<string, string | { error: string }> = {}, before: Message[] = []) {
  const history: Message[] = [...before, user(prompt)];
  const calls: { name: string; arguments: Record<string, unknown> }[] = [];
  const said: string[] = [];
  for (let turn = 0; turn < 6; turn++) {
    const { message, failure } = await collect(demo, contextOf(history, { tools }));
    expect(failure).toBeUndefined();
    history.push(message);
    said.push(textOf(message));
    const made = toolCallsOf(message);
    if (made.length === 0) return { calls, said, history };
    for (const call of made) {
      calls.push({ name: call.name, arguments: call.arguments });
      const answer = results[call.name] ?? "";
      history.push({
        role: "toolResult",
        toolCallId: call.id,
        toolName: call.name,
        content: [{ type: "text", text: typeof answer === "string" ? answer : answer.error }],
        isError: typeof answer !== "string",
        timestamp: 1,
      });
    }
  }
  throw new Error("the demo never came to an end");
}

describe("the demo model", () => {
  it("reads the file that is named and tells what it exports", async () => {
    const { calls, said } = await play("Read src/greeting.ts", { read: GREETING });
    expect(calls).toEqual([{ name: "read", arguments: { path: "src/greeting.ts" } }]);
    expect(said.at(-1)).toContain("`greet`");
  });

  it("makes the greeting friendlier by one exact edit", async () => {
    const { calls } = await play("Make the greeting friendlier", { read: GREETING, edit: "ok" });
    expect(calls.map(({ name }) => name)).toEqual(["read", "edit"]);
    const { path, edits } = calls[1]!.arguments as { path: string; edits: { oldText: string; newText: string }[] };
    expect(path).toBe("src/greeting.ts");
    expect(GREETING.split(edits[0]?.oldText ?? "")).toHaveLength(2);
    const edited = GREETING.replace(edits[0]?.oldText ?? "", () => edits[0]?.newText ?? "");
    expect(edited).toContain(`Hello, ${NAME}! Good to see you!`);
    const again = await play("Make the greeting friendlier", { read: edited, edit: "ok" });
    expect((again.calls[1]!.arguments.edits as { newText: string }[])[0]?.newText).toContain("How nice");
  });

  it("finds the exact text where files are shown with line numbers", async () => {
    const numbered = GREETING.split("\n")
      .map((line, index) => `${index + 1}\t${line}`)
      .join("\n");
    const { calls } = await play("Add a comment to src/greeting.ts", { read: numbered, edit: "ok" });
    const [edit] = calls[1]!.arguments.edits as { oldText: string; newText: string }[];
    expect(edit?.oldText).toBe("export function greet(name: string): string {");
    expect(edit?.newText).toMatch(/^\/\/ .*\nexport function greet/);
  });

  it("runs the tests, and takes a failing run for what it is", async () => {
    const { calls, said } = await play("Run the tests", { bash: { error: "1 failed\nexit code 1" } });
    expect(calls).toEqual([{ name: "bash", arguments: { command: "npm test" } }]);
    expect(said.at(-1)).toMatch(/did not succeed[\s\S]*1 failed/);
  });

  it("lists, searches, finds and writes", async () => {
    expect((await play("What's in this folder?", { ls: "README.md\nsrc/" })).calls[0]).toEqual({
      name: "ls",
      arguments: { path: "." },
    });
    expect((await play("Search for greet", { grep: "src/greeting.ts:1: greet" })).calls[0]?.arguments.pattern).toBe(
      "greet",
    );
    expect((await play("Find *.ts files", { find: "src/todo.ts" })).calls[0]?.arguments.pattern).toBe("*.ts");
    expect((await play("Create a file notes.md", { write: "ok" })).calls[0]?.arguments.path).toBe("notes.md");
  });

  it("says of a denied command that it did not run, not that it failed", async () => {
    const { calls, said } = await play("Run the tests", { bash: { error: "The user denied this. Do not try it." } });
    expect(calls).toHaveLength(1);
    expect(said.at(-1)).toContain("You denied `bash`, so nothing was done.");
  });

  it("accepts a denied edit without trying again", async () => {
    const { calls, said } = await play("Make the greeting friendlier", {
      read: GREETING,
      edit: { error: "Denied by the user." },
    });
    expect(calls).toHaveLength(2);
    expect(said.at(-1)).toContain("Denied by the user.");
  });

  it.each(["Explain branches", "Explain compaction", "Hello", "Write me a compiler for Ada", "Tell me a long story"])(
    "says in the answer to “%s” that it is scripted",
    async (prompt) => {
      const { said, calls } = await play(prompt);
      expect(calls).toEqual([]);
      expect(said.at(-1)).toMatch(/scripted demo, no AI/);
    },
  );

  it("answers what it has no script for by naming what it can show", async () => {
    const { said } = await play("Write me a compiler for Ada");
    expect(said.at(-1)).toMatch(/no script[\s\S]*Read src\/greeting\.ts/);
  });

  it("goes on after a compaction in the middle of its history", async () => {
    const summary = user(
      "Earlier parts of this conversation were replaced by the following summary:\n\n<summary>\n## Goal\nx\n</summary>",
    );
    const { calls } = await play("Read src/todo.ts", { read: "export const todos = [];" }, [summary]);
    expect(calls[0]?.arguments.path).toBe("src/todo.ts");
  });

  it("gives the same reply to the same conversation", async () => {
    const first = await play("Explain branches");
    const second = await play("Explain branches");
    expect(first.said).toEqual(second.said);
  });

  it("refuses a conversation larger than its window, as a full context", async () => {
    const { failure } = await collect(demo, contextOf([user("word ".repeat(20_000))]));
    expect(failure).toMatchObject({ kind: "overflow", learnedWindow: 16_384 });
  });

  it("stops at once when asked to", async () => {
    const abort = new AbortController();
    const slow = { ...DEMO_MODEL, compat: { delayMs: 5 } };
    setTimeout(() => abort.abort(), 30);
    const { failure, message } = await collect(slow, contextOf([user("Explain branches")]), { signal: abort.signal });
    expect(failure?.kind).toBe("aborted");
    expect(textOf(message).length).toBeLessThan(400);
  });
});

describe("the demo's summaries", () => {
  const conversation = [
    "[User]: Make the greeting friendlier",
    "[Assistant]: First I read it.",
    '[Assistant tool calls]: read(path="src/greeting.ts")',
    "[Tool result]: export function greet",
    '[Assistant tool calls]: edit(path="src/greeting.ts", edits=[1])',
    "[Tool result]: ok",
    "[User]: Run the tests",
  ].join("\n\n");
  const ask = async (prompt: string) =>
    textOf(
      (await collect(demo, contextOf([user(prompt)], { tools: [], systemPrompt: "You summarise conversations." })))
        .message,
    );

  it("keep the seeds' headings and quote what was asked and done", async () => {
    const summary = await ask(`<conversation>\n${conversation}\n</conversation>\n\nSummarise.`);
    expect([...summary.matchAll(/^##+ (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      "Goal",
      "Constraints & Preferences",
      "Progress",
      "Done",
      "In Progress",
      "Blocked",
      "Key Decisions",
      "Next Steps",
      "Critical Context",
    ]);
    expect(summary).toContain("## Goal\nMake the greeting friendlier");
    expect(summary).toContain("- [x] edit src/greeting.ts");
    expect(summary).toContain("- [ ] Run the tests");
    expect(summary).toContain("1. Go on with: Run the tests");
    expect(summary).toMatch(/scripted demo, not written by an AI/);
  });

  it("call nothing done that was denied, and nothing under way that was answered", async () => {
    const ended = [
      conversation,
      '[Assistant tool calls]: bash(command="npm test (all)")',
      "[Tool result]: The user denied this. Do not try it another way; ask what they want instead.",
      "[Assistant]: The tests did not run.",
    ].join("\n\n");
    const summary = await ask(`<conversation>\n${ended}\n</conversation>\n\nSummarise.`);
    const under = (heading: string) => new RegExp(`^##+ ${heading}\\n([^#]*)`, "m").exec(summary)?.[1]?.trim();
    expect(under("Done")).toBe("- [x] read src/greeting.ts\n- [x] edit src/greeting.ts");
    expect(under("In Progress")).toBe("- (none)");
    expect(under("Blocked")).toMatch(/^- bash npm test \(all\): The user denied this/);
    expect(under("Next Steps")).toBe("1. Wait for the next request");
  });

  it("carry on an earlier summary", async () => {
    const first = await ask(`<conversation>\n${conversation}\n</conversation>\n\nSummarise.`);
    const second = await ask(
      `<conversation>\n[User]: Thanks\n</conversation>\n\n<previous-summary>\n${first}\n</previous-summary>\n\nUpdate it.`,
    );
    expect(second).toContain("## Goal\nMake the greeting friendlier");
    expect(second).toContain("- [x] edit src/greeting.ts");
    expect(second).toContain("- [ ] Thanks");
  });

  it("follow the headings of another format", async () => {
    const summary = await ask(
      `<conversation>\n${conversation}\n</conversation>\n\nUse:\n## Original Request\n## Early Progress\n## Context for Suffix`,
    );
    expect([...summary.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      "Original Request",
      "Early Progress",
      "Context for Suffix",
    ]);
    expect(summary).toContain("## Original Request\nMake the greeting friendlier");
  });
});
