import { describe, expect, it } from "vitest";
import { encodeCwd, sameCwd } from "../../../src/core/session/session-paths.ts";
import { assistant, user } from "../../support/session-builder.ts";
import { CWD, contextTexts, file, HEADER, line, testRepo, userLine } from "../../support/session-files.ts";

describe("the folder of a working directory", () => {
  it("is named as Pi names it", () => {
    expect(encodeCwd("/home/user/project")).toBe("--home-user-project--");
    expect(encodeCwd("C:\\Users\\me")).toBe("--C--Users-me--");
  });
  it("is shared by two directories, whose sessions are told apart by the header", async () => {
    const { repo } = testRepo();
    const one = repo.create({ cwd: "/a/b" });
    await one.appendMessage(user("slash"));
    const two = repo.create({ cwd: "/a-b" });
    await two.appendMessage(user("dash"));
    expect((await repo.list({ cwd: "/a/b" })).map((item) => item.firstMessage)).toEqual(["slash"]);
    expect((await repo.list({ cwd: "/a-b/" })).map((item) => item.firstMessage)).toEqual(["dash"]);
    expect(await repo.findById(two.id, "/a/b")).toBeUndefined();
    expect(await repo.findById(two.id)).toBe(two.file);
  });
  it("does not depend on the case of a drive letter", async () => {
    expect(sameCwd("d:\\x", "D:\\x\\")).toBe(true);
    const { repo } = testRepo();
    await repo.create({ cwd: "d:\\x" }).appendMessage(user("lower"));
    await repo.create({ cwd: "D:\\x" }).appendMessage(user("upper"));
    expect((await repo.list({ cwd: "D:\\x" })).length).toBe(2);
  });
});

describe("the list of sessions", () => {
  it("tells name, first message, count and the time of the last message", async () => {
    const { repo } = testRepo();
    const session = repo.create({ cwd: CWD });
    await session.appendMessage(user("first\nmessage", 1000));
    await session.appendMessage(assistant("answer", { timestamp: 5000 }));
    await session.appendSessionName("My session");
    expect(await repo.list({ cwd: CWD })).toMatchObject([
      { id: session.id, name: "My session", firstMessage: "first message", messages: 2, activeMs: 5000, cwd: CWD },
    ]);
  });

  it("puts the newest activity first, which renaming does not change", async () => {
    const { repo } = testRepo();
    const old = repo.create({ cwd: CWD });
    await old.appendMessage(user("old", 1000));
    const recent = repo.create({ cwd: CWD });
    await recent.appendMessage(user("recent", 2000));
    await old.appendSessionName("renamed");
    expect((await repo.list()).map((item) => item.id)).toEqual([recent.id, old.id]);
  });

  it("shows a corrupt file with its problem and hides no other", async () => {
    const { repo, fs } = testRepo();
    const session = repo.create({ cwd: CWD });
    await session.appendMessage(user("good"));
    fs.write(`${repo.folderFor(CWD)}/bad.jsonl`, "%%%\n");
    fs.write(`${repo.folderFor(CWD)}/notes.txt`, "%%%\n");
    const list = await repo.list({ cwd: CWD });
    expect(list.map((item) => item.problem !== undefined).sort()).toEqual([false, true]);
    expect(fs.text(`${repo.folderFor(CWD)}/bad.jsonl`)).toBe("%%%\n");
  });

  it("is remembered, and scans again only what changed", async () => {
    const world = testRepo();
    const { JsonlSessionRepo } = await import("../../../src/core/session/jsonl-repo.ts");
    const options = { ...world, root: "/sessions", cataloguePath: "/state/list.json", trash: async () => {} };
    const first = new JsonlSessionRepo(options);
    const a = first.create({ cwd: CWD });
    await a.appendMessage(user("a"));
    const b = first.create({ cwd: CWD });
    await b.appendMessage(user("b"));
    const before = await first.list();
    world.fs.calls = [];
    expect(await new JsonlSessionRepo(options).list()).toEqual(before);
    expect(world.fs.calls.filter((call) => call.operation === "open")).toEqual([]);
    await b.appendMessage(assistant("more"));
    world.fs.calls = [];
    expect((await new JsonlSessionRepo(options).list()).map((item) => item.messages).sort()).toEqual([1, 2]);
    expect(new Set(world.fs.calls.filter((call) => call.operation === "open").map((call) => call.path))).toEqual(
      new Set([b.file]),
    );
    world.fs.write("/state/list.json", "{torn");
    expect((await new JsonlSessionRepo(options).list()).length).toBe(2);
  });

  it("ends when it is told to", async () => {
    const { repo } = testRepo();
    await repo.create({ cwd: CWD }).appendMessage(user("a"));
    expect(await repo.list({ signal: AbortSignal.abort() })).toEqual([]);
  });
});

describe("deleting", () => {
  it("moves to the trash, and a file that is gone is fine", async () => {
    const { repo, trashed } = testRepo();
    const session = repo.create({ cwd: CWD });
    await session.appendMessage(user("a"));
    await repo.delete(session.file!);
    await repo.delete(session.file!);
    expect(trashed).toEqual([session.file]);
  });
});

describe("a fork", () => {
  async function source() {
    const world = testRepo();
    const session = world.repo.create({ cwd: CWD, metadata: { kind: "test" } });
    const a = await session.appendMessage(user("a"));
    const b = await session.appendMessage(assistant("b"));
    await session.appendLabel(b, "mark");
    const c = await session.appendMessage(user("c"));
    const d = await session.appendMessage(assistant("d"));
    return { ...world, session, a, b, c, d };
  }

  it("of the whole session copies every line as it is", async () => {
    const { repo, session, fs } = await source();
    fs.appendForeign(session.file!, "%%% kept\n");
    const fork = await repo.fork(session);
    const tail = (path: string) => fs.text(path).split("\n").slice(1).join("\n");
    expect(tail(fork.file!)).toBe(tail(session.file!));
    expect(fork.header).toMatchObject({ parentSession: session.file, cwd: CWD, metadata: { kind: "test" } });
    expect(fork.id).not.toBe(session.id);
    expect(await contextTexts(fork)).toEqual(["a", "b", "c", "d"]);
  });

  it("before a message of yours ends at what stands before it, and keeps labels without breaking the chain", async () => {
    const { repo, session, a, b, c } = await source();
    const fork = await repo.fork(session, { kind: "before", entryId: c });
    expect(await contextTexts(fork)).toEqual(["a", "b"]);
    expect(fork.getLabel(b)).toBe("mark");
    const e = await fork.appendMessage(user("e"));
    expect(fork.pathTo(e).filter((id) => fork.node(id)?.type === "message")).toEqual([a, b, e]);
    expect(await contextTexts(session)).toEqual(["a", "b", "c", "d"]);
  });

  it("at an entry includes it", async () => {
    const { repo, session, d } = await source();
    const fork = await repo.fork(session, { kind: "at", entryId: d });
    expect(await contextTexts(fork)).toEqual(["a", "b", "c", "d"]);
    expect(fork.childrenOf(null).length).toBe(1);
  });

  it("keeps the boundary of a compaction, also where it was a label", async () => {
    const { repo, fs } = testRepo();
    const path = `${repo.folderFor(CWD)}/x.jsonl`;
    fs.write(
      path,
      file(
        userLine("aaaaaaaa", null, "a"),
        line("label", "11111111", "aaaaaaaa", { targetId: "aaaaaaaa", label: "L" }),
        userLine("bbbbbbbb", "11111111", "b"),
        line("compaction", "cccccccc", "bbbbbbbb", { summary: "S", firstKeptEntryId: "11111111", tokensBefore: 1 }),
        userLine("dddddddd", "cccccccc", "d"),
      ),
    );
    const session = await repo.open(path);
    const expected = await contextTexts(session);
    const fork = await repo.fork(session, { kind: "at", entryId: "dddddddd" });
    expect(await contextTexts(fork)).toEqual(expected);
    expect(expected).toEqual(["<S>", "b", "d"]);
  });

  it("keeps unknown keys of lines whose parent changes", async () => {
    const { repo, fs } = testRepo();
    const path = `${repo.folderFor(CWD)}/x.jsonl`;
    fs.write(
      path,
      file(
        userLine("aaaaaaaa", null, "a"),
        line("label", "11111111", "aaaaaaaa", { targetId: "aaaaaaaa", label: "L" }),
        line("hologram", "bbbbbbbb", "11111111", { future: { x: [1] } }),
      ),
    );
    const fork = await repo.fork(await repo.open(path), { kind: "at", entryId: "bbbbbbbb" });
    expect(JSON.parse((await fork.getRawLine("bbbbbbbb"))!)).toMatchObject({
      type: "hologram",
      parentId: "aaaaaaaa",
      future: { x: [1] },
    });
  });

  it("before the first message is a new session without a file", async () => {
    const { repo, session, a, fs } = await source();
    const fork = await repo.fork(session, { kind: "before", entryId: a });
    expect(fork.size()).toBe(0);
    expect(fs.files.has(fork.file!)).toBe(false);
    await fork.appendMessage(user("other"));
    expect(fs.text(fork.file!).match(/"type":"session"/g)?.length).toBe(1);
  });

  it("of an answer has no place before it, and of an unsaved session says why it cannot", async () => {
    const { repo, session, b } = await source();
    await expect(repo.fork(session, { kind: "before", entryId: b })).rejects.toMatchObject({
      code: "invalid_argument",
    });
    await expect(repo.fork(repo.create({ cwd: CWD }))).rejects.toThrow(/not been saved/);
  });
});

describe("an import", () => {
  it("becomes a session of its own, marked, and never takes another's place", async () => {
    const { repo, fs } = testRepo();
    fs.write("/elsewhere/s1.jsonl", file(userLine("aaaaaaaa", null, "a")).trimEnd());
    const one = await repo.importFile("/elsewhere/s1.jsonl", CWD);
    const two = await repo.importFile("/elsewhere/s1.jsonl", CWD);
    expect(one.file).not.toBe(two.file);
    expect(one.header.metadata).toMatchObject({ imported: { id: "s1" } });
    expect(await contextTexts(two)).toEqual(["a"]);
    expect((await repo.list({ cwd: CWD })).every((item) => item.imported === true)).toBe(true);
    expect(await repo.findById("s1")).toBeUndefined();
  });

  it("that fails leaves nothing", async () => {
    const { repo, fs } = testRepo();
    fs.write("/elsewhere/x.jsonl", "no session\n");
    fs.write("/elsewhere/new.jsonl", `${HEADER.replace('"version":3', '"version":9')}\n`);
    await expect(repo.importFile("/elsewhere/x.jsonl", CWD)).rejects.toMatchObject({ code: "not_a_session" });
    await expect(repo.importFile("/elsewhere/new.jsonl", CWD)).rejects.toMatchObject({ code: "read_only" });
    expect([...fs.files.keys()].filter((path) => path.startsWith("/sessions"))).toEqual([]);
  });

  it("puts no file outside of the root, whatever the header says", async () => {
    const { repo, fs } = testRepo();
    fs.write("/elsewhere/x.jsonl", `${HEADER.replace('"s1"', '"../../../esc"')}\n${userLine("aaaaaaaa", null)}\n`);
    const session = await repo.importFile("/elsewhere/x.jsonl", CWD);
    expect(session.file).toMatch(/^\/sessions\/--work-project--\/[^/]+\.jsonl$/);
  });
});

describe("a moved folder", () => {
  it("finds its sessions by the repository, and adopts them without touching the header", async () => {
    const { repo, fs } = testRepo();
    const session = repo.create({ cwd: "/old/place" });
    await session.appendMessage(user("a"));
    await session.appendCustomEntry("coppice.repository", { remote: "git@x:y.git", rootCommit: "abc" });
    await session.close();
    const stays = repo.create({ cwd: "/still/here" });
    await stays.appendMessage(user("b"));
    await stays.appendCustomEntry("coppice.repository", { rootCommit: "abc" });
    fs.folders.add("/still/here");
    const moved = await repo.findMoved("/new/place", { rootCommit: "abc" });
    expect(moved.map((item) => item.path)).toEqual([session.file]);
    const path = await repo.adopt(moved[0]!.path, "/new/place");
    expect((await repo.list({ cwd: "/new/place" })).map((item) => item.path)).toEqual([path]);
    expect(await repo.list({ cwd: "/old/place" })).toEqual([]);
    const again = await repo.open(path);
    expect(again.cwd).toBe("/old/place");
    expect(await contextTexts(again)).toEqual(["a"]);
  });
});
