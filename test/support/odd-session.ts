// Random session files of odd lines, and the promise that growing in pieces ends where opening the whole ends.
import { isDeepStrictEqual } from "node:util";
import { SessionError } from "../../src/core/errors.ts";
import { BranchOutline } from "../../src/core/session/branch-outline.ts";
import { buildContext } from "../../src/core/session/context.ts";
import type { NewEntry } from "../../src/core/session/entries.ts";
import { JsonlStorage } from "../../src/core/session/jsonl-storage.ts";
import type { Session } from "../../src/core/session/session.ts";
import { openSession } from "../../src/core/session/stored-session.ts";
import { TREE_FILTERS } from "../../src/core/session/tree-filter.ts";
import { MemoryFileSystem } from "./memory-file-system.ts";
import { countingClock, countingIds } from "./session-builder.ts";
import { FILE, HEADER } from "./session-files.ts";

/** Numbers in [0, 1). */
export type Random = () => number;

export function numbersFrom(seed: number): Random {
  let state = (seed * 2654435761) >>> 0;
  return () => {
    state = (state + 0x9e3779b9) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 16), 0x21f0aaad);
    mixed = Math.imul(mixed ^ (mixed >>> 15), 0x735a2d97);
    return ((mixed ^ (mixed >>> 15)) >>> 0) / 2 ** 32;
  };
}

const below = (random: Random, limit: number) => Math.floor(random() * limit);
const choose = <T>(random: Random, list: readonly T[]): T => list[below(random, list.length)]!;

/** Ids that entries of a file have, name, or have twice. */
const IDS = [..."0123456789abcdef"].map((digit) => digit.repeat(8)).concat("first", 'q"uote', "__proto__", "é");

function entryLine(random: Random, ids: string[]): string {
  const known = () => (ids.length > 0 ? choose(random, ids) : "missing");
  const isAgain = random() < 0.08;
  const id = isAgain ? known() : choose(random, IDS) + (random() < 0.5 ? "" : String(below(random, 50)));
  const chance = random();
  let parentId: string | null = ids.at(-1) ?? null;
  if (chance < 0.12) parentId = known();
  else if (chance < 0.16) parentId = null;
  else if (chance < 0.28) parentId = choose(random, IDS);
  else if (chance < 0.3) parentId = id;
  else if (chance < 0.33) parentId = "missing";
  ids.push(id);
  const base = (type: string, more: object) =>
    JSON.stringify({ type, id, parentId, timestamp: "2026-01-01T00:00:00.000Z", ...more });
  const text = choose(random, ["hi", "", "ü€", "\u0000", "\ud800", "x".repeat(below(random, 700))]);
  switch (below(random, 14)) {
    case 0:
      return base("label", { targetId: known(), label: choose(random, ["one", "two", ""]) });
    case 1:
      return base("leaf", { targetId: random() < 0.2 ? null : choose(random, [known(), "missing"]) });
    case 2:
      return base("session_info", { name: choose(random, ["a name", "another", ""]) });
    case 3:
      return base("compaction", { summary: `s${ids.length}`, firstKeptEntryId: known(), tokensBefore: 1 });
    case 4:
      return base("context_edit", { targetId: known(), replacement: random() < 0.5 ? null : { content: "edited" } });
    case 5:
      return base("custom", { customType: choose(random, ["coppice.position", "other"]) });
    case 6:
      return base("model_change", { provider: "p", modelId: `m${ids.length}` });
    case 7:
      return base("thinking_level_change", { thinkingLevel: random() < 0.8 ? "high" : 3 });
    case 8:
      return base("branch_summary", { fromId: "root", summary: `b${ids.length}` });
    case 9:
    case 10: {
      const content = [{ type: "text", text }];
      return base("message", {
        message: { role: "assistant", content, provider: "p", model: "m", stopReason: "stop" },
      });
    }
    default:
      return base("message", { message: { role: "user", content: text, timestamp: 1 } });
  }
}

function oddLine(random: Random, ids: string[]): Buffer {
  const line = entryLine(random, ids);
  const cutAt = below(random, line.length);
  const at = below(random, 20);
  switch (random() < 0.35 ? at : -1) {
    case 0:
    case 1:
      return Buffer.from("%%% no line");
    case 2:
    case 3:
      return Buffer.from(line.slice(0, cutAt));
    case 4:
      return Buffer.from(`${line.slice(0, cutAt)}${entryLine(random, ids)}`);
    case 5:
      return Buffer.from("\0".repeat(1 + below(random, 40)) + (random() < 0.5 ? line : ""));
    case 6:
      return Buffer.from(`${line.slice(0, -1)}\u0001}`);
    case 7:
      return Buffer.from(HEADER);
    case 8:
      return Buffer.from(random() < 0.5 ? "" : "  ");
    case 9:
      return Buffer.from(`${line}\r`);
    case 10:
      return Buffer.from(`\ufeff${line}`);
    case 11:
      return Buffer.from(line + line);
    case 12: {
      const bytes = Buffer.from(line);
      bytes[below(random, bytes.length)] = choose(random, [0xff, 0xc3, 0, 0x80]);
      return bytes;
    }
    case 13:
      return Buffer.from(line.replace("{", '{"extra":1,'));
    default:
      return Buffer.from(line);
  }
}

/** A header and lines of all kinds of damage, the end of the last one perhaps cut off. */
export function oddSession(random: Random): { head: Buffer; rest: Buffer } {
  const ids: string[] = [];
  const newline = Buffer.from("\n");
  const parts: Buffer[] = [];
  for (let n = 2 + below(random, 30); n > 0; n--) parts.push(oddLine(random, ids), newline);
  if (random() < 0.3) parts.pop();
  const rest = Buffer.concat(parts);
  // Without a header the first entry must be whole: else it is no session file.
  const isLost = random() < 0.08;
  const head = isLost ? `%%%\n${JSON.stringify({ type: "session_info", id: "r", parentId: null })}\n` : `${HEADER}\n`;
  return { head: Buffer.from(head), rest };
}

interface World {
  fs: MemoryFileSystem;
  storage: JsonlStorage;
  session: Session;
}

async function openAt(fs: MemoryFileSystem, verify: boolean): Promise<World> {
  const options = { fs, clock: countingClock(), ids: countingIds() };
  const storage = await JsonlStorage.open(FILE, { ...options, verify });
  const session = openSession(storage, options);
  await session.ready();
  return { fs, storage, session };
}

function same(what: string, mine: unknown, wanted: unknown): void {
  if (isDeepStrictEqual(mine, wanted)) return;
  throw new Error(`${what}: ${JSON.stringify(mine)} instead of ${JSON.stringify(wanted)}`);
}

const rowsOf = (outline: BranchOutline) => {
  const runs = new Map<string | null, unknown>();
  const heads: (string | null)[] = [null];
  for (let head = heads.pop(); head !== undefined; head = heads.pop()) {
    const rows = outline.run(head);
    runs.set(
      head,
      rows.map((row) => ({ ...row })),
    );
    for (const row of rows) if (row.head) heads.push(row.id);
  }
  return runs;
};

/** What a session says of its file. */
async function told({ session, storage }: World, reported: boolean): Promise<Map<string, unknown>> {
  const ids = [...session.allIds()];
  const all = new Map<string, unknown>([
    ["ids", ids],
    ["position", storage.position()],
    ["name", session.getName()],
    ["labels", [...session.labels()].sort()],
    ["roots", session.childrenOf(null)],
  ]);
  if (reported) {
    const lines = session.badLines().map(({ line, reason }) => `${line}: ${reason}`);
    all.set("bad lines", lines.sort());
  }
  for (const id of ids) {
    all.set(`node ${id}`, session.node(id));
    all.set(`children of ${id}`, session.childrenOf(id));
    all.set(`path to ${id}`, session.pathTo(id));
    all.set(`context of ${id}`, await session.buildContext(id));
    all.set(`line of ${id}`, await session.getRawLine(id));
  }
  return all;
}

/** Every line is looked at, so that what only reading finds out is known. */
const readAll = async ({ session }: World) => void (await session.getEntries([...session.allIds()]));

export async function mustEndAlike(grown: World, fs: MemoryFileSystem, verify: boolean): Promise<void> {
  const fresh = await openAt(fs, verify);
  await readAll(grown);
  await readAll(fresh);
  const wanted = await told(fresh, verify);
  const mine = await told(grown, verify);
  for (const [what, value] of wanted) same(what, mine.get(what), value);
  same("what is told", [...mine.keys()], [...wanted.keys()]);
  for (const id of fresh.session.allIds()) {
    const whole = buildContext(await fresh.session.getBranch(id));
    same(`context of ${id} from its whole branch`, await fresh.session.buildContext(id), whole);
  }
  await fresh.session.close();
}

/**
 * Grows an odd file in pieces before the eyes of a session, which may write in between, and compares it with one that opens
 * the finished file. Throws where they differ.
 */
export async function checkGrowth(random: Random): Promise<void> {
  const { head, rest } = oddSession(random);
  const verify = random() < 0.5;
  const writes = random() < 0.3;
  const fs = new MemoryFileSystem();
  const first = below(random, rest.length);
  fs.write(FILE, Buffer.concat([head, rest.subarray(0, first)]));
  const world = await openAt(fs, verify);
  const { session } = world;
  const outlines = TREE_FILTERS.map((filter) => new BranchOutline(session, filter));
  let appended: string[] = [];
  session.onDidChange((change) => {
    appended.push(...change.appended);
  });
  let at = first;
  const grow = () => {
    const to = Math.min(rest.length, at + 1 + below(random, random() < 0.2 ? 8 : 600));
    fs.appendForeign(FILE, rest.subarray(at, to));
    at = to;
  };
  /** Another one writes, or the disk takes a part only, at any call of an append. */
  const disturb: MemoryFileSystem["fault"] = (operation) => {
    if (at < rest.length && random() < 0.1) grow();
    return operation === "append" && random() < 0.1 ? { take: below(random, 200) } : undefined;
  };
  const saved: string[] = [];
  let isLeft = false;
  const write = async (entries: NewEntry[], isDisturbed: boolean) => {
    if (isDisturbed) fs.fault = disturb;
    try {
      saved.push(...(await session.appendEntries(entries)));
    } catch (error) {
      if (!(error instanceof SessionError && error.code === "storage" && isDisturbed)) throw error;
      isLeft = true;
    } finally {
      fs.fault = () => undefined;
    }
  };
  const mine: NewEntry = { type: "message", message: { role: "user", content: "mine", timestamp: 2 } };
  while (at < rest.length) {
    grow();
    if (random() < 0.7) await session.refresh();
    const ids = [...session.allIds()];
    if (random() < 0.5 && ids.length > 0) await session.buildContext(choose(random, ids));
    if (random() < 0.3) await readAll(world);
    if (writes && random() < 0.3 && session.readOnlyReason === undefined) {
      await write(
        [mine, { type: "session_info", name: "mine" }, mine].slice(below(random, 3)) as NewEntry[],
        random() < 0.7,
      );
      if (random() < 0.3 && ids.length > 0) {
        await session.appendLabel(choose(random, ids), "mine").catch((error) => {
          // An entry behind a torn one that nothing continued is shown only while it is the last.
          if (error.code !== "not_found") throw error;
        });
      }
    }
    if (random() < 0.5) {
      for (const outline of outlines) {
        if (random() < 0.5) outline.update(appended);
        else await outline.grow(appended);
        const anew = new BranchOutline(session, outline.filter);
        same(`outline ${outline.filter}`, rowsOf(outline), rowsOf(anew));
        same(`position of ${outline.filter}`, outline.positionId, anew.positionId);
      }
      appended = [];
    }
  }
  // What is left of an append that failed joins with the next one.
  if (isLeft) await write([mine], false);
  await session.refresh();
  for (const id of saved) same(`${id}, which was saved`, session.node(id)?.id, id);
  await mustEndAlike(world, fs, verify);
  await session.close();
}
