// The goals of what is seen, in a real VS Code with a session of many entries: first paint, another branch, one append,
// appends without a pause. Alone: node test/bench/editor.mjs [--quick]
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { EditorPage, launchBrowser } from "../editor/browser.mjs";
import { Chat } from "../editor/chat-page.mjs";
import { buildPackage } from "../editor/prepare.mjs";
import { startEditor } from "../editor/server.mjs";
import { askedIn, settingsFor, stepOf } from "../editor/wires.mjs";
import { loadModelServer } from "../support/model-server-main.mjs";
import { generateEditorSession } from "./editor-session.mjs";

const TREE_ROW = ".pane-body .monaco-list-row[role=treeitem]";
const STEPS = 30;

/** Short answers; asked for many steps, as many calls of a tool with a word before every third. */
function script(request) {
  const step = stepOf(request);
  if (!askedIn(request).includes("Many steps") || step >= STEPS)
    return { parts: [{ text: `Answer ${request.index}.` }] };
  const call = { call: { name: "ls", arguments: { path: "." } } };
  return { parts: step % 3 === 0 ? [{ text: `Step ${step}.` }, call] : [call] };
}

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];

/** Waits frame by frame for the time (epoch ms) that `seen` returns in a page once it sees what it waits for. */
async function seenAt(frame, seen, argument) {
  const handle = await frame.waitForFunction(seen, argument, { polling: "raf", timeout: 30_000 });
  return await handle.jsonValue();
}

/** Remembers when the pointer or a key went down last, in the page itself. */
const watchInput = (frame) =>
  frame.evaluate(() => {
    const note = () => {
      globalThis.inputAt = Date.now();
    };
    for (const name of ["mousedown", "keydown"]) document.addEventListener(name, note, true);
  });
const inputAt = (frame) => frame.evaluate(() => globalThis.inputAt);

/** What the extension's log says at trace level. */
function logOf(editor) {
  const logs = join(editor.folders.user, "logs");
  const name = readdirSync(logs, { recursive: true }).find((one) => one.endsWith("Coppice.log"));
  return name === undefined ? [] : readFileSync(join(logs, name), "utf8").split("\n");
}
const timeOf = (line) => Date.parse(line.slice(0, 23).replace(" ", "T"));

/** CPU time of the extension host's main thread, ns; undefined where the system does not tell. */
function hostTime(editor) {
  try {
    for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
      const command = readFileSync(`/proc/${pid}/cmdline`, "utf8");
      if (!command.includes("--type=extensionHost")) continue;
      if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(`HOME=${editor.home}`)) continue;
      return Number(readFileSync(`/proc/${pid}/task/${pid}/schedstat`, "utf8").split(" ")[0]);
    }
  } catch {
    // Not this kind of system, or the process ended while it was looked at.
  }
  return undefined;
}

/** Everything that can be measured, as plain numbers (ms unless named otherwise). */
export async function measureEditor({ quick = false, log = () => {} } = {}) {
  const entries = quick ? 2000 : 20_000;
  const vsix = buildPackage();
  const workspace = mkdtempSync(join(tmpdir(), "coppice-bench-workspace-"));
  const home = mkdtempSync(join(tmpdir(), "coppice-bench-home-"));
  const file = join(
    ...[home, ".coppice", "sessions", `--${workspace.slice(1).replaceAll("/", "-")}--`],
    "2026-01-01T08-00-00-000Z_01900000-0000-7000-8000-000000000001.jsonl",
  );
  const made = generateEditorSession(file, entries, { cwd: workspace });
  const browser = await launchBrowser(log);
  const server = await (await loadModelServer()).startModelServer({ script });
  const settings = settingsFor("openai-completions", server.url, { model: { contextWindow: 1_000_000 } });
  const editor = await startEditor({ vsix, workspace, home, settings, log });
  const payload = encodeURIComponent(JSON.stringify([["logLevel", "coppice.coppice=trace"]]));
  try {
    const window = await EditorPage.open(browser, `${editor.origin}/?folder=${workspace}&payload=${payload}`);
    const { page } = window;
    await window.command("Coppice: Focus on Session Tree View");
    const chat = await window.openChat();
    await Promise.all([watchInput(page), watchInput(chat)]);
    const figures = { entries: made.entries };
    log("opening …");
    Object.assign(figures, await firstPaint(window, chat));
    log("other branches …");
    Object.assign(figures, await otherBranch(window, chat, made.turns));
    log("appends …");
    const talk = new Chat(chat, home);
    talk.followed = file;
    const rounds = quick ? 3 : 6;
    Object.assign(figures, await joined(window, editor, file, made.leaf, rounds));
    Object.assign(figures, await appends(editor, talk, rounds));
    Object.assign(figures, await arrows(talk));
    log("a run …");
    Object.assign(figures, await streamed(editor, talk));
    return figures;
  } finally {
    await browser.close();
    await editor.stop();
    await server.close();
    for (const folder of [workspace, home]) rmSync(folder, { recursive: true, force: true });
  }
}

async function firstPaint(window, chat) {
  const { page } = window;
  await window.command("Coppice: Open Session…");
  await window.quickInput("Open Session");
  await page.locator(".quick-input-widget:visible .monaco-list-row").first().waitFor();
  const inChat = seenAt(chat, () => document.querySelectorAll("article").length > 1 && Date.now());
  const inTree = seenAt(
    page,
    (row) =>
      [...document.querySelectorAll(row)].some((one) => /^(You|Reply|Tools): /.test(one.ariaLabel)) && Date.now(),
    TREE_ROW,
  );
  const atPosition = seenAt(
    page,
    (row) => [...document.querySelectorAll(row)].some((one) => /, position/.test(one.ariaLabel)) && Date.now(),
    TREE_ROW,
  );
  await page.keyboard.press("Enter");
  const [chatAt, treeAt, positionAt] = await Promise.all([inChat, inTree, atPosition]);
  const from = await inputAt(page);
  await sleep(1500);
  return { chatPaint: chatAt - from, treePaint: treeAt - from, treePosition: positionAt - from };
}

/** Clicks rows of the tree and waits for the message in the chat, and for the row to say that it is shown. */
async function otherBranch(window, chat, turns) {
  const { page } = window;
  const shown = [];
  const marked = [];
  for (let round = 0; round < 8; round++) {
    const rows = page.locator(TREE_ROW).filter({ has: page.locator(".monaco-tl-contents:has-text('Turn ')") });
    const labels = await rows.evaluateAll((all) => all.map((one) => one.ariaLabel ?? ""));
    // The rows in turn, so that each click shows another branch than the one before.
    const at = round % 2 === 0 ? labels.length - 2 - (round >> 1) : round >> 1;
    const turn = /Turn \d+:/.exec(labels[at] ?? "")?.[0];
    if (turn === undefined) continue;
    const inChat = seenAt(
      chat,
      (text) => [...document.querySelectorAll("article")].at(-1)?.textContent.includes(text) && Date.now(),
      turn,
    );
    const inTree = seenAt(
      page,
      ([row, text]) =>
        [...document.querySelectorAll(row)].some(
          (one) =>
            one.ariaLabel?.includes(text) && one.ariaLabel.includes("shown in the chat") && one.ariaSelected === "true",
        ) && Date.now(),
      [TREE_ROW, turn],
    );
    await rows.nth(at).click();
    const from = await inputAt(page);
    shown.push((await inChat) - from);
    marked.push((await inTree) - from);
    await sleep(700);
  }
  const far = await farEntry(window, turns);
  await chat.getByRole("button", { name: "Back to current", exact: true }).click();
  await sleep(1000);
  return { shown: median(shown), marked: median(marked), far };
}

/** Goes to an entry of another page by the quick pick and waits for its row to be the selected one. */
async function farEntry(window, turns) {
  const { page } = window;
  const times = [];
  for (const share of [0.86, 0.95, 0.88]) {
    const text = `Turn ${Math.floor(turns * share)}:`;
    await window.command("Coppice: Go to Entry…");
    await (await window.quickInput("Go to Entry")).fill(text);
    await window.pick(text).waitFor();
    const seen = seenAt(
      page,
      ([row, said]) =>
        [...document.querySelectorAll(row)].some(
          (one) => one.ariaLabel?.includes(said) && one.ariaSelected === "true",
        ) && Date.now(),
      [TREE_ROW, text],
    );
    await page.keyboard.press("Enter");
    times.push((await seen) - (await inputAt(page)));
    await sleep(800);
  }
  return median(times);
}

/** Lines of the tree in the log since `from` lines. */
const treeLines = (editor, from = 0) =>
  logOf(editor)
    .filter((line) => line.includes("tree: "))
    .slice(from);

/** What was asked of the tree: calls for children, and the ms of the extension's own work in them. */
function askedOf(lines) {
  return {
    calls: lines.filter((line) => line.includes(" rows of ")).length,
    ms: lines.reduce((sum, line) => sum + Number(/ in ([\d.]+) ms/.exec(line)?.[1] ?? 0), 0),
  };
}

/** Entries that another program writes: the time of the whole extension host for each, file and chat included. */
async function joined(window, editor, file, leaf, rounds) {
  let parentId = leaf;
  let count = 0;
  const measure = async () => {
    const times = [];
    for (let round = 0; round <= rounds; round++) {
      const id = `ab${(++count).toString(16).padStart(6, "0")}`;
      const message = { role: "user", content: `From elsewhere ${count}`, timestamp: Date.now() };
      const line = { type: "message", id, parentId, timestamp: new Date().toISOString(), message };
      const before = hostTime(editor);
      appendFileSync(file, `${JSON.stringify(line)}\n`);
      parentId = id;
      await sleep(1200);
      const after = hostTime(editor);
      if (round > 0 && before !== undefined) times.push((after - before) / 1e6);
    }
    return times.length === 0 ? undefined : median(times);
  };
  const known = treeLines(editor).length;
  const shown = await measure();
  const lines = treeLines(editor, known);
  // The same with the tree out of sight: the difference is what the tree costs, the editor's own part included.
  await window.command("View: Toggle Primary Side Bar Visibility");
  await sleep(500);
  const hidden = await measure();
  await window.command("View: Toggle Primary Side Bar Visibility");
  await sleep(1500);
  return { joined: shown, joinedHidden: hidden, joinedWork: askedOf(lines).ms / (rounds + 1) };
}

/** Prompts with one answer each: two entries at the position. */
async function appends(editor, chat, rounds) {
  const calls = [];
  const work = [];
  for (let round = 0; round <= rounds; round++) {
    const known = treeLines(editor).length;
    await chat.send(`Short question ${round}`);
    await chat.answered(`Short question ${round}`);
    await sleep(900);
    const asked = askedOf(treeLines(editor, known));
    if (round === 0) continue;
    calls.push(asked.calls / 2);
    work.push(asked.ms / 2);
  }
  return { calls: Math.max(...calls), work: median(work) };
}

/** A run of many steps: how often the tree was drawn again in any second of it. */
async function streamed(editor, chat) {
  const known = treeLines(editor).length;
  await chat.send("Many steps");
  await chat.answered("Many steps");
  await sleep(1200);
  const lines = treeLines(editor, known);
  const times = lines.filter((line) => line.includes("drawn again")).map(timeOf);
  const perSecond = Math.max(...times.map((from) => times.filter((at) => at >= from && at < from + 1000).length));
  return { perSecond, steps: STEPS, ...{ streamWork: askedOf(lines).ms / (2 * STEPS) } };
}

/** The arrows between branches in the chat, there and back. */
async function arrows(chat) {
  const times = [];
  for (let round = 0; round < 4; round++) {
    const name = round % 2 === 0 ? "Previous branch" : "Next branch";
    const wanted = round % 2 === 0 ? "From elsewhere" : "Short question";
    const seen = seenAt(
      chat.frame,
      (text) => [...document.querySelectorAll("article")].some((one) => one.textContent.includes(text)) && Date.now(),
      wanted,
    );
    await chat.button(name).last().click();
    times.push((await seen) - (await inputAt(chat.frame)));
    await sleep(500);
  }
  return { arrows: median(times) };
}

/** Adds the rows of the goals table: name, figure, what is wanted (none at a smaller session), our ms. */
export async function editorGoals(goal, { quick = false } = {}) {
  const found = await measureEditor({ quick });
  const at = `editor, ${found.entries.toLocaleString("en")} entries`;
  const wanted = (text) => (quick ? "" : text);
  goal(`14 ${at}: first paint of the chat (ms)`, found.chatPaint, wanted("≤1000"));
  goal(`14 ${at}: first paint of the tree (ms)`, found.treePaint, wanted("≤1000"));
  goal(`14 ${at}: the position in sight in the tree (ms)`, found.treePosition, "");
  goal(`15 ${at}: a click in the tree to the branch in the chat (ms)`, found.shown, wanted("≤100"));
  goal(`15 ${at}: the same to the row that says so (ms)`, found.marked, "");
  goal(`15 ${at}: an arrow in the chat to the branch (ms)`, found.arrows, wanted("≤100"));
  goal(`15 ${at}: Go to Entry to its row on another page (ms)`, found.far, "");
  goal(`16 ${at}: parents asked again for an entry`, found.calls, wanted("≤1"));
  goal(`16 ${at}: our time for an entry (ms)`, found.work, "≤5");
  goal(`16 ${at}: most refreshes in a second of a run`, found.perSecond, "≤2");
  if (found.joined === undefined) return;
  const cost = found.joined - found.joinedHidden;
  goal(`16 ${at}: host time for another program's entry, the editor's part included (ms)`, cost, "");
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  console.log(await measureEditor({ quick: process.argv.includes("--quick"), log: console.log }));
}
