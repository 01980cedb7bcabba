import { describe, expect, it } from "vitest";
import type { NewEntry } from "../../../src/core/session/entries.ts";
import type { Session } from "../../../src/core/session/session.ts";
import { createMemorySession } from "../../../src/core/session/stored-session.ts";
import { assistant, countingClock, countingIds, user } from "../../support/session-builder.ts";
import { CWD, contextTexts, testRepo } from "../../support/session-files.ts";

const storages: { name: string; create: () => { session: Session; reopen: () => Promise<Session> } }[] = [
  {
    name: "in memory",
    create: () => {
      const session = createMemorySession({ cwd: CWD, clock: countingClock(), ids: countingIds() });
      return { session, reopen: async () => session };
    },
  },
  {
    name: "in a file",
    create: () => {
      const { repo } = testRepo();
      const session = repo.create({ cwd: CWD });
      return { session, reopen: () => repo.open(session.file!) };
    },
  },
];

describe.each(storages)("a session $name", ({ create }) => {
  it("follows the position with each append", async () => {
    const { session, reopen } = create();
    const a = await session.appendMessage(user("a"));
    const b = await session.appendMessage(assistant("b"));
    const again = await reopen();
    await again.ready();
    expect(again.getLeafId()).toBe(b);
    expect(again.pathTo(b)).toEqual([a, b]);
    expect(again.childrenOf(null)).toEqual([a]);
    expect(again.childrenOf(a)).toEqual([b]);
    expect(again.size()).toBe(2);
    expect([...again.allIds()]).toEqual([a, b]);
  });

  it("chains appends that nobody waits for", async () => {
    const { session, reopen } = create();
    const ids = await Promise.all(
      Array.from({ length: 50 }, (_, i) => session.appendMessage(i % 2 === 0 ? user(`${i}`) : assistant(`${i}`))),
    );
    const again = await reopen();
    await again.ready();
    expect(again.pathTo(again.getLeafId())).toEqual(ids);
  });

  it("writes what an entry was when it was given, not what became of the object", async () => {
    const { session, reopen } = create();
    const message = user("before");
    const saved = session.appendMessage(message);
    message.content = "after";
    await saved;
    expect(await contextTexts(await reopen())).toEqual(["before"]);
  });

  it("moves back, keeps the branch that was left and summarises it on the target", async () => {
    const { session, reopen } = create();
    const [a, b] = await session.appendEntries([
      { type: "message", message: user("a") },
      { type: "message", message: assistant("b") },
    ]);
    const c = await session.appendMessage(user("c"));
    const leaf = await session.moveTo(b!, { fromId: c, summary: "left c" });
    expect(session.getLeafId()).toBe(leaf);
    await session.appendMessage(user("d"));
    const again = await reopen();
    expect(await contextTexts(again)).toEqual(["a", "b", "<left c>", "d"]);
    expect(await contextTexts(again, c)).toEqual(["a", "b", "c"]);
    expect((await again.getEntry(leaf!))?.type).toBe("branch_summary");
    expect(again.pathTo(c)).toEqual([a, b, c]);
  });

  it("writes nothing when it moves to where it is, also through labels and names", async () => {
    const { session } = create();
    const a = await session.appendMessage(user("a"));
    await session.appendLabel(a, "start");
    await session.appendSessionName("named");
    const before = session.size();
    const leaf = session.getLeafId();
    expect(await session.moveTo(a)).toBe(leaf);
    expect(session.size()).toBe(before);
  });

  it("moves before the first entry and starts a second root from there", async () => {
    const { session, reopen } = create();
    await session.appendMessage(user("a"));
    await session.moveTo(null);
    expect(await contextTexts(session)).toEqual([]);
    const size = session.size();
    await session.moveTo(null);
    expect(session.size()).toBe(size);
    await session.appendMessage(user("b"));
    expect(await contextTexts(await reopen())).toEqual(["b"]);
  });

  it("lets the last label and the last name win and takes blank ones away", async () => {
    const { session, reopen } = create();
    const a = await session.appendMessage(user("a"));
    const b = await session.appendMessage(assistant("b"));
    await session.appendLabel(a, " one ");
    await session.appendLabel(a, "two\nlines");
    await session.appendLabel(b, "gone");
    await session.appendLabel(b, "  ");
    await session.appendSessionName("first");
    await session.appendSessionName("second\u0007\nname");
    const again = await reopen();
    await again.ready();
    expect(again.getLabel(a)).toBe("two lines");
    expect(again.getLabel(b)).toBeUndefined();
    expect(again.getName()).toBe("second name");
    expect(await contextTexts(again)).toEqual(["a", "b"]);
  });

  it("brings back a branch's own model, thinking level and tools, across a compaction", async () => {
    const { session, reopen } = create();
    await session.appendMessage(user("a"));
    await session.appendThinkingLevelChange("high");
    await session.appendActiveToolsChange(["read"]);
    const b = await session.appendMessage(assistant("b", { provider: "p", model: "m" }));
    await session.appendCompaction({ summary: "S", firstKeptEntryId: b, tokensBefore: 9 });
    await session.appendModelChange("q", "n");
    const again = await reopen();
    const context = await again.buildContext();
    expect(context).toMatchObject({
      thinkingLevel: "high",
      model: { provider: "q", modelId: "n" },
      activeToolNames: ["read"],
    });
    expect((await again.buildContext(b)).model).toEqual({ provider: "p", modelId: "m" });
  });

  it("refuses a label, a kept entry and a move that name nothing", async () => {
    const { session } = create();
    await session.appendMessage(user("a"));
    await expect(session.appendLabel("ffffffff", "x")).rejects.toMatchObject({ code: "not_found" });
    await expect(session.moveTo("ffffffff")).rejects.toMatchObject({ code: "not_found" });
    await expect(
      session.appendCompaction({ summary: "s", firstKeptEntryId: "ffffffff", tokensBefore: 1 }),
    ).rejects.toMatchObject({ code: "not_found" });
    expect(session.size()).toBe(1);
  });

  it("refuses what is no JSON and takes the next append", async () => {
    const { session } = create();
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    await expect(session.appendEntries([{ type: "custom", customType: "x", data: circle }])).rejects.toMatchObject({
      code: "invalid_entry",
    });
    expect(await session.appendMessage(user("a"))).toBe(session.getLeafId());
  });

  it("gives a copied entry a place of its own", async () => {
    const { session } = create();
    const a = await session.appendMessage(user("a"));
    await session.appendMessage(assistant("b"));
    const [copy] = await session.appendEntries([(await session.getEntry(a)) as NewEntry]);
    expect(copy).not.toBe(a);
    expect(await contextTexts(session)).toEqual(["a", "b", "a"]);
  });

  it("tells listeners and survives one that throws", async () => {
    const { session } = create();
    const heard: unknown[] = [];
    session.onDidChange(() => {
      throw new Error("broken");
    });
    const stop = session.onDidChange((change) => heard.push(change));
    const a = await session.appendMessage(user("a"));
    stop();
    await session.appendMessage(assistant("b"));
    expect(heard).toEqual([{ appended: [a], leafId: a, external: false }]);
  });

  it("gives the same context step by step as built anew", async () => {
    const { session, reopen } = create();
    const step = async () => expect(await contextTexts(session)).toEqual(await contextTexts(await reopen()));
    const a = await session.appendMessage(user("a"));
    await step();
    await session.appendMessage(assistant("b"));
    await step();
    await session.appendContextEdit(a, { content: "edited" });
    await step();
    expect(await contextTexts(session)).toEqual(["edited", "b"]);
    await session.appendContextEdit(a, null);
    await session.appendMessage(user("c"));
    await step();
    expect(await contextTexts(session)).toEqual(["b", "c"]);
    await session.appendCompaction({ summary: "S", tokensBefore: 1 });
    await step();
    await session.appendMessage(user("d"));
    await step();
    expect(await contextTexts(session)).toEqual(["<S>", "d"]);
    await session.moveTo(a);
    await step();
  });

  it("refuses everything once it is closed", async () => {
    const { session } = create();
    await session.close();
    await expect(session.appendMessage(user("a"))).rejects.toMatchObject({ code: "closed" });
  });
});
