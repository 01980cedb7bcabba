import { describe, expect, it } from "vitest";
import type { NewEntry } from "../../../src/core/session/entries.ts";
import { JsonlStorage } from "../../../src/core/session/jsonl-storage.ts";
import type { Session } from "../../../src/core/session/session.ts";
import { openSession } from "../../../src/core/session/stored-session.ts";
import { type Fault, MemoryFileSystem, type Operation, systemError } from "../../support/memory-file-system.ts";
import { assistant, user } from "../../support/session-builder.ts";
import { CWD, contextTexts, FILE, file, HEADER, openText, testRepo, userLine } from "../../support/session-files.ts";

const turn: NewEntry[] = [
  { type: "message", message: user("question é") },
  { type: "message", message: assistant("answer 🌳") },
];

async function idsIn(fs: MemoryFileSystem, path: string): Promise<string[]> {
  const { repo } = testRepo(fs);
  const session = await repo.open(path);
  await session.ready();
  return [...session.allIds()];
}

describe("a crash in the middle of an append", () => {
  const tails = {
    cut: (bytes: Uint8Array, at: number) => bytes.slice(0, at),
    zeros: (bytes: Uint8Array, at: number) => bytes.map((byte, i) => (i < at ? byte : 0)),
    garbage: (bytes: Uint8Array, at: number) => bytes.map((byte, i) => (i < at ? byte : (byte * 31 + i * 7) & 0xff)),
  };
  it.each(Object.entries(tails))("loses at no byte more than the lines it tore (%s)", async (name, tear) => {
    const { fs, repo } = testRepo();
    const session = repo.create({ cwd: CWD });
    const first = await session.appendEntries(turn);
    const path = session.file!;
    const before = fs.files.get(path)!.bytes.length;
    const second = await session.appendEntries(turn);
    const whole = fs.files.get(path)!.bytes.slice();
    const ends = [before, ...[...whole.keys()].filter((i) => i >= before && whole[i] === 0x0a)];
    for (let at = before; at <= whole.length; at++) {
      const crashed = new MemoryFileSystem();
      crashed.write(path, tear(whole, at));
      const again = await testRepo(crashed).repo.open(path);
      // A whole line needs its newline only where garbage follows it.
      const needed = name === "garbage" ? 1 : 0;
      const complete = second.filter((_, i) => at >= ends[i + 1]! + needed);
      await again.ready();
      const read = [...again.allIds()].filter((id) => again.node(id)?.type !== "unknown");
      expect(read.slice(0, 2 + complete.length)).toEqual([...first, ...complete]);
      const added = await again.appendMessage(user("after"));
      expect(again.pathTo(added).slice(0, 2)).toEqual(first);
      expect(await idsIn(crashed, path)).toContain(added);
      expect(crashed.files.get(path)!.bytes.slice(0, at)).toEqual(whole.slice(0, at));
    }
  });
});

/** Runs `work` with the n-th call of `operation` failing, for every n, until it no longer comes to that call. */
async function forEveryCall(
  operation: Operation,
  fault: () => Fault,
  run: (fs: MemoryFileSystem, arm: (on: boolean) => void) => Promise<void>,
): Promise<number> {
  for (let n = 0; ; n++) {
    const fs = new MemoryFileSystem();
    let armed = false;
    let count = 0;
    let fired = false;
    fs.fault = (called) => {
      if (!armed || fired || called !== operation || count++ !== n) return undefined;
      fired = true;
      return fault();
    };
    await run(fs, (on) => {
      armed = on;
    });
    if (!fired) return n;
  }
}

const faults: { operation: Operation; name: string; fault: () => Fault; least: number }[] = [
  { operation: "append", name: "no space for any byte", fault: () => systemError("ENOSPC"), least: 1 },
  {
    operation: "append",
    name: "no space after 1 byte",
    fault: () => ({ take: 1, error: systemError("ENOSPC") }),
    least: 1,
  },
  {
    operation: "append",
    name: "no space after a line",
    fault: () => ({ take: 260, error: systemError("ENOSPC") }),
    least: 1,
  },
  {
    operation: "append",
    name: "an I/O error behind the last byte",
    fault: () => ({ take: 1e9, error: systemError("EIO") }),
    least: 1,
  },
  { operation: "append", name: "a short write of nothing", fault: () => ({ take: 0 }), least: 1 },
  { operation: "append", name: "a short write", fault: () => ({ take: 100 }), least: 1 },
  { operation: "append", name: "a short write without the newline", fault: () => ({ take: 1e9 }), least: 1 },
  { operation: "sync", name: "a failed sync", fault: () => systemError("EIO"), least: 1 },
  { operation: "open", name: "a failed open", fault: () => systemError("EMFILE"), least: 1 },
  { operation: "stat", name: "a failed stat", fault: () => systemError("EIO"), least: 2 },
  { operation: "read", name: "a failed read", fault: () => systemError("EIO"), least: 1 },
];

describe.each(faults)("$name, at every call of $operation", ({ operation, fault, least }) => {
  it("never says saved falsely, and the same append can be given again", async () => {
    const tried = await forEveryCall(operation, fault, async (fs, arm) => {
      fs.write(FILE, file(userLine("aaaaaaaa", null, "first")));
      const session = await testRepo(fs).repo.open(FILE);
      await session.ready();
      arm(true);
      let saved: string[] | undefined;
      const before = session.getLeafId();
      try {
        saved = await session.appendEntries(turn);
        arm(false);
        expect(await idsIn(fs, FILE)).toEqual(expect.arrayContaining(saved));
      } catch (error) {
        arm(false);
        expect(error).toMatchObject({ code: "storage" });
        expect(session.getLeafId()).toBe(before);
        expect(session.size()).toBe(1);
        saved = await session.appendEntries(turn);
      }
      const expected = ["first", "question é", "answer 🌳"];
      expect(await contextTexts(session)).toEqual(expected);
      const again = await testRepo(fs).repo.open(FILE);
      expect(await contextTexts(again)).toEqual(expected);
      expect([...again.allIds()].filter((id) => again.node(id)!.type !== "unknown")).toEqual(["aaaaaaaa", ...saved]);
    });
    expect(tried).toBeGreaterThanOrEqual(least);
  });
});

const creationFaults: Operation[] = ["writeFileAtomic", "makeDirectory", "stat", "open", "read"];
describe.each(creationFaults)("a failing %s while the file is made", (operation) => {
  it("leaves the entries in memory as they were, and the same append can be given again", async () => {
    const tried = await forEveryCall(
      operation,
      () => systemError("ENOSPC"),
      async (fs, arm) => {
        const session = testRepo(fs).repo.create({ cwd: CWD });
        await session.appendModelChange("p", "m");
        arm(true);
        try {
          await session.appendEntries(turn);
        } catch {
          arm(false);
          expect(session.size()).toBe(1);
          await session.appendEntries(turn);
        }
        arm(false);
        const again = await testRepo(fs).repo.open(session.file!);
        expect(await contextTexts(again)).toEqual(["question é", "answer 🌳"]);
        expect(again.size()).toBe(3);
        expect((await again.buildContext(again.pathTo(again.getLeafId())[1])).model).toEqual({
          provider: "p",
          modelId: "m",
        });
      },
    );
    expect(tried).toBeGreaterThanOrEqual(1);
  });
});

describe("the file of a session", () => {
  it("appears with the first user message, holding what came before it", async () => {
    const { fs, repo } = testRepo();
    const session = repo.create({ cwd: CWD });
    await session.appendThinkingLevelChange("high");
    await session.appendSessionName("early");
    expect(fs.files.size).toBe(0);
    expect(session.getName()).toBe("early");
    await session.appendMessage(user("a"));
    const again = await repo.open(session.file!);
    expect((await again.buildContext()).thinkingLevel).toBe("high");
    expect(session.file).toMatch(/^\/sessions\/--work-project--\/2026-01-02T03-04-05-\d{3}Z_[0-9a-f-]{36}\.jsonl$/);
  });

  it("is never made over another one", async () => {
    const { fs, repo } = testRepo();
    const session = repo.create({ cwd: CWD });
    fs.write(session.file!, "someone else's\n");
    await expect(session.appendMessage(user("a"))).rejects.toMatchObject({ code: "storage" });
    expect(fs.text(session.file!)).toBe("someone else's\n");
  });

  it("gets one write and one sync for a whole turn", async () => {
    const { session, fs } = await openText(file(userLine("aaaaaaaa", null)));
    await session.ready();
    await session.appendMessage(user("open the writer"));
    fs.calls = [];
    await session.appendEntries(turn);
    const count = (operation: Operation) => fs.calls.filter((call) => call.operation === operation).length;
    expect([count("append"), count("sync"), count("open")]).toEqual([1, 1, 0]);
  });

  it("holds each entry as JSON in one order of keys, copies and odd contents included", async () => {
    const { session, fs } = await openText(file(userLine("aaaaaaaa", null)));
    const copied = (await session.getEntries(["aaaaaaaa"]))[0] as NewEntry;
    const odd = JSON.parse(
      '{"role":"user","content":"\\u2028 \\ud800 é 🌳 \\" }","timestamp":1e21,"__proto__":{"a":1}}',
    );
    const ids = await session.appendEntries([
      { type: "message", message: odd },
      copied,
      { message: odd, type: "message" },
      (before) => ({ type: "label", targetId: before[0]!, label: "first" }),
      { type: "custom", customType: "x", data: { parentId: "inside", list: [undefined, null] } },
      { type: "leaf", targetId: null },
    ]);
    const lines = fs.text(session.file!).trimEnd().split("\n").slice(-ids.length);
    for (const [i, line] of lines.entries()) {
      expect(line).toBe(JSON.stringify(JSON.parse(line)));
      expect(Object.keys(JSON.parse(line)).slice(0, 4)).toEqual(["type", "id", "parentId", "timestamp"]);
      expect(JSON.parse(line).id).toBe(ids[i]);
    }
    expect(JSON.parse(lines[0]!).message).toEqual(odd);
    expect(JSON.parse(lines[3]!).targetId).toBe(ids[0]);
    expect(lines[4]).toContain('"data":{"parentId":"inside","list":[null,null]}');
  });

  it("takes the setting before those whose lines cannot be read", async () => {
    const level = (id: string, parentId: string | null, thinkingLevel: string | null) =>
      JSON.stringify({
        type: "thinking_level_change",
        id,
        parentId,
        timestamp: "2026-01-01T00:00:00.000Z",
        thinkingLevel,
      });
    const { session } = await openText(
      file(
        level("aaaaaaaa", null, "high"),
        level("bbbbbbbb", "aaaaaaaa", null),
        level("cccccccc", "bbbbbbbb", null),
        userLine("dddddddd", "cccccccc"),
      ),
    );
    expect((await session.buildContext()).thinkingLevel).toBe("high");
  });

  it("comes back whole after it was deleted", async () => {
    const { session, fs, repo } = await openText(file(userLine("aaaaaaaa", null, "A")));
    await session.appendMessage(assistant("B"));
    fs.files.delete(FILE);
    await session.appendMessage(user("C"));
    expect(fs.text(FILE).startsWith(HEADER)).toBe(true);
    expect(await contextTexts(await repo.open(FILE))).toEqual(["A", "B", "C"]);
    expect([...fs.files.keys()]).toEqual([FILE]);
  });

  it("does not come back because someone looked", async () => {
    const { session, fs } = await openText(file(userLine("aaaaaaaa", null, "A")));
    fs.files.delete(FILE);
    await session.refresh();
    expect(fs.files.size).toBe(0);
    expect(await contextTexts(session)).toEqual(["A"]);
  });

  it("is indexed the next time where reading failed once", async () => {
    const { session, fs } = await openText(
      file(userLine("aaaaaaaa", null, "A"), userLine("bbbbbbbb", "aaaaaaaa", "B")),
    );
    fs.fault = (operation) => (operation === "read" ? systemError("EIO") : undefined);
    await expect(session.ready()).rejects.toMatchObject({ code: "EIO" });
    fs.fault = () => undefined;
    expect(await contextTexts(session)).toEqual(["A", "B"]);
    expect(session.size()).toBe(2);
  });

  it("is read anew after it was replaced, cut short or edited", async () => {
    const other = file(userLine("11111111", null, "other"));
    const changes: Record<string, (fs: MemoryFileSystem) => void> = {
      replaced: (fs) => fs.replace(FILE, other + userLine("22222222", "11111111", "longer than before ".repeat(20))),
      cut: (fs) => fs.write(FILE, other),
      edited: (fs) => fs.write(FILE, fs.text(FILE).replaceAll("aaaaaaaa", "11111111")),
    };
    for (const change of Object.values(changes)) {
      const { session, fs, repo } = await openText(
        file(userLine("aaaaaaaa", null, "A"), userLine("bbbbbbbb", "aaaaaaaa", "B")),
      );
      await session.ready();
      const heard: boolean[] = [];
      session.onDidChange(({ external }) => heard.push(external));
      change(fs);
      const before = fs.text(FILE);
      const id = await session.appendMessage(user("new"));
      expect(heard).toEqual([true, false]);
      expect(fs.text(FILE).startsWith(before)).toBe(true);
      expect(session.node("11111111")).toBeDefined();
      expect(await contextTexts(await repo.open(FILE))).toEqual(await contextTexts(session));
      expect(session.getLeafId()).toBe(id);
    }
  });
});

describe("a lock, where appends are not atomic", () => {
  async function locked(waitMs: number) {
    const world = testRepo();
    world.fs.write(FILE, file(userLine("aaaaaaaa", null, "A")));
    const lock = { owner: "host 1", staleAfterMs: 1000, waitMs };
    const options = { ...world, lock };
    return { ...world, session: openSession(await JsonlStorage.open(FILE, options), options) };
  }

  it("is held for the write alone", async () => {
    const { session, fs } = await locked(0);
    let held = false;
    fs.fault = (operation, path) => {
      if (operation === "append" && path === FILE) held = fs.files.has(`${FILE}.lock`);
      return undefined;
    };
    await session.appendMessage(user("B"));
    expect(held).toBe(true);
    expect([...fs.files.keys()]).toEqual([FILE]);
  });

  it("of another that lives makes the append fail, and one left behind is taken away", async () => {
    const { session, fs, clock } = await locked(0);
    fs.write(`${FILE}.lock`, "{}");
    fs.files.get(`${FILE}.lock`)!.mtimeMs = clock.now();
    await expect(session.appendMessage(user("B"))).rejects.toMatchObject({ code: "storage" });
    fs.files.get(`${FILE}.lock`)!.mtimeMs = clock.now() - 5000;
    await session.appendMessage(user("C"));
    expect(await contextTexts(session)).toEqual(["A", "C"]);
  });
});

describe("two writers of one file", () => {
  async function pair(): Promise<{ fs: MemoryFileSystem; a: Session; b: Session }> {
    const { fs, repo, session: a } = await openText(file(userLine("aaaaaaaa", null, "A")));
    return { fs, a, b: await repo.open(FILE) };
  }

  it("lose nothing and each stays on its own branch", async () => {
    const { fs, a, b } = await pair();
    for (let i = 0; i < 50; i++) {
      await a.appendMessage(user(`a${i}`));
      await b.appendMessage(user(`b${i}`));
    }
    const texts = await contextTexts(a);
    expect(texts).toEqual(["A", ...Array.from({ length: 50 }, (_, i) => `a${i}`)]);
    expect((await contextTexts(b)).at(-1)).toBe("b49");
    const again = await testRepo(fs).repo.open(FILE);
    await again.ready();
    expect(again.size()).toBe(101);
    expect(again.badLines()).toEqual([]);
    await a.refresh();
    expect(a.size()).toBe(101);
  });

  it("are told of each other", async () => {
    const { a, b } = await pair();
    const heard: unknown[] = [];
    a.onDidChange((change) => heard.push(change));
    const id = await b.appendMessage(user("from b"));
    await a.refresh();
    expect(heard).toEqual([{ appended: [id], leafId: "aaaaaaaa", external: true }]);
    expect(a.childrenOf("aaaaaaaa")).toEqual([id]);
  });

  it("keep their lines apart where the other left its line open", async () => {
    const { fs, a } = await pair();
    fs.appendForeign(FILE, '{"type":"message","id":"bbbbbbbb","parentId":"aaaaaaaa","timest');
    await a.appendMessage(user("mine"));
    expect(await contextTexts(await testRepo(fs).repo.open(FILE))).toEqual(["A", "mine"]);
    expect(a.badLines().map(({ line }) => line)).toEqual([3]);
  });

  it("write again what came out torn", async () => {
    const { fs, a } = await pair();
    await a.ready();
    fs.fault = (operation, _path, _call) => (operation === "append" ? { take: 200 } : undefined);
    const tornAt = fs.calls.length;
    fs.fault = (operation) => {
      if (operation !== "append") return undefined;
      fs.fault = () => undefined;
      return { take: 200 };
    };
    const ids = await a.appendEntries(turn);
    expect(fs.calls.slice(tornAt).filter((call) => call.operation === "append").length).toBe(2);
    expect(await contextTexts(await testRepo(fs).repo.open(FILE))).toEqual(["A", "question é", "answer 🌳"]);
    expect(a.pathTo(ids[1]!)).toEqual(["aaaaaaaa", ...ids]);
  });

  it("wait for what another is about to finish", async () => {
    const { fs, a } = await pair();
    await a.ready();
    const whole = userLine("bbbbbbbb", "aaaaaaaa", "B");
    fs.appendForeign(FILE, whole.slice(0, 50));
    await a.refresh();
    expect(a.badLines().length).toBe(1);
    fs.appendForeign(FILE, `${whole.slice(50)}\n`);
    await a.refresh();
    expect(a.badLines()).toEqual([]);
    expect(a.node("bbbbbbbb")?.parentId).toBe("aaaaaaaa");
  });
});
