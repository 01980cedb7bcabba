// The steps of the random walk that send, look and move: each acts as a person would, then says where the window stands.
import { textOf } from "./session-files.mjs";
import { tokensIn } from "./walk-oracle.mjs";

export const users = (entries) => entries.filter((entry) => entry.message?.role === "user");
/** The word of its own that an entry has. */
export const wordOf = (entry) =>
  tokensIn(entry.message === undefined ? (entry.summary ?? "") : textOf(entry.message))[0];

async function prompt(walk) {
  const word = walk.word("Q");
  const text = walk.random.chance(0.3) ? `${word} read the file please` : `${word} tell me more`;
  const from = walk.shownId;
  const before = walk.before();
  await walk.at.send(text, walk.random.chance(0.5));
  await walk.answered(text);
  walk.said.add(word);
  walk.sent(text, before, from);
}

/** Moves to a point with or without a summary, and checks what was summarised. */
async function move(walk, target, act, summarize) {
  const before = walk.before();
  const old = before.path(walk.at.position);
  const shared = new Set(before.path(target).map((entry) => entry.id));
  const left = old.filter((entry) => !shared.has(entry.id));
  const asks = before.byId.get(before.rowAt(target))?.message?.role === "user" && !summarize;
  await act();
  const changed = () => walk.tree.entries.length > before.entries.length;
  await walk.until(changed, "the move to be written");
  if (asks) {
    const id = before.rowAt(target);
    await walk.until(
      () => walk.tree.below(id).some((entry) => !before.byId.has(entry.id) && entry.message?.stopReason === "stop"),
      "an answer",
    );
    await walk.at.chat.idle();
    walk.moved();
    walk.checkRequests(id, before);
    return;
  }
  if (summarize) {
    await walk.until(
      () => walk.tree.entries.some((entry) => entry.type === "branch_summary" && !before.byId.has(entry.id)),
      "the summary",
    );
    walk.checkSummaries(left);
    const made = walk.tree.entries.findLast((entry) => entry.type === "branch_summary");
    walk.expect(walk.tree.rowAt(made.parentId) === before.rowAt(target), "the summary to be attached where it goes on");
  }
  walk.moved();
  walk.expect(walk.openCalls(walk.at.position) === 0, "the results of the calls to come along");
  walk.expect(
    summarize || walk.tree.rowAt(walk.at.position) === before.rowAt(target),
    "the position where it was moved to",
  );
}

/** Looks somewhere by an action; the chat then shows the end of one of these entries. */
async function look(walk, act, isIt) {
  const before = walk.before();
  await act();
  let rows;
  await walk
    .until(
      async () => {
        rows = await walk.at.rowIds();
        const last = rows.at(-1);
        return last === undefined ? false : rows.join() === before.rowIds(last).join() && isIt(before, last);
      },
      "what was asked for to be shown",
      8000,
    )
    .catch(() => walk.expect(false, `what was asked for to be shown, not ${rows.join()}`));
  walk.unchanged();
  const last = rows.at(-1);
  walk.at.shown = last === before.rowAt(walk.at.position) ? undefined : last;
}

/** A row of the tree that stands for an entry with a word of its own. */
async function someRow(walk) {
  await walk.at.trees.settled();
  const rows = (await walk.at.treeRows()).filter((row) => tokensIn(row).length > 0 || row.startsWith("Compaction"));
  return walk.random.pick(rows);
}

const fitsRow = (row) => (tree, id) => {
  const entry = tree.byId.get(id);
  if (row.startsWith("Compaction")) return entry.type === "compaction";
  if (row.startsWith("Summary of a branch")) return entry.type === "branch_summary";
  return wordOf(entry) === tokensIn(row)[0];
};

export const MOVES = {
  send: prompt,

  async lookInTree(walk) {
    // A branch that is folded opens first, now and then.
    const heads = (await walk.at.treeRows()).filter((row) => /other branch, \d+ more/.test(row));
    if (heads.length > 0 && walk.random.chance(0.7)) {
      const head = walk.at.treeRow(walk.random.pick(heads));
      await head.locator(".monaco-tl-twistie").click();
    }
    const row = await someRow(walk);
    walk.log.push(`(${row.slice(0, 40)})`);
    await look(
      walk,
      async () => {
        await walk.at.treeRow(row).click();
        if (!walk.random.chance(0.4)) return;
        await walk.at.keys.press("Enter");
      },
      fitsRow(row),
    );
  },

  async lookByPicker(walk) {
    const entry = walk.random.pick(walk.tree.entries.filter((one) => one.message !== undefined && wordOf(one)));
    const text = textOf(entry.message);
    const bySlash = walk.random.chance(0.5);
    await look(
      walk,
      async () => {
        if (bySlash) await walk.at.send("/tree", true);
        else await walk.at.window.command("Coppice: Go to Entry…");
        const field = await walk.at.window.quickInput("Go to Entry");
        await field.fill(text);
        await walk.at.window.pick(text).waitFor();
        await field.press("Enter");
      },
      (tree, id) => tree.byId.get(id).message !== undefined && textOf(tree.byId.get(id).message) === text,
    );
  },

  async lookAtSibling(walk) {
    const buttons = walk.at.chat.button("Previous branch").or(walk.at.chat.button("Next branch"));
    const enabled = [];
    for (const button of await buttons.all()) if (await button.isEnabled()) enabled.push(button);
    if (enabled.length === 0) return;
    const button = walk.random.pick(enabled);
    const rows = await walk.at.rowIds();
    const at = await button.evaluate(
      (element) => JSON.parse(element.closest("article").getAttribute("data-vscode-context")).entryId,
    );
    await look(
      walk,
      () => button.click(),
      // The rows before the switch stay, another one follows them, and its branch is shown to an end.
      (tree, id) => {
        const shown = tree.rowIds(id);
        const index = rows.indexOf(at);
        const same = shown.slice(0, index).join() === rows.slice(0, index).join();
        return same && shown[index] !== undefined && shown[index] !== at;
      },
    );
  },

  async backToCurrent(walk) {
    walk.before();
    await walk.at.chat.button("Back to current").click();
    walk.at.shown = undefined;
    await walk.at.chat.button("Back to current").waitFor({ state: "hidden" });
    walk.unchanged();
  },

  async continueHere(walk) {
    const summary = walk.at.chat.frame.getByRole("combobox", { name: "Summary of the branch being left" });
    const summarize = walk.random.chance(0.5) && (await summary.isVisible());
    if (summarize) await summary.selectOption("standard");
    await move(walk, walk.at.shown, () => walk.at.chat.button("Continue from here").click(), summarize);
  },

  async continueFromRow(walk) {
    const rows = (await walk.at.treeRows()).filter((row) => /^(Reply|You)/.test(row) && !/, position/.test(row));
    const row = walk.random.pick(rows.filter((one) => tokensIn(one).length > 0));
    if (row === undefined) return;
    if (walk.looking) await MOVES.backToCurrent(walk);
    await walk.at.trees.settled();
    if (!(await walk.at.treeRow(row).isVisible())) return;
    await look(walk, () => walk.at.treeRow(row).click(), fitsRow(row));
    if (!walk.looking) return;
    const summarize = walk.random.chance(0.4);
    await move(
      walk,
      walk.at.shown,
      async () => {
        await walk.at.trees.rows
          .and(walk.at.window.page.locator(".focused"))
          .first()
          .press(summarize ? "Control+Shift+Enter" : "Control+Enter");
        if (summarize) await walk.at.input("Continue from here, with a summary", "");
      },
      summarize,
    );
  },

  async edit(walk) {
    const entry = walk.random.pick(users(walk.tree.rows(walk.shownId)));
    const before = walk.before();
    await walk.at.act(entry.id, "Edit");
    await walk.until(
      async () => (await walk.at.chat.composer.inputValue()).includes(wordOf(entry)),
      "the text in the composer",
    );
    walk.unchanged();
    const target = before.rowAt(entry.parentId);
    walk.at.shown = target === before.rowAt(walk.at.position) ? undefined : target;
    await walk.check();
    await prompt(walk);
  },
};
