import { describe, expect, it } from "vitest";
import { newestCompaction } from "../../../src/core/harness/undo-compaction.ts";
import type { AgentMessage } from "../../../src/core/llm/messages.ts";
import type { CompactionEntry, SessionEntry } from "../../../src/core/session/entries.ts";
import type { Session } from "../../../src/core/session/session.ts";
import { eventNames, TEST_MODEL, testHarness } from "../../support/scripted-model.ts";
import { CWD, testRepo } from "../../support/session-files.ts";

const long = (tokens: number) => "word ".repeat(Math.ceil((tokens * 4) / 5));

async function compactions(session: Session): Promise<CompactionEntry[]> {
  const entries: SessionEntry[] = await session.getBranch();
  return entries.filter((entry): entry is CompactionEntry => entry.type === "compaction");
}
const texts = (messages: readonly AgentMessage[]) =>
  messages.map((m) => {
    if ("summary" in m) return "summary";
    return "content" in m && typeof m.content === "string" ? m.content.slice(0, 12) : m.role;
  });

/** A small window: reserve and keep are 2500 each, compaction starts above 7500. */
const SMALL = { ...TEST_MODEL, contextWindow: 10_000, maxTokens: 2000 };

describe("manual compaction", () => {
  it("summarises the older part with the person's focus and keeps the rest word for word", async () => {
    const { harness, model, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 6; turn++) {
      model.replies.push({ text: long(500) });
      await harness.prompt(`turn ${turn} ${long(400)}`);
    }
    await harness.compact({ customInstructions: "the API names" });
    const [compaction] = await compactions(session);
    expect(compaction?.summary).toContain("## Goal");
    const prompt = (model.summaryRequests[0]!.context.messages[0] as { content: string }).content;
    expect(prompt).toContain("Additional focus: the API names");
    expect(prompt).toContain("[User]: turn 0");
    expect(model.summaryRequests[0]!.context.tools).toEqual([]);
    expect(model.summaryRequests[0]!.options.cacheRetention).toBe("none");
    expect(model.summaryRequests[0]!.options.routingId).not.toBe(session.id);
    const context = await session.buildContext();
    expect(context.messages[0]!.role).toBe("compactionSummary");
    expect(context.messages.length).toBeLessThan(8);
    model.replies = [{ text: "ok" }];
    await harness.prompt("next");
    const sent = model.requests.at(-1)!.context.messages.map((m) => (m as { content: string }).content);
    expect(String(sent[0])).toContain("<summary>");
    expect(sent.some((content) => String(content).startsWith("turn 0"))).toBe(false);
  });

  it("writes nothing where the summary fails, is empty, cut, or a tool call", async () => {
    const { harness, model, session, events } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 6; turn++) await harness.prompt(`turn ${turn} ${long(700)}`);
    const before = session.size();
    for (const bad of [
      { text: "" },
      { text: "## Goal\ncut", stopReason: "length" as const },
      { calls: [{ id: "1", name: "read", arguments: {} }] },
      { text: "<tool_call>read</tool_call>" },
      { failure: { kind: "notFound" as const, message: "404 no such model" } },
    ]) {
      model.summary = () => bad;
      await expect(harness.compact()).rejects.toMatchObject({ code: "summarization_failed" });
    }
    expect(session.size()).toBe(before);
    expect(eventNames(events, "compaction_end").length).toBe(5);
    await harness.prompt("still works");
    expect(harness.phase).toBe("idle");
  });

  it("can be cancelled with nothing written", async () => {
    const { harness, model, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 6; turn++) await harness.prompt(`turn ${turn} ${long(700)}`);
    const before = session.size();
    model.summary = () => ({ text: "## Goal", until: new Promise(() => {}) });
    const run = harness.compact();
    await new Promise((resolve) => setTimeout(resolve, 10));
    harness.abort();
    await expect(run).rejects.toMatchObject({ code: "aborted" });
    expect(session.size()).toBe(before);
  });

  it("delivers what was typed meanwhile afterwards", async () => {
    const { harness, model, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 6; turn++) await harness.prompt(`turn ${turn} ${long(700)}`);
    let release = () => {};
    model.summary = () => ({ text: "## Goal\nx", until: new Promise((resolve) => (release = resolve)) });
    const run = harness.compact();
    await new Promise((resolve) => setTimeout(resolve, 10));
    harness.followUp("typed during compaction");
    release();
    await run;
    expect(texts((await session.buildContext()).messages).slice(-2)).toEqual(["typed during", "assistant"]);
    expect(harness.queues.followUp).toEqual([]);
  });

  it("refuses where nothing is older than the kept tail, and can keep the last turn only", async () => {
    const { harness, session } = testHarness();
    await harness.prompt("one");
    await harness.prompt("two");
    await expect(harness.compact()).rejects.toMatchObject({ code: "nothing_to_compact" });
    await harness.compact({ cut: { kind: "lastTurn" } });
    expect(texts((await session.buildContext()).messages)).toEqual(["summary", "two", "assistant"]);
    await expect(harness.compact()).rejects.toMatchObject({ code: "nothing_to_compact" });
  });

  it("carries file operations from summary to summary", async () => {
    const { harness, model, session } = testHarness({ model: SMALL });
    const turn = async (path: string) => {
      model.replies = [{ calls: [{ id: path, name: "read", arguments: { path } }] }, { text: long(600) }];
      await harness.prompt(`read ${path} ${long(700)}`);
    };
    for (const path of ["a", "b", "c"]) await turn(path);
    await harness.compact({ cut: { kind: "lastTurn" } });
    for (const path of ["d", "e"]) await turn(path);
    await harness.compact({ cut: { kind: "lastTurn" } });
    const [, second] = await compactions(session);
    expect(second?.details).toMatchObject({ readFiles: ["a", "b", "c", "d"], modifiedFiles: [] });
    expect(second?.summary.match(/<read-files>/g)?.length).toBe(1);
    const update = (model.summaryRequests[1]!.context.messages[0] as { content: string }).content;
    expect(update).toContain("<previous-summary>");
    expect(update).not.toContain("<read-files>");
  });
});

describe("automatic compaction", () => {
  it("happens before a prompt when the last usage passed the threshold, once", async () => {
    const { harness, model, events, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 5; turn++) {
      model.replies.push({ text: long(600), totalTokens: 1000 + turn * 1000 });
      await harness.prompt(`turn ${turn} ${long(600)}`);
    }
    model.replies.push({ text: long(600), totalTokens: 7501 });
    await harness.prompt("the one that fills it");
    expect((await compactions(session)).length).toBe(1);
    model.replies.push({ text: "small", totalTokens: 3000 });
    await harness.prompt("after");
    expect((await compactions(session)).length).toBe(1);
    const end = events.find((event) => event.type === "compaction_end");
    expect(end).toMatchObject({ reason: "threshold" });
  });

  it("happens between turns once large results are in, before they are sent", async () => {
    const { harness, model, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 4; turn++) {
      model.replies.push({ text: long(400) });
      await harness.prompt(`turn ${turn} ${long(400)}`);
    }
    model.replies = [
      { calls: [{ id: "c", name: "nope", arguments: {} }], totalTokens: 7600 },
      { text: "done", totalTokens: 3000 },
    ];
    await harness.prompt("work");
    expect((await compactions(session)).length).toBe(1);
    const roles = model.requests.at(-1)!.context.messages.map((m) => m.role);
    expect(roles.slice(-2)).toEqual(["assistant", "toolResult"]);
  });

  it("stops where it frees nothing, and says so", async () => {
    const { harness, model, events, session } = testHarness({ model: SMALL });
    model.summary = () => ({ text: `## Goal\n${long(9000)}` });
    for (let turn = 0; turn < 4; turn++) {
      model.replies.push({ text: long(400), totalTokens: 8000 });
      await harness.prompt(`turn ${turn} ${long(900)}`);
    }
    const count = (await compactions(session)).length;
    expect(count).toBe(1);
    expect(events.find((event) => event.type === "compaction_end")).toMatchObject({ stalled: true });
  });

  it("does not loop where the summary fails, and accepts the next prompt", async () => {
    const { harness, model, events } = testHarness({ model: SMALL });
    model.summary = () => ({ failure: { kind: "notFound", message: "404" } });
    for (let turn = 0; turn < 3; turn++) {
      model.replies.push({ text: long(900), totalTokens: 8000 });
      await harness.prompt(`turn ${turn} ${long(900)}`);
    }
    expect(model.requests.length).toBe(3);
    expect(eventNames(events, "compaction_start").length).toBeLessThanOrEqual(5);
  });

  it("ignores usage from before the newest compaction", async () => {
    const { harness, model, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 5; turn++) {
      model.replies.push({ text: long(700), totalTokens: 7000 });
      await harness.prompt(`turn ${turn} ${long(500)}`);
    }
    await harness.compact();
    model.replies = [{ text: "ok" }];
    await harness.prompt("no second one");
    expect((await compactions(session)).length).toBe(1);
    expect((await harness.contextUsage()).estimated).toBe(true);
  });
});

describe("an overflow", () => {
  const overflow = { kind: "overflow" as const, message: "prompt is too long", learnedWindow: 9000 };
  it("leads to one compaction and one retry, and teaches the window", async () => {
    const { harness, model, session, events } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 4; turn++) await harness.prompt(`turn ${turn} ${long(900)}`);
    model.replies = [{ failure: overflow }, { text: "fine" }];
    await harness.prompt("more");
    expect((await compactions(session)).length).toBe(1);
    expect(harness.window).toBe(9000);
    expect((await session.buildContext()).messages.at(-1)).toMatchObject({ role: "assistant", stopReason: "stop" });
    expect(eventNames(events, "window_learned").length).toBe(1);
  });
  it("that comes again ends with an error, not in a loop", async () => {
    const { harness, model, session, events } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 4; turn++) await harness.prompt(`turn ${turn} ${long(900)}`);
    const before = model.requests.length;
    model.replies = [1, 2, 3, 4].map(() => ({ failure: overflow }));
    await harness.prompt("more");
    expect(model.requests.length - before).toBe(2);
    expect((await compactions(session)).length).toBe(1);
    expect(events.find((event) => event.type === "run_failed")).toBeDefined();
  });
  it("reported as a success compacts without asking again", async () => {
    const { harness, model, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 4; turn++) await harness.prompt(`turn ${turn} ${long(900)}`);
    const before = model.requests.length;
    model.replies = [
      () => {
        return { text: "whole answer", totalTokens: 12_000 };
      },
    ];
    await harness.prompt("more");
    expect(model.requests.length - before).toBe(1);
    expect((await compactions(session)).length).toBe(1);
  });
});

describe("a reply that the window cut off", () => {
  it("leaves the context, and is asked for again after one compaction", async () => {
    const { harness, model, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 4; turn++) await harness.prompt(`turn ${turn} ${long(900)}`);
    const before = model.requests.length;
    model.replies = [{ text: "half an ans", stopReason: "length", totalTokens: 9800 }, { text: "the whole answer" }];
    await harness.prompt("more");
    expect(model.requests.length - before).toBe(2);
    expect((await compactions(session)).length).toBe(1);
    const said = texts((await session.buildContext()).messages);
    expect(JSON.stringify(said)).not.toContain("half an");
    const all = await session.getBranch();
    expect(JSON.stringify(all)).toContain("half an ans");
  });
  it("with room left in the window is kept as it is", async () => {
    const { harness, model, session } = testHarness({ model: SMALL });
    model.replies = [{ text: "cut by a limit", stopReason: "length", totalTokens: 500 }];
    await harness.prompt("go");
    expect(model.requests.length).toBe(1);
    expect((await session.buildContext()).messages.at(-1)).toMatchObject({ stopReason: "length" });
  });
});

describe("undo", () => {
  it("right after a compaction gives back the very messages, and appends only", async () => {
    const { harness, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 5; turn++) await harness.prompt(`turn ${turn} ${long(700)}`);
    const before = JSON.stringify((await session.buildContext()).messages);
    const size = session.size();
    const id = await harness.compact();
    expect(JSON.stringify((await session.buildContext()).messages)).not.toBe(before);
    await harness.undoCompaction(id);
    expect(JSON.stringify((await session.buildContext()).messages)).toBe(before);
    expect(session.size()).toBeGreaterThan(size);
    expect(session.node(id)).toBeDefined();
  });

  it.each([1, 2, 5, 20])(
    "%i turns later the messages equal those of a twin that was never compacted",
    async (turns) => {
      const build = async (compacts: boolean) => {
        const setup = testHarness({ model: { ...TEST_MODEL, contextWindow: 1_000_000 } });
        setup.settings.compaction.keepRecentTokens = 2000;
        for (let turn = 0; turn < 5; turn++) {
          setup.model.replies = [{ text: `answer ${turn}` }];
          await setup.harness.prompt(`turn ${turn} ${long(700)}`);
        }
        const id = compacts ? await setup.harness.compact() : undefined;
        for (let turn = 0; turn < turns; turn++) {
          setup.model.replies = [{ text: `later ${turn}` }];
          await setup.harness.prompt(`later ${turn} ${long(200)}`);
        }
        if (id !== undefined) await setup.harness.undoCompaction(id);
        const { messages } = await setup.session.buildContext();
        return messages.map(({ timestamp: _timestamp, ...rest }) => rest);
      };
      expect(await build(true)).toEqual(await build(false));
    },
  );

  it("keeps automatic compaction away until the person agrees or the provider refuses, and says so", async () => {
    const { harness, model, session, events } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 5; turn++) await harness.prompt(`turn ${turn} ${long(700)}`);
    await harness.undoCompaction(await harness.compact());
    model.replies = [{ text: "big", totalTokens: 9900 }];
    expect((await harness.contextUsage()).waits).toBe(false);
    await harness.prompt("more");
    expect((await compactions(session)).length).toBe(0);
    expect((await harness.contextUsage()).waits).toBe(true);
    expect(eventNames(events, "compaction_waits", "settled").slice(-2)).toEqual(["compaction_waits", "settled"]);
    await harness.resumeAutoCompaction();
    expect((await harness.contextUsage()).waits).toBe(false);
    await harness.prompt("and more");
    expect((await compactions(session)).length).toBe(1);
  });

  it("carries labels to the copies and refuses any but the newest compaction", async () => {
    const { harness, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 5; turn++) await harness.prompt(`turn ${turn} ${long(700)}`);
    const first = await harness.compact();
    await harness.prompt("after");
    const said = session.pathTo(session.getLeafId()).findLast((id) => session.node(id)?.role === "user")!;
    await session.appendLabel(said, "here");
    await harness.compact({ cut: { kind: "lastTurn" } });
    await expect(harness.undoCompaction(first)).rejects.toMatchObject({ code: "invalid_argument" });
    const newest = (await compactions(session)).at(-1)!.id;
    await harness.undoCompaction(newest);
    await harness.undoCompaction(first);
    const path = session.pathTo(session.getLeafId());
    const copy = path.findLast((id) => session.node(id)?.role === "user")!;
    expect(copy).not.toBe(said);
    expect(session.getLabel(copy)).toBe("here");
  });

  it("is found in a session that was asked before its index was there", async () => {
    const { repo } = testRepo();
    const session = repo.create({ cwd: CWD });
    const { harness } = testHarness({ model: SMALL, session });
    for (let turn = 0; turn < 5; turn++) await harness.prompt(`turn ${turn} ${long(700)}`);
    const id = await harness.compact();
    await harness.prompt("after");
    const again = await repo.open(session.file!);
    expect(newestCompaction(again, again.getLeafId())).toBeUndefined();
    await again.ready();
    expect(newestCompaction(again, again.getLeafId())).toBe(id);
  });

  it("is one write, labels and left-out entries included", async () => {
    const { fs, repo } = testRepo();
    const session = repo.create({ cwd: CWD });
    const { harness } = testHarness({ model: SMALL, session });
    for (let turn = 0; turn < 5; turn++) await harness.prompt(`turn ${turn} ${long(700)}`);
    const id = await harness.compact();
    await harness.prompt("after");
    const said = session.pathTo(session.getLeafId()).findLast((at) => session.node(at)?.role === "user")!;
    await session.appendLabel(said, "here");
    await session.appendContextEdit(said, { content: "other words" });
    fs.calls = [];
    await harness.undoCompaction(id);
    expect(fs.calls.filter(({ operation }) => operation === "append").length).toBe(1);
    const again = await repo.open(session.file!);
    const { items } = await again.buildContext();
    const edited = items.find(({ messages }) => messages[0]?.role === "user" && messages[0].content === "other words");
    expect(edited).toBeDefined();
    expect(edited!.entry.id).not.toBe(said);
    expect(again.getLabel(edited!.entry.id)).toBe("here");
  });
});

describe("a long life", () => {
  it("of a hundred compactions neither nests nor repeats, and keeps constraints and the last request", async () => {
    const { harness, model, session } = testHarness({ model: SMALL });
    model.summary = (_request, index) => ({
      text: `## Goal\nGoal ${index}\n\n## Constraints & Preferences\n${index === 0 ? "- never use tabs" : "- (none)"}\n\n## Progress\n### Done\n- [x] x\n\n## Critical Context\n- (none)`,
    });
    for (let round = 0; round < 100; round++) {
      await harness.prompt(`request number ${round} ${long(300)}`);
      await harness.prompt(`detail of ${round} ${long(300)}`);
      await harness.compact({ cut: { kind: "lastTurn" } });
    }
    const all = await compactions(session);
    expect(all.length).toBe(100);
    const last = all.at(-1)!.summary;
    expect(last.match(/## Goal/g)?.length).toBe(1);
    expect(last.match(/verbatim:/g)?.length).toBe(1);
    expect(last).toContain("- never use tabs");
    expect(last).toContain("request number 99");
    expect(last).not.toContain("request number 98 ");
    expect(last.length).toBeLessThan(4000);
    const context = await session.buildContext();
    expect(context.messages.filter((m) => m.role === "compactionSummary").length).toBe(1);
  });
});
