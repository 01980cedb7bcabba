// One measurement in a fresh process: case.mjs CASE PATH. Prints one JSON object of milliseconds and bytes.
import {
  closeSync,
  fdatasync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const [name, path] = process.argv.slice(2);
const now = () => performance.now();
const result = {};

/** What loading left behind is collected before the clock starts, for all alike: else it is by chance whose time it takes. */
const collected = (loaded) => {
  globalThis.gc();
  return loaded;
};

const ours = async () => {
  const core = collected(await import("./core.mjs"));
  const options = { fs: core.nodeFileSystem, clock: core.systemClock, ids: core.createIds(core.systemClock) };
  return { ...core, options, open: async () => core.JsonlStorage.open(path, options) };
};
const pac = async () => {
  const { JsonlSessionRepo, prepareCompaction } = await import("pi-agent-core-083");
  const { NodeExecutionEnv } = collected(await import("pi-agent-core-083/node"));
  const env = new NodeExecutionEnv({ cwd: "/" });
  return {
    JsonlSessionRepo,
    prepareCompaction,
    env,
    open: () => new JsonlSessionRepo({ fs: env, sessionsRoot: "/" }).open({ path, id: "", cwd: "/", createdAt: "" }),
  };
};
const SETTINGS = { enabled: true, reserveTokens: 16_384, keepRecentTokens: 20_000 };
const pca = async () => collected(await import("@earendil-works/pi-coding-agent")).SessionManager;

/** Longest time that the event loop was held while `work` ran (ms). */
async function stallOf(work) {
  let worst = 0;
  let last = now();
  let on = true;
  const tick = () => {
    const at = now();
    worst = Math.max(worst, at - last);
    last = at;
    if (on) setImmediate(tick);
  };
  setImmediate(tick);
  await work();
  await new Promise((resolve) => setImmediate(resolve));
  on = false;
  return worst;
}
async function timed(key, work) {
  const from = now();
  const value = await work();
  result[key] = now() - from;
  return value;
}
const rss = () => process.resourceUsage().maxRSS * 1024;
const message = (i) => ({ role: "user", content: `message ${i} ${"x".repeat(1000)}`, timestamp: i });

const buffer = Buffer.alloc(1 << 20);
/** Finds every newline of a file and nothing else. */
function scanNewlines(file) {
  const fd = openSync(file, "r");
  for (let n = readSync(fd, buffer, 0, buffer.length, null); n > 0; n = readSync(fd, buffer, 0, buffer.length, null)) {
    const slice = buffer.subarray(0, n);
    for (let at = slice.indexOf(10); at >= 0; at = slice.indexOf(10, at + 1));
  }
  closeSync(fd);
}

const cases = {
  async scan() {
    await timed("ms", () => scanNewlines(path));
  },
  async lines() {
    const places = JSON.parse(readFileSync(`${path}.lines`, "utf8"));
    await timed("ms", () => {
      const fd = openSync(path, "r");
      for (const [offset, length] of places) {
        const buffer = Buffer.alloc(length);
        readSync(fd, buffer, 0, length, offset);
        JSON.parse(buffer.toString());
      }
      closeSync(fd);
    });
  },
  async "open-pac"() {
    const { open, prepareCompaction } = await pac();
    const base = rss();
    let session;
    result.stall = await stallOf(() =>
      timed("ms", async () => {
        session = await open();
        await session.buildContext();
      }),
    );
    result.peak = rss() - base;
    await timed("branch", () => session.getBranch());
    await timed("prepare", async () => prepareCompaction(await session.getBranch(), SETTINGS));
  },
  async "open-pca"() {
    const SessionManager = await pca();
    const base = rss();
    let manager;
    result.stall = await stallOf(() =>
      timed("ms", () => {
        manager = SessionManager.open(path);
        manager.buildSessionContext();
      }),
    );
    result.peak = rss() - base;
    await timed("tree", () => manager.getTree());
    // Not exported by the package's entry.
    const file = join(
      import.meta.dirname,
      "node_modules/@earendil-works/pi-coding-agent/dist/core/compaction/compaction.js",
    );
    const { prepareCompaction } = await import(pathToFileURL(file));
    await timed("prepare", () => prepareCompaction(manager.getBranch(), SETTINGS));
    const entries = manager.getEntries();
    manager.branch(entries[entries.length >> 1].id);
    await timed("switch", () => manager.buildSessionContext());
  },
  async "open-ours"() {
    const { open, openSession, options, prepareCompaction } = await ours();
    const base = rss();
    let storage;
    let session;
    await timed("ms", async () => {
      storage = await open();
      session = openSession(storage, options);
      return session.buildTailContext();
    });
    const shown = await session.buildTailContext();
    result.stall = await stallOf(() => timed("index", () => session.ready()));
    result.peak = rss() - base;
    result.perEntry = storage.tree.byteSize() / storage.tree.count;
    const { tree } = storage;
    const places = shown.items
      .map(({ entry }) => tree.rowOf(entry.id))
      .map((row) => [tree.offsetOf(row), tree.lengthOf(row)]);
    writeFileSync(`${path}.lines`, JSON.stringify(places));
    await timed("tree", () => {
      tree.childRows(-1);
      for (let row = 0; row < tree.count; row++)
        if (tree.typeOf(row) === "compaction" || tree.parentOf(row) !== row - 1) tree.parentOf(row);
    });
    // The references have built the context by now as well.
    await session.buildContext();
    await timed("prepare", async () => {
      const context = await session.buildContext();
      const leafId = session.getLeafId();
      return prepareCompaction({ context, leafId, node: (id) => session.node(id), settings: SETTINGS });
    });
    await timed("path", () => tree.pathRows(tree.rowOf(session.getLeafId())));
    const half = tree.idOf(tree.count >> 1);
    const context = await timed("switch", () => session.buildContext(half));
    await timed("again", () => session.buildContext(half));
    const rows = context.items.map((item) => tree.rowOf(item.entry.id));
    await timed("lines", () => {
      const fd = openSync(path, "r");
      for (const row of rows) {
        const buffer = Buffer.alloc(tree.lengthOf(row));
        readSync(fd, buffer, 0, buffer.length, tree.offsetOf(row));
        JSON.parse(buffer.toString());
      }
      closeSync(fd);
    });
  },
  async "recall-ours"() {
    const { open, openSession, options, SessionSearch } = await ours();
    const session = openSession(await open(), options);
    const search = new SessionSearch(session);
    await timed("index", () => search.prepare());
    const asked = { branches: "all", except: new Set(), limit: 5, signal: new AbortController().signal };
    // The first answer waits for words of the disk's: the index is warm from the second on.
    await search.search("compaction window", asked);
    await timed("ms", () => search.search("branch summary because reading", asked));
  },
  async "whole-ours"() {
    const { open, openSession, options } = await ours();
    await timed("ms", async () => {
      const session = openSession(await open(), options);
      return session.buildContext();
    });
  },
  async "append-ours"() {
    const { JsonlSessionRepo, options } = await ours();
    const repo = new JsonlSessionRepo({ ...options, root: path, trash: async () => {} });
    const session = repo.create({ cwd: "/bench" });
    await session.appendMessage(message(0));
    await timed("ms", async () => {
      for (let turn = 0; turn < 1000; turn++) {
        await session.appendEntries(
          Array.from({ length: 10 }, (_, i) => ({ type: "message", message: message(turn * 10 + i) })),
        );
      }
    });
    await session.close();
  },
  async "append-pac"() {
    const { JsonlSessionRepo, env } = await pac();
    const session = await new JsonlSessionRepo({ fs: env, sessionsRoot: path }).create({ cwd: "/bench" });
    await session.appendMessage(message(0));
    await timed("ms", async () => {
      for (let i = 0; i < 10_000; i++) await session.appendMessage(message(i));
    });
  },
  async "append-floor"() {
    const file = join(path, "floor.jsonl");
    const fd = openSync(file, "a");
    await timed("ms", async () => {
      for (let turn = 0; turn < 1000; turn++) {
        writeSync(
          fd,
          Array.from(
            { length: 10 },
            (_, i) =>
              `${JSON.stringify({ type: "message", id: "00000000", parentId: "00000000", timestamp: new Date().toISOString(), message: message(i) })}\n`,
          ).join(""),
        );
        // Awaited: a sync that holds the event loop is none that an editor's host may make.
        await new Promise((resolve, reject) => fdatasync(fd, (error) => (error ? reject(error) : resolve())));
      }
    });
    closeSync(fd);
    rmSync(file);
  },
  async "list-stat"() {
    await timed("ms", () => {
      for (const folder of readdirSync(path))
        for (const file of readdirSync(join(path, folder))) statSync(join(path, folder, file));
    });
  },
  async "list-scan"() {
    await timed("ms", () => {
      for (const folder of readdirSync(path))
        for (const file of readdirSync(join(path, folder))) scanNewlines(join(path, folder, file));
    });
  },
  async "list-ours"() {
    const { JsonlSessionRepo, options } = await ours();
    const cataloguePath = `${path}.catalogue.json`;
    rmSync(cataloguePath, { force: true });
    const make = () => new JsonlSessionRepo({ ...options, root: path, cataloguePath, trash: async () => {} });
    await timed("rebuilt", () => make().list({ cwd: "/bench" }));
    const list = await timed("ms", () => make().list({ cwd: "/bench" }));
    result.count = list.length;
  },
  async "list-pac"() {
    const { JsonlSessionRepo, env } = await pac();
    const repo = new JsonlSessionRepo({ fs: env, sessionsRoot: path });
    await timed("ms", () => repo.list({ cwd: "/bench" }));
  },
  async "list-pca"() {
    const SessionManager = await pca();
    await timed("ms", () => SessionManager.list("/bench", join(path, readdirSync(path)[0])));
  },
};

try {
  collected();
  await cases[name]();
} catch (error) {
  result.error = String(error?.message ?? error).slice(0, 120);
}
console.log(JSON.stringify(result));
