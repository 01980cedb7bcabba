// The steps of the random walk: those that move, and those that compact, take back, fork, mark, leave out and reload.
import { sessionFiles } from "./session-files.mjs";
import { MOVES, users, wordOf } from "./walk-moves.mjs";
import { tokensIn } from "./walk-oracle.mjs";

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
  ...MOVES,

  async compact(walk) {
    const how = walk.random.pick(["palette", "slash"]);
    await compacted(walk, async () => {
      if (how === "slash") return await walk.at.send("/compact", true);
      await walk.at.window.command("Coppice: Compact");
      await walk.at.input("Compact", "");
    });
  },

  async compactBefore(walk) {
    if (walk.looking) await MOVES.backToCurrent(walk);
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
