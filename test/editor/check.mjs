// One whole session in the real editor, as a user would drive it, with the demo model.
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EditorPage, launchBrowser } from "./browser.mjs";
import { Chat, until } from "./chat-page.mjs";
import { copySampleWorkspace, root } from "./prepare.mjs";
import { ensureServer, serverVersion } from "./runtime.mjs";
import { startEditor } from "./server.mjs";
import { sessionFiles, textOf } from "./session-files.mjs";

/** Runs the steps, prints a line each, and returns how many held and how many did not. */
export async function runCheck({
  vsix,
  workspace = copySampleWorkspace(mkdtempSync(join(tmpdir(), "coppice-workspace-"))),
  shots = join(root, "test-results", "check"),
}) {
  mkdirSync(shots, { recursive: true });
  const steps = [];
  let failed = false;
  const editor = await startEditor({ vsix, workspace, log: console.log });
  const browser = await launchBrowser(console.log);
  let page;
  const step = async (name, action) => {
    if (failed) return;
    const from = Date.now();
    try {
      await action();
      steps.push({ name, ms: Date.now() - from });
      console.log(`  ok    ${name} (${Date.now() - from} ms)`);
    } catch (error) {
      failed = true;
      console.log(`  FAIL  ${name}\n${error.stack}`);
      await page?.screenshot(join(shots, "failure.png"));
    }
  };
  const expect = (holds, what) => {
    if (!holds) throw new Error(`expected ${what}`);
  };
  const shot = (name) => page.screenshot(join(shots, `${name}.png`));
  let chat;
  const open = async () => {
    chat = new Chat(await page.chat(), editor.home);
  };
  const types = () => chat.entries().map((entry) => entry.type);
  try {
    console.log(`VS Code ${await serverVersion(await ensureServer())}, Coppice from ${vsix}`);
    await step("the editor opens and the chat is there", async () => {
      page = await EditorPage.open(browser, editor.url);
      await page.command("Coppice: New Session");
      await open();
      await chat.frame.getByRole("button", { name: /Try the demo/ }).waitFor();
      await shot("01-setup");
    });
    await step("the demo is chosen and says that it is no AI", async () => {
      await chat.frame.getByRole("button", { name: /Try the demo/ }).click();
      await chat.frame.getByText("not from an AI", { exact: false }).first().waitFor();
    });
    await step("a prompt is answered, with a file read", async () => {
      await chat.send("Read src/greeting.ts");
      await chat.answered("Read src/greeting.ts");
      await chat.articles("read").waitFor();
      await chat.articles("Coppice").last().waitFor();
      await shot("02-answer");
    });
    await step("an edit is shown, asked for and made", async () => {
      await chat.send("Make the greeting friendlier");
      await chat.approval.waitFor({ timeout: 30_000 });
      expect(!readFileSync(join(workspace, "src/greeting.ts"), "utf8").includes("Good to see you"), "no change yet");
      await shot("03-approval");
      await chat.answer("Allow");
      await chat.answered("Make the greeting friendlier");
      expect(readFileSync(join(workspace, "src/greeting.ts"), "utf8").includes("Good to see you"), "a changed file");
      await shot("04-edited");
    });
    await step("a command is shown whole, asked for and run", async () => {
      await chat.send("Run the tests");
      await chat.answer("Allow");
      await chat.answered("Run the tests");
      await chat.articles("bash").waitFor();
      await shot("05-command");
    });
    await step("the session is on disk", async () => {
      expect(sessionFiles(editor.home).length === 1, "one session file");
      expect(types()[0] === "session" && types().filter((type) => type === "message").length >= 9, "its messages");
    });
    await step("a reload of the window shows the same conversation", async () => {
      await page.reload();
      await open();
      await chat.said("Run the tests").waitFor({ timeout: 30_000 });
      await shot("06-reloaded");
    });
    await step("looking at the first message moves nothing", async () => {
      const before = readFileSync(chat.file, "utf8");
      await page.command("Coppice: Go to Entry…");
      const field = await page.quickInput("Go to Entry");
      await field.fill("Read src");
      await page.pick("Read src/greeting.ts").click();
      await chat.button("Continue from here").waitFor();
      await chat.said("Read src/greeting.ts").waitFor();
      expect(readFileSync(chat.file, "utf8") === before, "nothing to be written by looking");
      await shot("07-looked");
    });
    await step("editing the first message makes a second branch", async () => {
      await chat.act(chat.said("Read src/greeting.ts"), "Edit");
      await until(async () => (await chat.composer.inputValue()).includes("greeting.ts"), "the text in the composer");
      await chat.send("What is in this folder?");
      await chat.answered("What is in this folder?");
      await chat.scrollTo(chat.button("Previous branch"));
      await shot("08-branch");
      expect(types().includes("leaf"), "a leaf entry");
      const roots = chat.entries().filter((entry) => entry.type === "message" && entry.message.role === "user");
      expect(
        roots.some((entry) => textOf(entry.message).includes("Run the tests")),
        "the older branch to be there",
      );
    });
    await step("the other branch can be looked at and continued", async () => {
      const before = readFileSync(chat.file, "utf8");
      await chat.button("Previous branch").first().click();
      await chat.button("Continue from here").waitFor();
      await chat.scrollTo(chat.said("Read src/greeting.ts"));
      expect(readFileSync(chat.file, "utf8") === before, "nothing to be written by looking");
      await shot("09-looking");
      await chat.button("Continue from here").click();
      await chat.button("Continue from here").waitFor({ state: "hidden" });
      await until(async () => (await chat.toEnd()) ?? (await chat.said("Run the tests").isVisible()), "the branch");
      expect(readFileSync(chat.file, "utf8").startsWith(before), "the move to be appended");
      expect(types().filter((type) => type === "leaf").length === 2, "a second leaf entry");
    });
    await step("a compaction writes a summary", async () => {
      await page.command("Coppice: Compact");
      const focus = await page.quickInput("Compact");
      await focus.press("Enter");
      await page.page.getByRole("button", { name: "Keep Only the Last Turn" }).click({ timeout: 15_000 });
      await until(() => types().includes("compaction"), "the compaction to be saved");
      await chat.toEnd();
      await chat.articles("Compaction").waitFor({ timeout: 15_000 });
      await shot("10-compacted");
      const compaction = chat.entries().find((entry) => entry.type === "compaction");
      expect(compaction?.summary.includes("## Goal"), "a structured summary");
      await chat.send("What is in this folder now?");
      await chat.answered("What is in this folder now?");
    });
    await step("the compaction is undone, and nothing of the conversation is gone", async () => {
      await page.command("Coppice: Undo Compaction");
      await chat.articles("Compaction").waitFor({ state: "hidden", timeout: 30_000 });
      await chat.said("What is in this folder now?").waitFor();
      await shot("11-undone");
    });
    await step("nothing was refused by the content policy", async () => {
      expect(page.problems.length === 0, `no violations, not ${page.problems.join("; ")}`);
    });
  } finally {
    await browser.close();
    await editor.stop();
  }
  const total = steps.reduce((sum, { ms }) => sum + ms, 0);
  console.log(
    `${failed ? "FAILED" : "passed"}: ${steps.length} steps in ${Math.round(total / 1000)} s; screenshots in ${shots}`,
  );
  return { passed: steps.length, failed: failed ? 1 : 0 };
}
