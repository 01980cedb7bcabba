// Plays random sessions on ours, Pi 1.6 and pi-agent-core 0.83 and compares position, context, labels and name.
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { JsonlSessionRepo as CoreRepo } from "pi-agent-core-083";
import { NodeExecutionEnv } from "pi-agent-core-083/node";
import {
  createIds,
  estimateContextTokens,
  estimateTokens,
  fileLists,
  JsonlSessionRepo,
  newestCompaction,
  nodeFileSystem,
  prepareCompaction,
  systemClock,
  undoCompaction,
} from "./core.mjs";
import { DEVIATIONS } from "./deviations.mjs";
import { message, numbers, steps } from "./random-session.mjs";

// Not exported by the package's entry.
const packages = join(import.meta.dirname, "node_modules", "@earendil-works", "pi-coding-agent", "dist", "core");
const theirCompaction = await import(pathToFileURL(join(packages, "compaction", "compaction.js")));

const count = Number(process.argv[2] ?? 300);
const firstSeed = Number(process.argv[3] ?? 1);
const root = mkdtempSync(join(tmpdir(), "reference-"));
const sessions = new JsonlSessionRepo({
  fs: nodeFileSystem,
  clock: systemClock,
  ids: createIds(systemClock),
  root: join(root, "ours"),
  trash: async () => {},
});
/** Sessions of the seed that is played: each holds a file open until it is closed. */
const opened = [];
const noted = (session) => {
  opened.push(session);
  return session;
};
const repo = {
  create: (options) => noted(sessions.create(options)),
  open: async (file) => noted(await sessions.open(file)),
  fork: async (source, place) => noted(await sessions.fork(source, place)),
};
const seen = Object.fromEntries(Object.keys(DEVIATIONS).map((key) => [key, 0]));
let comparisons = 0;

const plain = (value) => (value === undefined ? null : JSON.parse(JSON.stringify(value)));
const equal = (actual, expected, what) => {
  comparisons++;
  assert.deepEqual(plain(actual), plain(expected), what);
};
const choose = (ids, pick) => ids[Math.floor(pick * ids.length)];

/** Steps played on ours, undoing compactions, which Pi cannot, among them; an entry to move to is one that is shown. */
async function playOurs(session, list) {
  const places = [];
  for (const { kind, n, pick } of list) {
    const target = choose(places, pick);
    if (kind === "user" || kind === "assistant" || kind === "result")
      places.push(await session.appendMessage(message(kind, n)));
    else if (kind === "thinking") await session.appendThinkingLevelChange(n % 2 ? "high" : "low");
    else if (kind === "model") await session.appendModelChange("q", `n${n}`);
    else if (kind === "compact") {
      const path = session.pathTo(session.getLeafId()).filter((id) => places.includes(id));
      if (path.length > 0)
        places.push(
          await session.appendCompaction({
            summary: `summary ${n}`,
            firstKeptEntryId: choose(path, pick),
            tokensBefore: n,
            details: { readFiles: [`read-${n}.ts`], modifiedFiles: n % 2 ? [`changed-${n}.ts`] : [] },
          }),
        );
    } else if (kind === "undo") {
      const compaction = newestCompaction(session, session.getLeafId());
      if (compaction !== undefined) await undoCompaction(session, compaction);
    } else if (kind === "move") await session.moveTo(pick < 0.05 ? null : target);
    else if (kind === "summary")
      await session.moveTo(target, { fromId: session.getLeafId() ?? "root", summary: `branch ${n}` });
    else if (kind === "label") await session.appendLabel(target, `label ${n}`);
    else if (kind === "unlabel") await session.appendLabel(target, undefined);
    else if (kind === "name") await session.appendSessionName(`name ${n}`);
    else if (kind === "custom") await session.appendCustomEntry("x", { n });
    else if (kind === "customMessage")
      places.push(await session.appendCustomMessageEntry("x", `custom ${n}`, true, { n }));
    else if (kind === "edit") await session.appendContextEdit(target, { content: `edited ${n}` });
    else if (kind === "omit") await session.appendContextEdit(target, null);
  }
  return places;
}

function playPi(pi, list) {
  const places = [];
  for (const { kind, n, pick } of list) {
    const target = choose(places, pick);
    if (kind === "user" || kind === "assistant" || kind === "result") places.push(pi.appendMessage(message(kind, n)));
    else if (kind === "thinking") pi.appendThinkingLevelChange(n % 2 ? "high" : "low");
    else if (kind === "model") pi.appendModelChange("q", `n${n}`);
    else if (kind === "compact") {
      const path = pi
        .getBranch()
        .map((entry) => entry.id)
        .filter((id) => places.includes(id));
      if (path.length > 0) places.push(pi.appendCompaction(`summary ${n}`, choose(path, pick), n));
    } else if (kind === "move") {
      if (pick < 0.05) pi.resetLeaf();
      else pi.branch(target);
    } else if (kind === "summary") pi.branchWithSummary(target, `branch ${n}`);
    else if (kind === "label") pi.appendLabelChange(target, `label ${n}`);
    else if (kind === "unlabel") pi.appendLabelChange(target, undefined);
    else if (kind === "name") pi.appendSessionInfo(`name ${n}`);
    else if (kind === "custom") pi.appendCustomEntry("x", { n });
    else if (kind === "customMessage") places.push(pi.appendCustomMessageEntry("x", `custom ${n}`, true, { n }));
    else if (kind === "edit" || kind === "omit") {
      try {
        pi.appendContextEdit(target, kind === "edit" ? { content: `edited ${n}` } : null);
      } catch {
        // Pi edits only what is in the context at the moment.
      }
    }
  }
  pi.appendMessage(message("user", 9999));
  return places;
}

async function compareWithPi(file, what) {
  const ours = await repo.open(file);
  await ours.ready();
  const pi = SessionManager.open(file);
  equal(ours.getLeafId(), pi.getLeafId(), `${what}: position`);
  const context = await ours.buildContext();
  const theirs = pi.buildSessionContext();
  equal(context.messages, theirs.messages, `${what}: context`);
  equal(context.thinkingLevel, theirs.thinkingLevel, `${what}: thinking level`);
  equal(context.model, theirs.model, `${what}: model`);
  equal(
    (await repo.open(file).then((again) => again.buildTailContext())).messages,
    theirs.messages,
    `${what}: tail context`,
  );
  equal(ours.getName(), pi.getSessionName(), `${what}: name`);
  for (const id of ours.allIds()) {
    equal(ours.getLabel(id), pi.getLabel(id), `${what}: label of ${id}`);
    const entry = await ours.getEntry(id);
    if (entry.type === "message")
      equal((await ours.buildContext(id)).messages, contextAt(pi, id), `${what}: context at ${id}`);
  }
  equal(
    ours.pathTo(ours.getLeafId()),
    pi.getBranch().map((entry) => entry.id),
    `${what}: path`,
  );
  await compareCompaction(ours, pi, context, what);
  return { ours, pi };
}

/** What a compaction would do, for budgets that cut everywhere. */
async function compareCompaction(ours, pi, context, what) {
  for (const message of context.messages)
    equal(estimateTokens(message), theirCompaction.estimateTokens(message), `${what}: tokens of a message`);
  equal(
    estimateContextTokens(context.messages),
    theirCompaction.estimateContextTokens(context.messages),
    `${what}: tokens of the context`,
  );
  const leafId = ours.getLeafId();
  const isCompaction = leafId !== null && ours.node(leafId).type === "compaction";
  for (const keepRecentTokens of [1, 5, 12, 30, 80, 200, 1000]) {
    const settings = { enabled: true, reserveTokens: 16384, keepRecentTokens };
    const theirs = theirCompaction.prepareCompaction(pi.getBranch(), settings);
    const mine = isCompaction
      ? undefined
      : prepareCompaction({ context, leafId, node: (id) => ours.node(id), settings });
    const of = `${what}, keep ${keepRecentTokens}`;
    const left = [...(theirs?.messagesToSummarize ?? []), ...(theirs?.turnPrefixMessages ?? [])];
    if (mine === undefined && left.length > 0 && left.every((message) => message.role === "toolResult")) {
      seen["pi16-leading-results"]++;
      continue;
    }
    if (
      left.length > 0 &&
      left.length === context.messages.filter((message) => message.role !== "compactionSummary").length
    ) {
      seen["pi16-recovery-keeps-nothing"]++;
      continue;
    }
    equal(mine === undefined, theirs === undefined, `${of}: whether there is something to compact`);
    if (mine === undefined || theirs === undefined) continue;
    const visible = new Set(context.items.map((item) => item.entry.id));
    if (theirs.isSplitTurn && !mine.isSplitTurn && !visible.has(theirs.firstKeptEntryId)) {
      seen["pi16-metadata-splits"]++;
      const all = [...theirs.messagesToSummarize, ...theirs.turnPrefixMessages];
      equal(mine.messagesToSummarize, all, `${of}: messages to summarise`);
    } else {
      equal(mine.messagesToSummarize, theirs.messagesToSummarize, `${of}: messages to summarise`);
      equal(mine.turnPrefixMessages, theirs.turnPrefixMessages, `${of}: turn prefix`);
      equal(mine.isSplitTurn, theirs.isSplitTurn, `${of}: split`);
    }
    equal(mine.previousSummary, theirs.previousSummary, `${of}: previous summary`);
    equal(mine.tokensBefore, theirs.tokensBefore, `${of}: tokens before`);
    const modified = new Set([...theirs.fileOps.edited, ...theirs.fileOps.written]);
    const read = [...theirs.fileOps.read].filter((path) => !modified.has(path)).sort();
    equal(fileLists(mine.fileOps), { readFiles: read, modifiedFiles: [...modified].sort() }, `${of}: files`);
    if (mine.firstKeptEntryId === theirs.firstKeptEntryId) continue;
    // Either may begin at settings and labels right before the first kept message.
    seen["kept-metadata"]++;
    const path = ours.pathTo(leafId);
    const firstVisible = (id) =>
      path.slice(path.indexOf(id)).find((at) => visible.has(at) && ours.node(at).type !== "compaction");
    equal(firstVisible(mine.firstKeptEntryId), firstVisible(theirs.firstKeptEntryId), `${of}: first kept message`);
  }
}
function contextAt(pi, id) {
  const before = pi.getLeafId();
  pi.branch(id);
  const { messages } = pi.buildSessionContext();
  if (before === null) pi.resetLeaf();
  else pi.branch(before);
  return messages;
}

async function compareWithCore(file, what) {
  const core = await coreRepo.open({ path: file, id: "", cwd: root, createdAt: "" });
  const ours = await repo.open(file);
  await ours.ready();
  equal(ours.getLeafId(), await core.getLeafId(), `${what}: position (0.83)`);
  const branch = await ours.getBranch();
  const context = await ours.buildContext();
  const theirs = await core.buildContext();
  const compactions = branch.filter((entry) => entry.type === "compaction");
  if (branch.some((entry) => entry.type === "context_edit")) seen["core83-unknown-entries"]++;
  else if (compactions.length > 1 && olderInKeptRange(branch, compactions)) seen["core83-older-compaction"]++;
  else equal(context.messages, theirs.messages, `${what}: context (0.83)`);
  if (compactions.length > 0 && context.thinkingLevel !== theirs.thinkingLevel)
    seen["core83-state-before-compaction"]++;
  else equal(context.thinkingLevel, theirs.thinkingLevel, `${what}: thinking level (0.83)`);
}

function olderInKeptRange(branch, compactions) {
  const kept = branch.findIndex((entry) => entry.id === compactions.at(-1).firstKeptEntryId);
  return kept >= 0 && kept <= branch.indexOf(compactions.at(-2));
}

const env = new NodeExecutionEnv({ cwd: root });
const coreRepo = new CoreRepo({ fs: env, sessionsRoot: join(root, "core") });

try {
  for (let seed = firstSeed; seed < firstSeed + count; seed++) {
    const random = numbers(seed);
    // Every second seed without what 0.83 does not know, so that it is compared as well.
    const all = steps(random, 5 + Math.floor(random() * 60));
    const list = seed % 2 === 0 ? all : all.filter(({ kind }) => kind !== "edit" && kind !== "omit");
    const session = repo.create({ cwd: join(root, "work") });
    await playOurs(session, list);
    await session.close();
    const what = `seed ${seed}, written by ours`;
    await compareWithCore(session.file, what);
    const { pi } = await compareWithPi(session.file, what);
    pi.appendMessage(message("user", 10_000));
    pi.appendMessage(message("assistant", 10_001));
    await compareWithPi(session.file, `seed ${seed}, continued by Pi`);

    const ids = [...(await ready(session.file)).allIds()];
    const source = await ready(session.file);
    const at = choose(
      ids.filter((id) => source.node(id).type === "message"),
      random(),
    );
    const fork = await repo.fork(source, { kind: "at", entryId: at });
    await compareWithPi(fork.file, `seed ${seed}, forked by ours`);
    const forked = SessionManager.open(session.file, join(root, "forks"));
    const piFork = forked.createBranchedSession(at);
    // Pi writes no fork without a message of the person or the model.
    if (existsSync(piFork)) {
      const theirs = SessionManager.open(piFork);
      equal((await fork.buildContext()).messages, theirs.buildSessionContext().messages, `seed ${seed}, forks agree`);
    }

    const manager = SessionManager.create(join(root, "work"), join(root, "pi"));
    playPi(manager, list);
    await compareWithPi(manager.getSessionFile(), `seed ${seed}, written by Pi`);
    const continued = await repo.open(manager.getSessionFile());
    const places = [...continued.allIds()].length;
    await playOurs(continued, steps(random, 12));
    assert.ok(continued.size() > places);
    await continued.close();
    await compareWithPi(manager.getSessionFile(), `seed ${seed}, continued by ours`);
    for (const done of opened.splice(0)) await done.close();
  }
  console.log(`${count} seeds, ${comparisons} comparisons, all equal but for the listed deviations:`);
  for (const [key, times] of Object.entries(seen))
    if (times > 0) console.log(`  ${key} (${times}): ${DEVIATIONS[key]}`);
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function ready(file) {
  const session = await repo.open(file);
  await session.ready();
  return session;
}
