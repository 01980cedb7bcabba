// What a person looks at or edits before it counts: the summary of a branch, and where a compaction would cut.
import { readFileSync } from "node:fs";
import { settingsFor } from "./wires.mjs";

export const name = "Drafts and previews: nothing counts before the person says so";

/** The title bar's button of an editor tab. */
const titleButton = (window, title) => window.page.locator(".editor-actions").getByRole("button", { name: title });

export async function run(tools) {
  await tools.run.chain(() => branchSummaries(tools));
  await tools.run.chain(() => cuts(tools));
}

async function setUp(run) {
  const workspace = run.workspace();
  const server = await run.modelServer({
    script: (request) =>
      request.tools.length === 0 ? { parts: [{ text: "## Goal\nAs it was generated" }] } : run.defaultReply(request),
  });
  const editor = await run.editor({ workspace, settings: settingsFor("openai-completions", server.url) });
  const window = await run.window(editor, { width: 1500, height: 950 });
  await window.command("Coppice: New Session");
  const chat = await run.chat(window, editor);
  for (const text of ["First question", "Second question", "Third question"]) {
    await chat.send(text);
    await chat.answered(text);
  }
  return { server, editor, window, chat };
}

async function branchSummaries({ run, until, step, expect }) {
  const { server, window, chat } = await setUp(run);
  const keys = window.page.keyboard;
  const summaries = () => chat.entries().filter((entry) => entry.type === "branch_summary");
  const tab = window.page.getByRole("tab", { name: /Untitled|## Goal/ });
  const lookAtFirst = async () => {
    await window.command("Coppice: Go to Entry…");
    await window.page
      .locator(".quick-input-list .monaco-list-row")
      .filter({ hasText: "First question" })
      .first()
      .click();
    await chat.button("Continue from here").waitFor();
  };
  const draft = async () => {
    await chat.frame.getByRole("combobox", { name: "Summary of the branch being left" }).selectOption("standard");
    const box = chat.frame.getByRole("checkbox", { name: "Edit the summary before it is attached" });
    if (!(await box.isChecked())) await box.check();
    await run.shot(window, "01-asked");
    await chat.button("Continue from here").click();
    await tab.waitFor();
    await window.page.getByText("As it was generated").first().waitFor();
  };

  await step("a summary that is discarded moves nothing and writes nothing", async () => {
    await lookAtFirst();
    const before = readFileSync(chat.file, "utf8");
    await draft();
    await run.shot(window, "02-draft");
    expect(readFileSync(chat.file, "utf8") === before, "no byte to be written by a draft");
    await titleButton(window, "Discard the Summary").click();
    await tab.waitFor({ state: "hidden" });
    expect(readFileSync(chat.file, "utf8") === before, "no byte to be written by discarding");
    await chat.button("Continue from here").waitFor();
  });

  await step("discarding from the question leaves a tab alone that is in front by then", async () => {
    await draft();
    await window.command("File: New Untitled Text File");
    await keys.type("mine, not yet saved");
    const mine = window.page.getByRole("tab", { name: /mine, not yet saved/ });
    await mine.waitFor();
    await window.page.locator(".notification-toast").getByRole("button", { name: "Discard", exact: true }).click();
    await window.page.getByRole("tab", { name: /## Goal/ }).waitFor({ state: "hidden" });
    expect(await mine.isVisible(), "the other tab to be there still");
    await keys.press("Control+A");
    await keys.press("Delete");
    await window.command("View: Close Editor");
    await mine.waitFor({ state: "hidden" });
  });

  await step("one that the conversation has overtaken is refused with the reason, and its text stays", async () => {
    await draft();
    await chat.button("Back to current").click();
    await chat.send("Meanwhile");
    await chat.answered("Meanwhile");
    const before = readFileSync(chat.file, "utf8");
    await titleButton(window, "Attach and Continue").click();
    await window.page
      .getByText(/The conversation went on since the summary was written/)
      .first()
      .waitFor();
    await tab.waitFor();
    expect(readFileSync(chat.file, "utf8") === before, "nothing to be written");
    await run.shot(window, "03-refused");
    await window.command("Notifications: Clear All Notifications");
    await titleButton(window, "Discard the Summary").click();
    await tab.waitFor({ state: "hidden" });
  });

  await step("the text as it was edited is attached, and the next request carries it", async () => {
    await lookAtFirst();
    await draft();
    await window.page.locator(".editor-instance .view-lines").first().click();
    await keys.press("Control+End");
    await keys.type(" and then by hand");
    // Another language closes and opens the text, as the editor tells it: it is the same draft.
    await window.command("Change Language Mode");
    await keys.type("Plain Text");
    await window.page.locator(".quick-input-list .monaco-list-row").filter({ hasText: "Plain Text" }).first().click();
    await titleButton(window, "Attach and Continue").click();
    await until(() => summaries().length === 1, "the summary to be attached");
    await tab.waitFor({ state: "hidden" });
    const [entry] = summaries();
    expect(entry.summary.endsWith("and then by hand"), `the edited text, not ${entry.summary}`);
    expect(Array.isArray(entry.details?.modifiedFiles), "the lists of files to be kept");
    expect(entry.usage?.totalTokens > 0, "what the draft cost to be kept");
    await chat.button("Back to current").waitFor({ state: "hidden" });
    await chat.send("On from there");
    await chat.answered("On from there");
    const sent = JSON.stringify(server.requests().at(-1).body);
    expect(sent.includes("and then by hand") && !sent.includes("Third question"), "the new branch with its summary");
    await run.shot(window, "04-attached");
  });

  await step("while another session is in the chat it is refused, and attached when its own is back", async () => {
    await window.command("Coppice: Go to Entry…");
    await window.page
      .locator(".quick-input-list .monaco-list-row")
      .filter({ hasText: "On from there" })
      .first()
      .click();
    await window.command("Coppice: Continue from Here, Editing the Summary First…");
    await window.page
      .locator(".quick-input-list .monaco-list-row")
      .filter({ hasText: "Third question" })
      .first()
      .click();
    await window.page.getByText("What should the summary pay attention to").first().waitFor();
    await keys.press("Enter");
    await tab.waitFor();
    chat.followed = chat.file;
    const before = readFileSync(chat.file, "utf8");
    await window.command("Coppice: New Session");
    await titleButton(window, "Attach and Continue").click();
    await window.page
      .getByText(/The session of this summary is not in the chat now/)
      .first()
      .waitFor();
    await tab.waitFor();
    expect(readFileSync(chat.file, "utf8") === before, "nothing to be written");
    await window.command("Coppice: Open Session…");
    await window.quickInput("Open Session");
    await window.pick("First question").click();
    await chat.said("First question").waitFor();
    await titleButton(window, "Attach and Continue").click();
    await until(() => summaries().length === 2, "the summary to be attached");
    await tab.waitFor({ state: "hidden" });
    await window.command("Notifications: Clear All Notifications");
  });

  await step("the same is reached from the palette", async () => {
    await window.command("Coppice: Continue from Here, Editing the Summary First…");
    await window.page
      .locator(".quick-input-list .monaco-list-row")
      .filter({ hasText: "Third question" })
      .first()
      .click();
    await window.page.getByText("What should the summary pay attention to").first().waitFor();
    await keys.press("Enter");
    await tab.waitFor();
    await window.command("Coppice: Discard the Summary");
    await tab.waitFor({ state: "hidden" });
    expect(summaries().length === 2, "no other summary");
  });

  await step("nothing was refused by the content policy", async () => {
    expect(window.problems.length === 0, `no violations, not ${window.problems.join("; ")}`);
  });
}

async function cuts({ run, until, step, expect }) {
  const { server, window, chat } = await setUp(run);
  const keys = window.page.keyboard;
  const line = chat.frame.getByRole("separator", { name: /^Cut\. Above: summarised, .* Below: stays word for word/ });
  const tab = window.page.getByRole("tab", { name: /Compaction preview/ });
  const marked = window.page.locator(".monaco-list-row[aria-label*='cut: stays from here']");
  const menuOf = (text, item) =>
    window.choose(
      () =>
        window.page.locator(".pane-body .monaco-list-row").filter({ hasText: text }).first().click({ button: "right" }),
      item,
    );
  /** Text of the row that the line stands before. */
  const below = () => chat.frame.locator(".row.cut").evaluate((row) => row.nextElementSibling?.textContent ?? "");

  await step("the cut of a preview stands in the chat and in the tree", async () => {
    await window.command("Coppice: Focus on Session Tree View");
    const before = readFileSync(chat.file, "utf8");
    await window.command("Coppice: Preview Compaction…");
    await tab.waitFor();
    await line.waitFor();
    expect((await below()).includes("Third question"), `the last turn to stay, not ${await below()}`);
    await until(async () => (await marked.count()) === 1, "one marked row in the tree");
    expect((await marked.getAttribute("aria-label")).includes("Third question"), "the same row in the tree");
    await run.shot(window, "05-cut");
    await keys.press("Escape");
    await run.shot(window, "06-cut-read");
    expect(readFileSync(chat.file, "utf8") === before, "no byte to be written by a preview");
  });

  await step("it follows another cut, and is brought into view from the preview", async () => {
    await menuOf("Second question", "Preview Compaction");
    await until(async () => (await below()).includes("Second question"), "the line at the other place");
    await until(
      async () => (await marked.getAttribute("aria-label"))?.includes("Second question"),
      "the other row to be marked",
    );
    await keys.press("Escape");
    await titleButton(window, "Show the Cut in the Chat").click();
    await line.waitFor();
    await run.shot(window, "07-cut-moved");
  });

  await step("it says that it falls inside a turn, and stands before the reply that stays", async () => {
    await menuOf("Scripted answer 2", "Preview Compaction");
    await chat.frame.getByRole("separator", { name: /^Cut inside this turn\./ }).waitFor();
    expect((await below()).includes("Scripted answer 2"), `the reply to stay, not ${await below()}`);
    await until(
      async () => (await marked.getAttribute("aria-label"))?.includes("Scripted answer 2"),
      "the reply's row to be marked",
    );
    await keys.press("Escape");
  });

  await step("it follows the conversation while the preview is open", async () => {
    await window.command("Coppice: Preview Compaction…");
    await until(async () => (await below()).includes("Third question"), "the line before the last turn");
    await keys.press("Escape");
    await chat.send("Fourth question");
    await chat.answered("Fourth question");
    await until(async () => (await below()).includes("Fourth question"), "the line before the new last turn");
    await until(
      async () => (await marked.getAttribute("aria-label"))?.includes("Fourth question"),
      "the tree to follow",
    );
  });

  await step("it goes when the preview is closed, in the chat as well", async () => {
    await chat.button("Close preview").click();
    await tab.waitFor({ state: "hidden" });
    await line.waitFor({ state: "detached" });
    await until(async () => (await marked.count()) === 0, "no marked row");
    await window.command("Coppice: Preview Compaction…");
    await line.waitFor();
    await keys.press("Escape");
    await window.command("View: Close All Editors");
    await line.waitFor({ state: "detached" });
  });

  await step("a message that is being edited stays so while a compaction ends", async () => {
    server.setScript((request) =>
      request.tools.length === 0
        ? { parts: [{ text: `## Goal\n${"Slowly written. ".repeat(12)}` }], fault: { kind: "slow", everyMs: 200 } }
        : run.defaultReply(request),
    );
    const compactions = () => chat.entries().filter((entry) => entry.type === "compaction").length;
    const asked = server.requests().length;
    await window.command("Coppice: Preview Compaction…");
    await line.waitFor();
    await window.page.locator(".codelens-decoration a").filter({ hasText: "Compact now" }).click();
    await until(() => server.requests().length > asked, "the summary to be asked for");
    await chat.act(chat.said("Second question"), "Edit");
    await until(async () => (await chat.composer.inputValue()) === "Second question", "the words to be edited");
    expect(compactions() === 0, "the summary to be under way still");
    await until(() => compactions() === 1, "the compaction");
    await until(async () => (await chat.frame.locator("[role=progressbar]").count()) === 0, "its end");
    await window.page.waitForTimeout(1000);
    await run.shot(window, "08-edit-stays");
    expect(await chat.button("Back to current").isVisible(), "the point before the message to be shown still");
    await chat.send("Second question anew");
    await chat.answered("Second question anew");
    expect(!JSON.stringify(server.requests().at(-1).body).includes("Third question"), "a branch, not the end");
    server.setScript((request) =>
      request.tools.length === 0 ? { parts: [{ text: "## Goal\nQuickly written" }] } : run.defaultReply(request),
    );
  });

  await step("it goes when the compaction is done", async () => {
    await window.command("Coppice: Preview Compaction…");
    await line.waitFor();
    await window.page.locator(".codelens-decoration a").filter({ hasText: "Compact now" }).click();
    await until(() => chat.entries().filter((entry) => entry.type === "compaction").length === 2, "the compaction");
    await line.waitFor({ state: "detached" });
    await tab.waitFor({ state: "hidden" });
    await until(async () => (await marked.count()) === 0, "no marked row");
    expect(window.problems.length === 0, `no violations, not ${window.problems.join("; ")}`);
  });
}
