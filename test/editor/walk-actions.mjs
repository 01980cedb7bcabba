// The steps of the random walk: each acts as a person would, then says where the acting window must stand.
import { sessionFiles, textOf } from "./session-files.mjs";
import { tokensIn } from "./walk-oracle.mjs";

const users = (entries) => entries.filter((entry) => entry.message?.role === "user");
const wordOf = (entry) => tokensIn(entry.message === undefined ? (entry.summary ?? "") : textOf(entry.message))[0];

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

async function compacted(walk, act, check) {
  const before = walk.before();
  await act();
  const made = () => walk.tree.entries.find((entry) => entry.type === "compaction" && !before.byId.has(entry.id));
  await walk.at.keepLastTurn(made);
  await walk.at.chat.idle();
  walk.checkSummaries(before.path(walk.at.position));
  walk.expect(before.rowAt(walk.at.position) === walk.tree.rowAt(made().parentId), "the compaction at the position");
  check?.(made());
  walk.moved();
}

export const ACTIONS = {
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
    const radio = walk.at.chat.frame.getByRole("radio", { name: "Summarise", exact: true });
    const summarize = walk.random.chance(0.5) && (await radio.isVisible());
    if (summarize) await radio.click();
    await move(walk, walk.at.shown, () => walk.at.chat.button("Continue from here").click(), summarize);
  },

  async continueFromRow(walk) {
    const rows = (await walk.at.treeRows()).filter((row) => /^(Reply|You)/.test(row) && !/, position/.test(row));
    const row = walk.random.pick(rows.filter((one) => tokensIn(one).length > 0));
    if (row === undefined) return;
    if (walk.looking) await ACTIONS.backToCurrent(walk);
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

  async compact(walk) {
    const how = walk.random.pick(["palette", "slash"]);
    await compacted(walk, async () => {
      if (how === "slash") return await walk.at.send("/compact", true);
      await walk.at.window.command("Coppice: Compact");
      await walk.at.input("Compact", "");
    });
  },

  async compactBefore(walk) {
    if (walk.looking) await ACTIONS.backToCurrent(walk);
    await walk.at.trees.settled();
    const path = walk.tree.path(walk.at.position);
    const since = path.slice(path.indexOf(walk.tree.compaction(path)) + 1);
    const dropped = walk.dropped(path);
    const turns = users(since).filter((one) => !dropped.includes(one.id));
    const entry = walk.random.pick(turns.slice(1));
    const row = (await walk.at.treeRows()).find(
      (one) => tokensIn(one)[0] === wordOf(entry) && /on the way to the position/.test(one),
    );
    if (row === undefined) return;
    await compacted(
      walk,
      async () => {
        await walk.at.trees.chooseFrom(walk.at.treeRow(row), "Compact Before Here");
        await walk.at.input("Compact Before Here", "");
      },
      (made) => {
        const kept = path.slice(path.findIndex((one) => one.id === made.firstKeptEntryId));
        walk.expect(
          kept.find((one) => one.message !== undefined)?.id === entry.id,
          "the chosen entry to be kept first",
        );
      },
    );
  },

  async undo(walk) {
    const before = walk.before();
    const path = before.path(walk.at.position);
    const compaction = before.compaction(path);
    const spoken = (tree, id) =>
      tree
        .rows(id)
        .filter((one) => one.id !== compaction.id)
        .map(wordOf)
        .join();
    const wanted = spoken(before, walk.at.position);
    if (walk.random.chance(0.5)) await walk.at.send("/undo", true);
    else await walk.at.window.command("Coppice: Undo Compaction");
    const undone = () =>
      walk.tree.entries.length > before.entries.length && walk.tree.undone(walk.tree.position) === compaction.id;
    await walk.until(undone, "the undo to be written");
    await walk.until(
      () => spoken(walk.tree, walk.tree.position) === wanted,
      "all that was said since to be there again",
    );
    await walk.at.window.page.waitForTimeout(150);
    walk.moved();
  },

  async redo(walk) {
    const before = walk.before();
    const id = before.undone(walk.at.position);
    await walk.at.window.command("Coppice: Redo Compaction");
    await walk.until(() => walk.tree.entries.length > before.entries.length, "the redo to be written");
    walk.moved();
    walk.expect(
      walk.tree.path(walk.at.position).some((entry) => entry.id === id),
      "the branch of the compaction",
    );
  },

  async fork(walk) {
    const before = walk.before();
    const entry = walk.random.pick(before.rows(walk.shownId).filter((one) => one.message !== undefined));
    const known = new Set(sessionFiles(walk.editor.home));
    await walk.at.act(entry.id, "Fork");
    const file = await walk.until(() => sessionFiles(walk.editor.home).find((one) => !known.has(one)), "the fork");
    walk.unchanged();
    walk.follow(file);
    walk.bytes = "";
    const words = (tree, id) => tree.rows(id).map(wordOf).join();
    walk.expect(words(walk.tree, walk.tree.position) === words(before, entry.id), "the fork to hold the path");
    walk.expect(walk.openCalls(walk.tree.position) === 0, "the fork to hold the results of its calls");
    // Its name tells it from the session that it came from.
    await walk.at.openChat();
    walk.follow(file);
    walk.sessionName = walk.word("F");
    await walk.at.send(`/name ${walk.sessionName}`, true);
    await walk.until(() => walk.tree.entries.at(-1).name === walk.sessionName, "the name");
    for (const word of walk.said) if (!JSON.stringify(walk.tree.entries).includes(word)) walk.said.delete(word);
    walk.moved();
  },

  async label(walk) {
    const label = walk.word("L");
    const before = walk.before();
    const entry = walk.random.pick(before.rows(walk.shownId).filter((one) => one.message !== undefined));
    await walk.at.act(entry.id, "Label");
    await walk.at.input("Label", label);
    const made = await walk.until(() => walk.tree.entries.find((one) => one.label === label), "the label");
    walk.expect(made.targetId === entry.id, "the label at its entry");
    walk.at.position = walk.tree.position;
  },

  async drop(walk) {
    const before = walk.before();
    const page = await walk.at.inspector();
    const buttons = page.locator("button[data-key^='drop-']");
    await page.getByRole("heading", { name: /^Messages/ }).waitFor();
    if ((await buttons.count()) === 0) return;
    const button = buttons.nth(Math.floor(walk.random.pick([0, 0.3, 0.6, 0.9]) * (await buttons.count())));
    const id = (await button.getAttribute("data-key")).slice("drop-".length);
    await button.press("Enter");
    await walk.at.window.page.getByRole("button", { name: "Leave It Out" }).click();
    await walk.until(() => walk.tree.entries.length > before.entries.length, "it to be left out");
    const made = walk.tree.entries.at(-1);
    walk.expect(made.type === "context_edit" && made.targetId === id && made.replacement === null, "a context edit");
    walk.at.position = walk.tree.position;
  },

  async takeBack(walk) {
    const before = walk.before();
    const page = await walk.at.inspector();
    const button = page.locator("button[data-key^='back-']").first();
    await button.waitFor();
    await button.press("Enter");
    await walk.until(() => walk.tree.entries.length > before.entries.length, "it to be taken back");
    walk.at.position = walk.tree.position;
  },

  async pin(walk) {
    const before = walk.before();
    const page = await walk.at.inspector();
    const button = page.locator("button[data-key^='pin-']").last();
    await button.waitFor();
    const pins = (await button.innerText()) === "Pin";
    await button.press("Enter");
    if (pins) await walk.at.window.page.getByRole("button", { name: "Pin", exact: true }).last().click();
    await walk.until(() => walk.tree.entries.length > before.entries.length, "the pin");
    walk.at.position = walk.tree.position;
  },

  async reload(walk) {
    walk.before();
    await walk.at.window.reload();
    await walk.at.openChat();
    walk.at.chat.followed = walk.file;
    walk.moved();
    await walk.until(async () => (await walk.at.treeRows()).length > 0, "the tree");
    walk.unchanged();
  },

  async secondWindow(walk) {
    walk.before();
    if (walk.windows.length === 1) await walk.openSecond();
    else walk.at = walk.windows.find((window) => window !== walk.at);
    walk.follow(walk.file);
    walk.unchanged();
  },
};
