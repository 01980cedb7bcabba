// What can be done at the rows of the Session Tree, in navigation and in the comparison: each by mouse and by keyboard.
import { readFileSync } from "node:fs";
import { sessionFiles } from "./session-files.mjs";
import { pageWith, Trees } from "./tree-page.mjs";
import { Keys, Ways } from "./ways.mjs";
import { askedIn, settingsFor } from "./wires.mjs";

export const name = "Actions of the Session Tree, by mouse and by keyboard";

const ACTIONS = [
  "Show",
  "Continue from here",
  "Continue from here, with summary",
  "Edit and resend",
  "Label",
  "Copy",
  "Compact before here",
  "Compare with current",
  "Show in the chat, from the comparison",
  "Continue from here, from the comparison",
  "Go to Entry",
  "Fork",
];
const TREE = "Session Tree";
const PROMPTS = ["Plan the garden", "Water the roses", "Prune the hedge", "Dig a pond"];

export async function run({ run, until, step, expect }) {
  const server = await run.modelServer({
    script(request) {
      const asked = PROMPTS.find((text) => askedIn(request).endsWith(text));
      return request.tools.length > 0 ? { parts: [{ text: `Answer to ${asked}` }] } : run.defaultReply(request);
    },
  });
  const settings = settingsFor("openai-completions", server.url, { "workbench.hover.delay": 60_000 });
  const editor = await run.editor({ workspace: run.workspace(), settings });
  const window = await run.window(editor, { width: 1500, height: 1000 });
  const trees = new Trees(window);
  const keys = new Keys(window, until);
  const ways = new Ways({ run, step, expect }, keys);
  const { page } = window;
  let chat;
  const row = (pattern) =>
    until(
      async () => (await trees.spoken()).find((label) => pattern.test(label ?? "")),
      `a row like ${pattern}`,
      15_000,
    );
  /** The row that is there, after the tree came to rest. */
  const at = async (pattern) => {
    await trees.settled();
    return page.locator(`.monaco-list-row[role=treeitem][aria-label=${JSON.stringify(await row(pattern))}]`).first();
  };
  const inline = async (pattern, action) => {
    const element = await at(pattern);
    await element.hover();
    await element.getByRole("button", { name: action, exact: true }).click();
  };
  const menu = async (pattern, item) => await trees.chooseFrom(await at(pattern), item);
  const count = (type) => chat.entries().filter((entry) => entry.type === type).length;
  const grows = async (type, act) => {
    const before = count(type);
    await act();
    await until(() => count(type) > before, `one more ${type}`, 20_000);
  };
  const position = (pattern) => row(new RegExp(`${pattern.source}.*, position`));
  const empty = async (text) => {
    await until(async () => (await chat.composer.inputValue()).includes(text), "the text in the composer", 10_000);
    await chat.composer.fill("");
    await back();
  };
  const back = async () => {
    if (await chat.button("Back to current").isVisible()) await chat.button("Back to current").click();
    await chat.button("Back to current").waitFor({ state: "hidden" });
    // The selection goes back with it: a key pressed meanwhile would be about a row that is being drawn.
    await trees.settled();
  };
  /** Nothing is written while something is only looked at. */
  const looks = async (act, shown, hidden) => {
    const before = readFileSync(chat.file, "utf8");
    await act();
    await chat.button("Back to current").waitFor();
    await chat.said(shown).waitFor();
    await chat.said(hidden).waitFor({ state: "hidden" });
    expect(readFileSync(chat.file, "utf8") === before, "nothing to be written by looking");
    await back();
  };
  const clipboard = () => page.evaluate(() => navigator.clipboard.readText());
  const copies = async (act, text) => {
    await page.evaluate(() => navigator.clipboard.writeText(""));
    await act();
    await until(async () => (await clipboard()) === text, `“${text}” to be copied, not ${await clipboard()}`, 10_000);
  };
  const PLAN = /^You: Plan the garden/;
  const ROSES = /^You: Water the roses/;
  const HEDGE = /^You: Prune the hedge/;
  const AFTER_ROSES = /^Reply: Answer to Water the roses/;
  const AFTER_HEDGE = /^Reply: Answer to Prune the hedge/;

  await step("three turns stand in the tree", async () => {
    await window.command("Coppice: New Session");
    chat = await run.chat(window, editor);
    await window.command("Coppice: Focus on Session Tree View");
    for (const text of PROMPTS.slice(0, 3)) {
      await chat.send(text);
      await chat.answered(text);
    }
    await position(AFTER_HEDGE);
  });

  await ways.mouse("Show", () =>
    looks(async () => (await at(AFTER_ROSES)).click(), "Water the roses", "Prune the hedge"),
  );
  await ways.keyboard("Show", () =>
    looks(
      async () => {
        await keys.toRow(TREE, PLAN);
        await keys.press("Enter");
      },
      "Plan the garden",
      "Water the roses",
    ),
  );
  await ways.mouse("Go to Entry", () =>
    looks(
      async () => {
        // The buttons of a view are there while the pointer is over it.
        await page.locator(".pane-header").filter({ hasText: "Session Tree" }).hover();
        await page.getByRole("button", { name: "Go to Entry…" }).first().click();
        await window.quickInput("Go to Entry");
        await window.pick("Plan the garden").click();
      },
      "Plan the garden",
      "Prune the hedge",
    ),
  );
  await ways.keyboard("Go to Entry", () =>
    looks(
      async () => {
        await chat.composer.focus();
        await keys.type("/tree");
        await keys.press("Enter");
        await keys.pick("Go to Entry", "Plan the garden");
      },
      "Plan the garden",
      "Prune the hedge",
    ),
  );
  await ways.mouse("Edit and resend", async () => {
    await inline(HEDGE, "Edit and Resend");
    await empty("Prune the hedge");
  });
  await ways.keyboard("Edit and resend", async () => {
    await keys.toRow(TREE, HEDGE);
    await keys.menu("Edit and Resend");
    await empty("Prune the hedge");
  });
  await ways.mouse("Label", async () => {
    await menu(ROSES, "Label…");
    await keys.answer("Label", "thirsty");
    await row(/^You: Water the roses.*“thirsty”/);
  });
  await ways.keyboard("Label", async () => {
    await keys.toRow(TREE, PLAN);
    await keys.press("F2");
    await keys.answer("Label", "first");
    await row(/^You: Plan the garden.*“first”/);
  });
  await ways.mouse("Copy", () => copies(() => menu(ROSES, "Copy"), "Water the roses"));
  await ways.keyboard("Copy", () =>
    copies(async () => {
      await keys.toRow(TREE, PLAN);
      await keys.press("Control+c");
    }, "Plan the garden"),
  );
  await ways.mouse("Continue from here", async () => {
    await grows("leaf", () => inline(AFTER_ROSES, "Continue from Here"));
    await position(AFTER_ROSES);
  });
  await ways.keyboard("Continue from here", async () => {
    await keys.toRow(TREE, HEDGE);
    await keys.press("ArrowRight");
    await row(AFTER_HEDGE);
    await keys.toRow(TREE, AFTER_HEDGE);
    await grows("leaf", () => keys.press("Control+Enter"));
    await position(AFTER_HEDGE);
  });
  await ways.mouse("Continue from here, with summary", async () => {
    await grows("branch_summary", async () => {
      await menu(AFTER_ROSES, "Continue from Here, with Summary…");
      const focus = await window.quickInput("Continue from here, with a summary");
      await focus.press("Enter");
    });
    await position(/^Summary of a branch/);
  });
  await ways.keyboard("Continue from here, with summary", async () => {
    await grows("branch_summary", async () => {
      await keys.toRow(TREE, PLAN);
      // The answer of the first turn stands below its prompt.
      await keys.press("ArrowDown", "Control+Shift+Enter");
      await keys.answer("Continue from here, with a summary", "the hedge");
    });
    const asked = server.requests().at(-1).text;
    expect(asked.includes("the hedge"), "the focus in the request for the summary");
  });
  await run.chain(() =>
    step("another branch to compare with", async () => {
      await chat.send("Dig a pond");
      await chat.answered("Dig a pond");
      await position(/^Reply: Answer to Dig a pond/);
    }),
  );
  const compared = async (act) => {
    await act();
    const frame = await pageWith(window, "Two branches", until);
    await frame.getByRole("heading", { name: "Second branch" }).waitFor();
    return frame;
  };
  const close = () => window.command("View: Close All Editors");
  let comparison;
  await ways.keyboard("Compare with current", async () => {
    comparison = await compared(async () => {
      await keys.toRow(TREE, ROSES);
      await keys.menu("Compare with Current…");
    });
  });
  await ways.keyboard("Show in the chat, from the comparison", () =>
    looks(
      async () => {
        await keys.tabTo(comparison.getByRole("button", { name: "Show in the chat" }).last());
        await keys.press("Enter");
      },
      "Water the roses",
      "Dig a pond",
    ),
  );
  await ways.keyboard("Continue from here, from the comparison", async () => {
    await comparison.getByRole("heading", { name: "Two branches" }).click();
    await grows("leaf", async () => {
      await keys.tabTo(comparison.getByRole("button", { name: "Continue from here" }));
      await keys.press("Enter");
    });
    await close();
  });
  await ways.mouse("Compare with current", async () => {
    comparison = await compared(() => menu(/^Summary of a branch.*, other branch, 2 more/, "Compare with Current…"));
    await run.shot(window, "comparison");
  });
  await ways.mouse("Show in the chat, from the comparison", () =>
    looks(
      () => comparison.getByRole("button", { name: "Show in the chat" }).last().click(),
      "Dig a pond",
      "Water the roses",
    ),
  );
  await ways.mouse("Continue from here, from the comparison", async () => {
    await grows("leaf", () => comparison.getByRole("button", { name: "Continue from here" }).click());
    await position(/^Reply: Answer to Dig a pond/);
    await close();
  });
  await ways.mouse("Compact before here", async () => {
    await grows("compaction", async () => {
      await menu(/^You: Dig a pond/, "Compact Before Here");
      await (await window.quickInput("Compact Before Here")).press("Enter");
    });
    await position(/^Compaction/);
    await grows("custom", () => window.command("Coppice: Undo Compaction"));
    await position(/^Reply: Answer to Dig a pond/);
  });
  await ways.keyboard("Compact before here", async () => {
    await keys.toRow(TREE, /^You: Dig a pond/);
    await grows("compaction", async () => {
      await keys.menu("Compact Before Here");
      await keys.answer("Compact Before Here", "");
    });
    await position(/^Compaction/);
  });
  const forks = async (act) => {
    const before = sessionFiles(editor.home).length;
    await act();
    await until(() => sessionFiles(editor.home).length > before, "the fork", 15_000);
    await row(/, in the chat, .*fork/);
  };
  await ways.mouse("Fork", () => forks(() => menu(PLAN, "Fork Session")));
  await ways.keyboard("Fork", () =>
    forks(async () => {
      await trees.settled();
      await keys.toRow(TREE, PLAN);
      await keys.menu("Fork Session");
    }),
  );
  await ways.complete(ACTIONS);
  await step("nothing was refused by the content policy", async () => {
    expect(window.problems.length === 0, `no violations, not ${window.problems.join("; ")}`);
  });
}
