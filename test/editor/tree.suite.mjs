// The native side of the tree in the real editor: rows, looking and moving, labels, compaction as a node, inspector,
// comparison and sessions, by mouse and by keyboard.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { git } from "./prepare.mjs";
import { sessionFiles } from "./session-files.mjs";
import { pageWith, Trees } from "./tree-page.mjs";

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

export const name = "The tree: see, move, label, compare, take back";

export async function run({ run, until, step, expect }) {
  const workspace = run.workspace();
  git(workspace, "init", "-q");
  git(workspace, "-c", "user.name=t", "-c", "user.email=t@example.com", "add", "-A");
  git(workspace, "-c", "user.name=t", "-c", "user.email=t@example.com", "commit", "-q", "-m", "one");
  git(workspace, "remote", "add", "origin", "https://user:secret@example.com/sample.git");
  const editor = await run.editor({ workspace });
  const window = await run.window(editor, { width: 1500, height: 950 });
  const trees = new Trees(window);
  const keys = window.page.keyboard;
  let chat;
  const entries = () => chat.entries();
  const types = () => entries().map((entry) => entry.type);
  const spokenRow = (pattern) =>
    until(
      async () => (await trees.spoken()).find((label) => pattern.test(label ?? "")),
      `a row like ${pattern}, not\n${(trees.last ?? []).join("\n")}`,
    );
  const backToCurrent = async () => {
    const back = chat.button("Back to current");
    if (await back.isVisible()) await back.click();
    await back.waitFor({ state: "hidden" });
  };
  const input = (text) =>
    until(async () => {
      const field = window.page.locator(".quick-input-widget:visible input").first();
      if (!(await field.isVisible())) return false;
      await field.fill(text);
      await keys.press("Enter");
      return true;
    }, "a field to type into");

  await step("the tree is empty, then grows with the conversation", async () => {
    await window.command("Coppice: New Session");
    chat = await run.chat(window, editor);
    await chat.frame.getByRole("button", { name: /Try the demo/ }).click();
    await window.command("Coppice: Focus on Session Tree View");
    await chat.send("What is in this folder?");
    await chat.answered("What is in this folder?");
    await spokenRow(/^You: What is in this folder\?, on the way to the position/);
    await spokenRow(/^Reply: In \.: .*, position/);
    await chat.send("Read src/greeting.ts");
    await chat.answered("Read src/greeting.ts");
    await spokenRow(/^Reply: src\/greeting\.ts has .*, position/);
    expect(!(await trees.spoken()).some((label) => /^Reply: In \.: .*, position/.test(label)), "one position only");
  });

  await step("the session tells its repository, without the password of its remote", async () => {
    const entry = await until(
      () => entries().find((candidate) => candidate.customType === "coppice.repository"),
      "the repository to be recorded",
    );
    expect(
      entry.data.remote === "https://example.com/sample.git",
      `a remote without a password, not ${entry.data.remote}`,
    );
    expect(/^[0-9a-f]{40}/.test(entry.data.rootCommit), "the first commit");
  });

  await step("a click shows and writes nothing", async () => {
    const before = readFileSync(chat.file, "utf8");
    await trees.click("In .:");
    await window.page.waitForTimeout(600);
    expect(readFileSync(chat.file, "utf8") === before, "no byte to be written by looking");
  });

  await step("Ctrl+Enter on a row moves the position there", async () => {
    await trees.click("In .:");
    await keys.press("Control+Enter");
    await spokenRow(/^Reply: In \.: .*, position/);
    await spokenRow(/^You: Read src\/greeting\.ts, other branch, \d more/);
    expect(types().includes("leaf"), "a leaf entry");
    await run.shot(window, "01-moved");
  });

  await step("the branch that was left opens below the point where it parts", async () => {
    await chat.send("Read README.md");
    await chat.answered("Read README.md");
    await spokenRow(/^Reply: In \.: .*, 2 branches/);
    await trees.settled();
    await trees.row("Read src/greeting.ts").locator(".monaco-tl-twistie").click();
    await spokenRow(/^Reply: src\/greeting\.ts has .*, on another branch/);
    await spokenRow(/^Reply: README\.md has .*, position/);
    await run.shot(window, "02-branches");
  });

  await step("looking at the other branch marks it and leaves the position", async () => {
    const before = readFileSync(chat.file, "utf8");
    await trees.click("src/greeting.ts has");
    await spokenRow(/^Reply: src\/greeting\.ts has .*, shown in the chat/);
    await chat.button("Continue from here").waitFor();
    expect(readFileSync(chat.file, "utf8") === before, "no byte to be written by looking");
    await backToCurrent();
  });

  await step("Go to Entry finds what only a tool said", async () => {
    const before = readFileSync(chat.file, "utf8");
    await window.command("Coppice: Go to Entry…");
    const field = await window.quickInput("Go to Entry");
    await field.fill("export function greet");
    await window.page
      .locator(".quick-input-list .monaco-list-row", { hasText: "export function greet" })
      .first()
      .waitFor();
    await run.shot(window, "02b-go-to-entry");
    await keys.press("Enter");
    await chat.button("Continue from here").waitFor();
    await chat.frame.getByRole("article", { name: "read" }).last().waitFor();
    expect(readFileSync(chat.file, "utf8") === before, "no byte to be written by looking");
    await backToCurrent();
  });

  await step("F2 labels the selected row", async () => {
    await trees.click("Read README.md");
    await keys.press("F2");
    await input("read me");
    await spokenRow(/^You: Read README\.md, .*“read me”/);
    expect(
      entries().some((entry) => entry.type === "label" && entry.label === "read me"),
      "a label entry",
    );
    await backToCurrent();
  });

  await step("filters keep the connections", async () => {
    await window.command("Coppice: Filter the Session Tree…");
    await input("Only Mine");
    await until(
      async () => (await trees.spoken()).filter((label) => /^(Reply|Tools)/.test(label ?? "")).length === 0,
      "no replies",
    );
    await spokenRow(/^You: What is in this folder\?, 2 branches/);
    await window.command("Coppice: Filter the Session Tree…");
    await input("Default");
    await spokenRow(/^Reply: In \.:/);
  });

  await step("Compact Before Here cuts at the entry, and undo and redo move between both", async () => {
    await window.command("Coppice: Focus on Session Tree View");
    await trees.choose("Read README.md", "Compact Before Here…");
    await input("");
    await spokenRow(/^Compaction: Compaction .* → ~.* tokens, position/);
    const compaction = entries().find((entry) => entry.type === "compaction");
    const from = entries().findIndex((entry) => entry.id === compaction.firstKeptEntryId);
    const kept = entries().find((entry, at) => at >= from && entry.type === "message");
    expect(JSON.stringify(kept?.message)?.includes("Read README.md"), "the chosen entry to be the first that stays");
    await run.shot(window, "03-compacted");
    const before = entries().length;
    await window.command("Coppice: Undo Compaction");
    await until(() => entries().length > before, "the undo to be written");
    await spokenRow(/^Compaction: .*other branch/);
    await window.command("Coppice: Redo Compaction");
    await spokenRow(/^Compaction: .*, position/);
  });

  await step("the context before and after a compaction stands in a diff", async () => {
    await trees.choose("Compaction", "Compare Before and After");
    await window.page.getByRole("tab", { name: /Messages before ↔ after/ }).waitFor();
    await window.page.getByText("## Goal").first().waitFor();
    await run.shot(window, "04-compaction-diff");
  });

  await step("a preview changes nothing", async () => {
    await chat.send("Read src/todo.ts");
    await chat.answered("Read src/todo.ts");
    const before = readFileSync(chat.file, "utf8");
    await window.command("Coppice: Preview Compaction…");
    await window.page.getByRole("tab", { name: /Compaction preview/ }).waitFor();
    await window.page.locator(".codelens-decoration a").filter({ hasText: "Compact now" }).waitFor();
    await run.shot(window, "05-preview");
    await keys.press("Escape");
    expect(readFileSync(chat.file, "utf8") === before, "no byte to be written by a preview");
  });

  await step(
    "the inspector shows the last request and the next, and leaves an entry out until it is taken back",
    async () => {
      await window.command("Coppice: Inspect Context");
      const page = await pageWith(window, "Context", until);
      await page.getByRole("heading", { name: /Messages \(\d+\)/ }).waitFor();
      await run.shot(window, "06-inspector");
      const row = page.locator("li.row").filter({ hasText: "read:" }).last();
      await row.hover();
      await row.getByRole("button", { name: /^Leave out/ }).click();
      await window.page.getByRole("button", { name: "Leave It Out" }).click();
      await page.getByRole("heading", { name: "Left out by hand (1)" }).waitFor();
      const edit = entries().find((entry) => entry.type === "context_edit");
      expect(edit?.replacement === null, "a context edit without content");
      await page.getByRole("button", { name: /^Take back/ }).click();
      await page.getByRole("heading", { name: /Left out by hand/ }).waitFor({ state: "hidden" });
      const user = page.locator("li.row").filter({ hasText: "Read src/todo.ts" }).first();
      await user.hover();
      await user.getByRole("button", { name: /^Pin/ }).click();
      await window.page.getByRole("button", { name: "Pin", exact: true }).last().click();
      await page.getByText("pinned").first().waitFor();
      await page.getByRole("tab", { name: "Last request" }).click();
      await page.getByText(/Exactly as it was sent/).waitFor();
      await run.shot(window, "07-inspector-last");
    },
  );

  await step("two branches stand side by side", async () => {
    await trees.choose("Read src/greeting.ts", "Compare with Current…");
    const page = await pageWith(window, "Two branches", until);
    await page.getByText("the shared part counted once").waitFor();
    await page.getByRole("heading", { name: "Second branch" }).waitFor();
    await run.shot(window, "08-comparison");
  });

  await step(
    "the branch map shows every branch, looks by keys without moving, and grows with the session",
    async () => {
      await window.command("Coppice: Branch Map", { byKey: true });
      const page = await pageWith(window, "Branch map", until);
      const lanes = page.getByRole("option");
      const current = page.getByRole("option", { name: /, position,/ });
      await current.waitFor();
      const users = entries().filter((entry) => entry.message?.role === "user").length;
      await page.getByText(new RegExp(`^\\d+ branches · ${users} turns · `)).waitFor();
      await page.getByText(/up to \d/).waitFor();
      const before = readFileSync(chat.file, "utf8");
      // The keys work at once: nothing is focused first.
      await until(() => page.evaluate(() => document.hasFocus()), "the map to have the focus");
      await keys.press("ArrowDown");
      const looked = (await page.locator("[role=option]:focus").getAttribute("aria-label")).split(":")[0];
      await page
        .getByRole("status")
        .filter({ hasText: /^Branch 2 · turn \d+ · / })
        .waitFor();
      await keys.press("Enter");
      await chat.button("Continue from here").waitFor();
      await page.getByRole("option", { name: new RegExp(`^${looked}: .*shown in the chat`) }).waitFor();
      await run.shot(window, "08b-branch-map");
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => globalThis.axe.run(document, { resultTypes: ["violations"] }));
      const serious = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
      expect(
        serious.length === 0,
        `nothing serious by axe, not ${JSON.stringify(serious.map(({ id, nodes }) => [id, nodes[0].html]))}`,
      );
      expect(readFileSync(chat.file, "utf8") === before, "no byte to be written by looking");
      await backToCurrent();
      const [, end] = /turns? (?:\d+ to )?(\d+)/.exec(await current.getAttribute("aria-label"));
      const count = await lanes.count();
      await chat.send("Read README.md again");
      await chat.answered("Read README.md again");
      await page.getByRole("option", { name: new RegExp(`, position, turns \\d+ to ${Number(end) + 1}\\b`) }).waitFor();
      expect((await lanes.count()) === count, "no lane more for a turn that only goes on");
    },
  );

  await step("the list shows the session, and its text is found on the branch that was left", async () => {
    await window.command("Coppice: Focus on Sessions View");
    await spokenRow(/^What is in this folder\?, in the chat/);
    await window.command("Coppice: Search Sessions…");
    await window.page.locator(".quick-input-widget:visible input").first().fill("exports `greet");
    await window.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    await run.shot(window, "09-search");
    await keys.press("Enter");
    await spokenRow(/^Reply: src\/greeting\.ts has .*, shown in the chat/);
  });

  await step("a fork is listed below what it was forked from", async () => {
    await window.command("Coppice: Focus on Session Tree View");
    await trees.choose("Read README.md", "Fork Session");
    await until(async () => (await trees.spoken()).some((label) => /, in the chat, fork/.test(label ?? "")), "a fork");
    await run.shot(window, "10-fork");
  });

  await step("a session is renamed with F2 and goes to the trash after a question", async () => {
    await window.command("Coppice: Focus on Sessions View");
    await trees.click("in the chat · fork");
    await keys.press("F2");
    await input("My fork");
    await spokenRow(/^My fork, in the chat/);
    const { length } = sessionFiles(editor.home);
    await trees.choose("My fork", "Move to Trash…");
    await window.page.getByRole("button", { name: "Cancel" }).click();
    expect(sessionFiles(editor.home).length === length, "nothing to be deleted before the answer");
    await trees.choose("My fork", "Move to Trash…");
    await window.page.getByRole("button", { name: "Move to Trash", exact: true }).click();
    await until(() => sessionFiles(editor.home).length === length - 1, "the file to be gone");
    await until(
      async () => !(await trees.spoken()).some((label) => /^My fork/.test(label ?? "")),
      "the row to be gone",
    );
    await run.shot(window, "11-sessions");
    await window.command("Notifications: Show Notifications");
    await window.page.getByRole("button", { name: "Undo", exact: true }).click();
    await until(() => sessionFiles(editor.home).length === length, "the file to be back");
    await spokenRow(/^My fork/);
  });

  await step("nothing was refused by the content policy", async () => {
    expect(window.problems.length === 0, `no violations, not ${window.problems.join("; ")}`);
  });
}
