// One whole session in the real editor, as a user would drive it, with the demo model.
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { EditorPage, launchBrowser } from "./browser.mjs";
import { root } from "./prepare.mjs";
import { ensureServer, serverVersion } from "./runtime.mjs";
import { startEditor } from "./server.mjs";

/** Files of sessions below a home. */
export function sessionFiles(home) {
  const folder = join(home, ".coppice", "sessions");
  try {
    return readdirSync(folder, { recursive: true })
      .filter((name) => name.endsWith(".jsonl"))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

/** The entries of a session file, header first. */
export function entriesOf(file) {
  return readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line));
}

class Chat {
  constructor(editor, frame) {
    this.editor = editor;
    this.frame = frame;
  }
  get composer() {
    return this.frame.getByRole("textbox", { name: "Message Coppice" });
  }
  button(name) {
    return this.frame.getByRole("button", { name, exact: true });
  }
  async send(text) {
    await this.composer.fill(text);
    await this.button("Send").click();
  }
  async idle() {
    await this.button("Stop").waitFor({ state: "hidden", timeout: 60_000 });
    await this.button("Send").waitFor({ timeout: 60_000 });
  }
  async allow() {
    await this.frame.getByRole("group", { name: "Approval" }).waitFor({ timeout: 30_000 });
    await this.button("Allow").click();
  }
  articles(name) {
    return this.frame.getByRole("article", { name, exact: true });
  }
}

/** Runs the steps, prints a line each, and returns whether all held. */
export async function runCheck({ vsix, workspace, shots = join(root, "test-results", "check") }) {
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
    chat = new Chat(page, await page.chat());
  };
  const file = () => sessionFiles(editor.home)[0];
  try {
    console.log(`VS Code ${await serverVersion(await ensureServer())}, Coppice from ${vsix}`);
    await step("the editor opens and the chat is there", async () => {
      page = await EditorPage.open(browser, editor.url);
      await page.command("Coppice: New Session");
      await open();
      await shot("01-setup");
    });
    await step("the demo is chosen and says that it is no AI", async () => {
      await chat.frame.getByRole("button", { name: /Try the demo/ }).click();
      await chat.frame.getByText("not from an AI", { exact: false }).first().waitFor();
    });
    await step("a prompt is answered, with a file read", async () => {
      await chat.send("Read src/greeting.ts");
      await chat.idle();
      await chat.articles("read").waitFor();
      await chat.articles("Coppice").last().waitFor();
      await shot("02-answer");
    });
    await step("an edit is shown, asked for and made", async () => {
      await chat.send("Make the greeting friendlier");
      await chat.frame.getByRole("group", { name: "Approval" }).waitFor({ timeout: 30_000 });
      await shot("03-approval");
      await chat.allow();
      await chat.idle();
      expect(
        readFileSync(join(workspace, "src/greeting.ts"), "utf8").includes("Good to see you"),
        "the file to be changed",
      );
      await shot("04-edited");
    });
    await step("a command is shown whole, asked for and run", async () => {
      await chat.send("Run the tests");
      await chat.allow();
      await chat.idle();
      await chat.articles("bash").waitFor();
      await shot("05-command");
    });
    await step("the session is on disk", async () => {
      expect(file() !== undefined, "a session file");
      const types = entriesOf(file()).map((entry) => entry.type);
      expect(
        types[0] === "session" && types.filter((type) => type === "message").length >= 9,
        `its messages, not ${types}`,
      );
    });
    await step("a reload of the window shows the same conversation", async () => {
      await page.reload();
      await page.command("Coppice: Focus on Chat View");
      await open();
      await chat.articles("You").filter({ hasText: "Run the tests" }).waitFor({ timeout: 30_000 });
      await shot("06-reloaded");
    });
    await step("looking at the first message moves nothing", async () => {
      const before = entriesOf(file()).length;
      await page.command("Coppice: Go to Entry…");
      await page.page.keyboard.type("Read src");
      const row = page.page
        .locator(".quick-input-list .monaco-list-row")
        .filter({ hasText: "Read src/greeting.ts" })
        .first();
      await row.waitFor();
      expect(entriesOf(file()).length === before, "nothing to be written by looking");
      await page.page.keyboard.press("Escape");
    });
    await step("editing the first message makes a second branch", async () => {
      const first = chat.articles("You").filter({ hasText: "Read src/greeting.ts" });
      // Older rows are made when they are scrolled to.
      await chat.articles("You").first().hover();
      await page.page.mouse.wheel(0, -20_000);
      await first.waitFor();
      await first.hover();
      await first.getByRole("button", { name: /Edit/ }).click();
      await chat.frame.waitForFunction(
        () => document.querySelector("textarea, [role=textbox]")?.value?.includes("greeting.ts") ?? false,
        undefined,
        { timeout: 15_000 },
      );
      await chat.send("What is in this folder?");
      await chat.idle();
      await chat.button("Previous branch").first().waitFor({ timeout: 15_000 });
      await shot("07-branch");
      const types = entriesOf(file()).map((entry) => entry.type);
      expect(types.includes("leaf"), "a leaf entry");
    });
    await step("the other branch can be looked at and left again", async () => {
      await chat.button("Previous branch").first().click();
      await chat.button("Continue from here").waitFor();
      await chat.articles("You").filter({ hasText: "Run the tests" }).waitFor();
      await shot("08-looking");
      await chat.button("Continue from here").click();
      const none = chat.frame.getByRole("button", { name: /No summary|Without/i });
      if (await none.isVisible().catch(() => false)) await none.click();
      await chat.button("Continue from here").waitFor({ state: "hidden" });
    });
    await step("a compaction writes a summary and can be undone", async () => {
      await page.command("Coppice: Compact");
      await page.page.locator(".quick-input-widget:visible input").first().waitFor();
      await page.page.keyboard.press("Enter");
      const keep = page.page.getByRole("button", { name: "Keep Only the Last Turn" });
      await keep.click({ timeout: 15_000 });
      await chat.articles("Compaction").waitFor({ timeout: 30_000 });
      await shot("09-compacted");
      const compaction = entriesOf(file()).find((entry) => entry.type === "compaction");
      expect(compaction?.summary.includes("## Goal"), "a structured summary");
      await chat.send("What is in this folder?");
      await chat.idle();
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
  return !failed;
}
