// Runs inside the extension host: what only code beside Coppice can see. The same in a desktop VS Code and in the server.
import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import * as vscode from "vscode";

const ID = "coppice.coppice";

const tests = {
  async "is there and not active before it is asked for"() {
    const extension = vscode.extensions.getExtension(ID);
    assert.ok(extension, `${ID} is not installed`);
    assert.equal(extension.isActive, false);
  },
  async "is activated and hands out its versioned API"() {
    const from = performance.now();
    const api = await vscode.extensions.getExtension(ID).activate();
    console.log(`activation took ${Math.round(performance.now() - from)} ms`);
    report.activationMs = performance.now() - from;
    assert.equal(api.version, 1);
    for (const name of ["on", "registerTool", "registerProjector", "getSession", "prompt", "generateSummary"]) {
      assert.equal(typeof api[name], "function", name);
    }
    assert.ok(api.hooks.includes("session_before_compact"));
  },
  async "registers every command that it contributes"() {
    const known = new Set(await vscode.commands.getCommands(true));
    const contributed = vscode.extensions.getExtension(ID).packageJSON.contributes.commands;
    assert.deepEqual(
      contributed.map(({ command }) => command).filter((command) => !known.has(command)),
      [],
    );
  },
  async "lets another extension hear of a run and add a tool to it"() {
    const api = vscode.extensions.getExtension(ID).exports;
    const heard = [];
    const subscription = api.on("before_agent_start", () => void heard.push("before_agent_start"), "in-host tests");
    await vscode.commands.executeCommand("coppice.newSession");
    assert.ok(api.getSession(), "a session");
    await api.prompt("What is in this folder?");
    assert.deepEqual(heard, ["before_agent_start"]);
    subscription.dispose();
    const { messages } = await api.getSession().buildContext();
    assert.equal(messages[0].role, "user");
    assert.equal(messages.at(-1).role, "assistant");
    await api.prompt("What is in this folder?");
    assert.equal(heard.length, 1, "nothing more after it was disposed of");
  },
  async "has defaults that nobody changed"() {
    const settings = vscode.workspace.getConfiguration("coppice");
    assert.equal(settings.get("approvals.mode"), "ask");
    assert.equal(settings.get("compaction.reserveTokens"), 16384);
    assert.equal(settings.get("compaction.keepRecentTokens"), 20000);
  },
};

const report = { passed: [], failed: [], activationMs: undefined };

/** Called by the host; throws where a test failed, which makes its exit code. */
export async function run() {
  for (const [title, test] of Object.entries(tests)) {
    try {
      await test();
      report.passed.push(title);
    } catch (error) {
      report.failed.push({ title, error: error.stack });
    }
  }
  if (process.env.COPPICE_TEST_REPORT) writeFileSync(process.env.COPPICE_TEST_REPORT, JSON.stringify(report));
  if (report.failed.length > 0)
    throw new Error(report.failed.map(({ title, error }) => `${title}: ${error}`).join("\n"));
}
