// Compaction as a node, and the context inspector: each action by mouse and by keyboard.
import { pageWith, Trees } from "./tree-page.mjs";
import { Keys, Ways } from "./ways.mjs";
import { askedIn, settingsFor } from "./wires.mjs";

export const name = "Compaction and inspector, by mouse and by keyboard";

const ACTIONS = [
  "Compact",
  "Undo",
  "Redo",
  "Compare before and after",
  "Open the summary",
  "Preview, with a focus",
  "Preview, with a draft",
  "Leave out",
  "Take back",
  "Pin",
  "Unpin",
  "Source link",
  "Last request",
  "Next request as JSON",
  "Last request as sent",
];
const TREE = "Session Tree";
const COMPACTION = /^Compaction: .*, position/;

export async function run({ run, until, step, expect }) {
  const server = await run.modelServer({
    script(request) {
      const asked = askedIn(request).split("\n").at(-1);
      return request.tools.length > 0 ? { parts: [{ text: `Answer to ${asked}` }] } : run.defaultReply(request);
    },
  });
  const settings = settingsFor("anthropic-messages", server.url, { "workbench.hover.delay": 60_000 });
  const editor = await run.editor({ workspace: run.workspace(), settings });
  const window = await run.window(editor, { width: 1500, height: 1000 });
  const trees = new Trees(window);
  const keys = new Keys(window, until);
  const ways = new Ways({ run, step, expect }, keys);
  const { page } = window;
  let chat;
  const entries = () => chat.entries();
  const last = (type) => entries().findLast((entry) => entry.type === type);
  const grows = async (type, act) => {
    const count = () => entries().filter((entry) => entry.type === type).length;
    const before = count();
    await act();
    await until(() => count() > before, `one more ${type}`, 20_000);
    await chat.idle();
    return last(type);
  };
  const row = (pattern) =>
    until(
      async () => (await trees.spoken()).find((label) => pattern.test(label ?? "")),
      `a row like ${pattern}`,
      15_000,
    );
  const at = async (pattern) => {
    await trees.settled();
    return page.locator(`.monaco-list-row[role=treeitem][aria-label=${JSON.stringify(await row(pattern))}]`).first();
  };
  const titleMenu = (item) =>
    window.choose(
      async () => {
        const header = page.locator(".pane-header").filter({ hasText: TREE });
        await header.hover();
        await header.getByRole("button", { name: /More Actions/ }).click();
      },
      item,
      { exact: true },
    );
  const undone = async (act) => {
    await grows("custom", act);
    await row(/^Compaction: .*other branch/);
  };
  const tab = (title) => page.getByRole("tab", { name: title });
  const close = () => window.command("View: Close All Editors");
  const dialog = (button) => page.getByRole("button", { name: button, exact: true }).last().click();
  const say = async (text) => {
    await chat.send(text);
    await chat.answered(text);
  };

  await step("three turns stand in the tree", async () => {
    await window.command("Coppice: New Session");
    chat = await run.chat(window, editor);
    await window.command("Coppice: Focus on Session Tree View");
    for (const text of ["Plan the garden", "Water the roses", "Prune the hedge"]) await say(text);
    await row(/^Reply: Answer to Prune the hedge, position/);
  });

  await ways.mouse("Compact", async () => {
    await grows("compaction", async () => {
      await page.locator(".pane-header").filter({ hasText: TREE }).hover();
      await page.locator(".pane-header").filter({ hasText: TREE }).getByRole("button", { name: "Compact" }).click();
      await (await window.quickInput("Compact")).press("Enter");
      await dialog("Keep Only the Last Turn");
    });
    await row(COMPACTION);
  });
  await ways.mouse("Compare before and after", async () => {
    await trees.chooseFrom(await at(COMPACTION), "Compare Before and After");
    await tab(/Messages before ↔ after/).waitFor();
    await close();
  });
  await ways.keyboard("Compare before and after", async () => {
    await keys.toRow(TREE, COMPACTION);
    await keys.menu("Compare Before and After");
    await tab(/Messages before ↔ after/).waitFor();
    await close();
    // The palette takes the one that the branch goes on from.
    await keys.command("Coppice: Compare Before and After");
    await tab(/Messages before ↔ after/).waitFor();
    await close();
  });
  await ways.mouse("Open the summary", async () => {
    await trees.chooseFrom(await at(COMPACTION), "Open Summary");
    await tab(/Compaction.md/).waitFor();
    await close();
  });
  await ways.keyboard("Open the summary", async () => {
    await keys.toRow(TREE, COMPACTION);
    await keys.menu("Open Summary");
    await tab(/Compaction.md/).waitFor();
    await close();
  });
  await ways.mouse("Undo", () =>
    undone(async () => {
      const element = await at(COMPACTION);
      await element.hover();
      await element.getByRole("button", { name: "Undo Compaction" }).click();
    }),
  );
  await ways.mouse("Redo", async () => {
    await grows("leaf", () => titleMenu("Redo Compaction"));
    await row(COMPACTION);
  });
  await ways.keyboard("Undo", () =>
    undone(async () => {
      await chat.composer.focus();
      await keys.type("/undo");
      await keys.press("Enter");
    }),
  );
  await ways.keyboard("Redo", async () => {
    await grows("leaf", () => keys.command("Coppice: Redo Compaction"));
    await row(COMPACTION);
  });
  await ways.keyboard("Compact", async () => {
    await say("Dig a pond");
    await grows("compaction", async () => {
      await chat.composer.focus();
      await keys.type("/compact the pond");
      await keys.press("Enter");
      await keys.dialog("Keep Only the Last Turn");
    });
    expect(server.requests().at(-1).text.includes("the pond"), "the focus in the request");
  });
  /** An action above the text of the preview. */
  const lens = (text) => page.locator(".codelens-decoration a").filter({ hasText: text }).first();
  await ways.mouse("Preview, with a focus", async () => {
    await say("Paint the fence");
    await grows("compaction", async () => {
      await titleMenu("Preview Compaction…");
      await tab(/Compaction preview/).waitFor();
      await lens("Compact with a focus").click();
      const focus = await window.quickInput("Compact with a focus");
      await focus.fill("the colour of the fence");
      await focus.press("Enter");
    });
    expect(server.requests().at(-1).text.includes("the colour of the fence"), "the focus in the request");
    await close();
  });
  await ways.keyboard("Preview, with a focus", async () => {
    await say("Sow the lawn");
    await grows("compaction", async () => {
      await keys.command("Coppice: Preview Compaction…");
      await keys.command("Coppice: Compact as Previewed…");
      await keys.pick("Compaction", "Compact with a focus");
      await keys.answer("Compact with a focus", "the lawn above all");
    });
    expect(server.requests().at(-1).text.includes("the lawn above all"), "the focus in the request");
    await close();
  });
  /** Writes a line of one's own at the end of the draft that is open, and applies it. */
  const drafted = async (line, apply) => {
    await page.locator(".monaco-editor").filter({ hasText: "Goal" }).first().waitFor();
    await page.getByRole("button", { name: "Compact with This Text" }).first().waitFor();
    await page.locator(".monaco-editor .native-edit-context, .monaco-editor textarea").first().focus();
    await keys.press("Control+End", "Enter");
    await keys.type(line);
    const made = await grows("compaction", apply);
    expect(made.summary.includes(line), `the line in the summary, not ${made.summary.slice(-200)}`);
    await window.command("View: Revert and Close Editor").catch(() => {});
    await close();
  };
  await ways.mouse("Preview, with a draft", async () => {
    await say("Plant a tree");
    await titleMenu("Preview Compaction…");
    await lens("let me edit it first").click();
    await drafted("The tree is an oak.", () =>
      page.getByRole("button", { name: "Compact with This Text" }).first().click(),
    );
  });
  await ways.keyboard("Preview, with a draft", async () => {
    await say("Build a bench");
    await keys.command("Coppice: Preview Compaction…");
    await keys.command("Coppice: Compact as Previewed…");
    await keys.pick("Compaction", "let me edit it first");
    await drafted("The bench is of oak.", () => keys.command("Coppice: Compact with This Text"));
  });

  let inspector;
  await run.chain(() =>
    step("the inspector opens on what the next request will be", async () => {
      await say("Rake the leaves");
      await window.command("Coppice: Inspect Context");
      inspector = await pageWith(window, "Context", until);
      await inspector.getByRole("heading", { name: /Messages \(\d+\)/ }).waitFor();
    }),
  );
  const entry = (text) => inspector.locator("li.row.user, li.row.reply").filter({ hasText: text }).last();
  const item = (text, name) => entry(text).getByRole("button", { name });
  const click = async (text, name) => {
    await entry(text).hover();
    await item(text, name).click();
  };
  const tabTo = async (locator) => {
    await inspector.getByRole("heading", { name: "Context", exact: true }).click();
    await keys.tabTo(locator);
    await keys.press("Enter");
  };
  await ways.mouse("Leave out", async () => {
    const edit = await grows("context_edit", async () => {
      await click("Answer to Rake", /^Leave out/);
      await dialog("Leave It Out");
    });
    expect(edit.replacement === null, "an entry left out");
    await inspector.getByRole("heading", { name: "Left out by hand (1)" }).waitFor();
  });
  await ways.mouse("Take back", async () => {
    await grows("context_edit", () => inspector.getByRole("button", { name: /^Take back/ }).click());
    await inspector.getByRole("heading", { name: /Left out by hand/ }).waitFor({ state: "hidden" });
  });
  await ways.keyboard("Leave out", async () => {
    await grows("context_edit", async () => {
      await tabTo(item("Answer to Rake", /^Leave out/));
      await keys.dialog("Leave It Out");
    });
    await inspector.getByRole("heading", { name: "Left out by hand (1)" }).waitFor();
  });
  await ways.keyboard("Take back", async () => {
    await grows("context_edit", () => tabTo(inspector.getByRole("button", { name: /^Take back/ })));
    await inspector.getByRole("heading", { name: /Left out by hand/ }).waitFor({ state: "hidden" });
  });
  await ways.mouse("Pin", async () => {
    await grows("custom", async () => {
      await click(/^YouRake the leaves/, /^Pin/);
      await dialog("Pin");
    });
    await inspector.getByText("pinned").first().waitFor();
  });
  await ways.mouse("Unpin", async () => {
    await grows("custom", () => click(/^YouRake the leaves/, /^Unpin/));
    expect(last("custom").data.pinned === false, "an unpinned entry");
  });
  await ways.keyboard("Pin", async () => {
    await grows("custom", async () => {
      await tabTo(item(/^YouRake the leaves/, /^Pin/));
      await keys.dialog("Pin");
    });
    await inspector.getByText("pinned").first().waitFor();
  });
  await ways.keyboard("Unpin", async () => {
    await grows("custom", () => tabTo(item(/^YouRake the leaves/, /^Unpin/)));
    expect(last("custom").data.pinned === false, "an unpinned entry");
  });
  const shown = async (act) => {
    await act();
    await chat.button("Back to current").waitFor();
    await chat.button("Back to current").click();
  };
  await ways.mouse("Source link", () => shown(() => click(/^YouRake the leaves/, /^Show/)));
  await ways.keyboard("Source link", () => shown(() => tabTo(item(/^YouRake the leaves/, /^Show/))));
  await ways.mouse("Last request", async () => {
    await inspector.getByRole("tab", { name: "Last request" }).click();
    await inspector.getByText(/Exactly as it was sent/).waitFor();
    await inspector.getByRole("tab", { name: "Next request" }).click();
  });
  await ways.keyboard("Last request", async () => {
    await tabTo(inspector.getByRole("tab", { name: "Next request" }));
    await keys.press("ArrowRight");
    await inspector.getByText(/Exactly as it was sent/).waitFor();
  });
  /** The whole text of the document that is open, through the clipboard. */
  const text = async () => {
    await page.locator(".monaco-editor .native-edit-context, .monaco-editor textarea").first().focus();
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await keys.press("Control+a", "Control+c");
    const read = () => page.evaluate(() => navigator.clipboard.readText());
    return await until(read, "the text to be copied", 10_000);
  };
  const back = async () => {
    await page
      .getByRole("tab", { name: /^Context/ })
      .first()
      .click();
    inspector = await pageWith(window, "Context", until);
  };
  const asSent = async (act) => {
    await act();
    await tab(/Last request as sent.json/).waitFor();
    const sent = server.requests().at(-1).text;
    expect((await text()) === sent, "the bytes of the journal");
    await back();
  };
  await ways.mouse("Last request as sent", async () => {
    await inspector.getByRole("tab", { name: "Last request" }).click();
    await asSent(() => inspector.getByRole("button", { name: "Open as sent" }).click());
  });
  await ways.keyboard("Last request as sent", async () => {
    await inspector.getByRole("tab", { name: "Last request" }).click();
    await asSent(() => tabTo(inspector.getByRole("button", { name: "Open as sent" })));
  });
  const asJson = async (act) => {
    await act();
    await tab(/Next request.json/).waitFor();
    const next = JSON.parse(await text());
    const sent = server.requests().at(-1).body;
    // What follows the last request is its answer; marks for the cache move on with the conversation.
    const bare = (message) => JSON.stringify(message).replace(/,"cache_control":\{[^}]*\}/g, "");
    const before = next.messages.slice(0, sent.messages.length).map(bare);
    expect(before.join() === sent.messages.map(bare).join(), "the last request and what came since");
    await back();
  };
  await ways.mouse("Next request as JSON", async () => {
    await inspector.getByRole("tab", { name: "Next request" }).click();
    await asJson(() => inspector.getByRole("button", { name: "Open as JSON" }).click());
  });
  await ways.keyboard("Next request as JSON", async () => {
    await inspector.getByRole("tab", { name: "Next request" }).click();
    await asJson(() => tabTo(inspector.getByRole("button", { name: "Open as JSON" })));
  });
  await ways.complete(ACTIONS);
  await step("nothing was refused", async () => {
    expect(window.problems.length === 0, `no violations, not ${window.problems.join("; ")}`);
    const refused = server.journal.filter(({ status }) => status !== 200).map((entry) => entry.refused);
    expect(refused.length === 0, `no refusals, not ${refused.join("; ")}`);
  });
}
