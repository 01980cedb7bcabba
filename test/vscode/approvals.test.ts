import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { AgentTool, ToolProposal } from "../../src/core/agent/agent-tool.ts";
import type { BeforeToolCall } from "../../src/core/agent/tool-execution.ts";
import type { ApprovalsMode } from "../../src/protocol/view-state.ts";
import { Approvals } from "../../src/vscode/approvals.ts";
import { toolWorld } from "../support/tool-world.ts";

const EDIT: ToolProposal = { kind: "edit", title: "Edit a", warnings: [], hash: "e1", sessionKey: "edits" };
const COMMAND: ToolProposal = {
  kind: "command",
  title: "Run",
  command: "npm test",
  warnings: [],
  hash: "c1",
  sessionKey: "command:npm test",
};
const JOINED: ToolProposal = { kind: "command", title: "Run", command: "a && b", warnings: [], hash: "c2" };
const READ: ToolProposal = { kind: "read", title: "Read /etc/x", warnings: ["Outside"], hash: "r1" };
const RISKY: ToolProposal = { ...EDIT, warnings: ["Files in .vscode can run code"], hash: "e2" };

function world(mode: ApprovalsMode = "ask", allowed: string[] = []) {
  const state = { mode, allowed, changes: 0, nonce: 0 };
  const approvals = new Approvals(
    { mode: () => state.mode, allowedCommands: () => state.allowed },
    () => `n${++state.nonce}`,
    () => state.changes++,
  );
  let calls = 0;
  const ask = (proposal: ToolProposal | undefined, signal = new AbortController().signal) => {
    const id = `c${++calls}`;
    const tool = { name: "t", propose: async () => proposal } as unknown as AgentTool;
    const call: BeforeToolCall = { call: { type: "toolCall", id, name: "t", arguments: {} }, tool, params: {} };
    return { id, verdict: approvals.approve(call, signal) };
  };
  return { approvals, state, ask };
}
const tick = () => new Promise((resolve) => setTimeout(resolve, 0));

describe("what is asked", () => {
  const table: [ApprovalsMode, string, ToolProposal, boolean][] = [
    ["ask", "an edit", EDIT, true],
    ["ask", "a command", COMMAND, true],
    ["edits", "an edit", EDIT, false],
    ["edits", "a command", COMMAND, true],
    ["edits", "an edit with a warning", RISKY, true],
    ["all", "an edit", EDIT, false],
    ["all", "a command", COMMAND, false],
    ["all", "an edit with a warning", RISKY, true],
    ["all", "a look outside the workspace", READ, true],
  ];
  it.each(table)("in mode %s, %s: %#", async (mode, _what, proposal, asked) => {
    const { approvals, ask } = world(mode);
    const { verdict } = ask(proposal);
    await tick();
    expect(approvals.questions.length).toBe(asked ? 1 : 0);
    if (asked) approvals.answer(approvals.questions[0]!.nonce, "deny");
    expect((await verdict)?.block === true).toBe(asked);
  });

  it("is nothing for a tool that proposes nothing", async () => {
    expect(await world().ask(undefined).verdict).toBeUndefined();
  });

  it("is a command unless the person allowed these very words and it is a plain one", async () => {
    const { approvals, ask } = world("ask", ["npm test", "a && b"]);
    expect(await ask(COMMAND).verdict).toBeUndefined();
    void ask({ ...COMMAND, command: "npm test --x", sessionKey: "command:npm test --x" }).verdict;
    void ask(JOINED).verdict;
    await tick();
    expect(approvals.questions.length).toBe(2);
  });
});

describe("a grant for the session", () => {
  it("covers its own key and nothing with a warning", async () => {
    const { approvals, ask } = world();
    const first = ask(EDIT);
    await tick();
    approvals.answer(approvals.questions[0]!.nonce, "allowForSession");
    await first.verdict;
    expect(await ask({ ...EDIT, hash: "other" }).verdict).toBeUndefined();
    void ask(RISKY).verdict;
    void ask(COMMAND).verdict;
    await tick();
    expect(approvals.questions.map(({ proposal }) => proposal.hash)).toEqual(["e2", "c1"]);
  });

  it("cannot be made of a command that is not plain", async () => {
    const { approvals, ask } = world();
    const first = ask(JOINED);
    await tick();
    approvals.answer(approvals.questions[0]!.nonce, "allowForSession");
    await first.verdict;
    void ask(JOINED).verdict;
    await tick();
    expect(approvals.questions.length).toBe(1);
  });
});

describe("an answer", () => {
  it("counts only with the nonce of an open question, once", async () => {
    const { approvals, ask } = world();
    const { verdict } = ask(EDIT);
    await tick();
    const { nonce } = approvals.questions[0]!;
    for (let i = 0; i < 1000; i++) expect(approvals.answer(`forged-${i}`, "allow")).toBe(false);
    expect(approvals.questions.length).toBe(1);
    expect(approvals.answer(nonce, "allow")).toBe(true);
    expect(approvals.answer(nonce, "allow")).toBe(false);
    expect(await verdict).toBeUndefined();
  });

  it("is no for every open question when the run is stopped, and for those that come after", async () => {
    const { approvals, ask } = world();
    const controller = new AbortController();
    const open = ask(EDIT, controller.signal);
    await tick();
    controller.abort();
    expect((await open.verdict)?.block).toBe(true);
    expect((await ask(EDIT, controller.signal).verdict)?.block).toBe(true);
    expect(approvals.questions).toEqual([]);
  });

  it("is given by a mode that now covers the question", async () => {
    const { approvals, ask, state } = world();
    const edit = ask(EDIT);
    void ask(COMMAND).verdict;
    await tick();
    state.mode = "edits";
    approvals.reconsider();
    expect(await edit.verdict).toBeUndefined();
    expect(approvals.questions.map(({ proposal }) => proposal.kind)).toEqual(["command"]);
  });
});

describe("right before the side effect", () => {
  it("only what was approved may happen, and once", async () => {
    const { approvals, ask } = world("all");
    const { id, verdict } = ask(COMMAND);
    await verdict;
    expect(() => approvals.guard(id, { ...COMMAND, hash: "changed" })).toThrow("changed after it was approved");
    expect(() => approvals.guard(id, COMMAND)).toThrow("not approved");
    expect(() => approvals.guard("never", COMMAND)).toThrow("not approved");
  });

  it("a denied call may do nothing", async () => {
    const { approvals, ask } = world();
    const { id, verdict } = ask(COMMAND);
    await tick();
    approvals.answer(approvals.questions[0]!.nonce, "deny");
    await verdict;
    expect(() => approvals.guard(id, COMMAND)).toThrow("not approved");
  });

  it("a file that changed between answer and execution stays as it is", async () => {
    const { approvals } = world("all");
    const files = toolWorld({ guard: (callId, proposal) => approvals.guard(callId, proposal) });
    const path = join(files.root, "a.txt");
    writeFileSync(path, "one");
    const tool = files.tools.find((candidate) => candidate.name === "edit")!;
    const params = { path: "a.txt", edits: [{ oldText: "one", newText: "1" }] };
    const signal = new AbortController().signal;
    const call = { type: "toolCall" as const, id: "x", name: "edit", arguments: params };
    await approvals.approve({ call, tool, params }, signal);
    writeFileSync(path, "one!");
    await expect(tool.execute({ toolCallId: "x", params, signal, onUpdate: () => {} })).rejects.toThrow(
      "changed after",
    );
    expect(readFileSync(path, "utf8")).toBe("one!");
    files.dispose();
  });
});
