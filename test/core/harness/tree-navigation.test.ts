import { describe, expect, it, vi } from "vitest";
import { planNavigation } from "../../../src/core/harness/navigation-plan.ts";
import type { BranchSummaryEntry } from "../../../src/core/session/entries.ts";
import type { Session } from "../../../src/core/session/session.ts";
import { TEST_MODEL, testHarness } from "../../support/scripted-model.ts";

const long = (tokens: number) => "word ".repeat(Math.ceil((tokens * 4) / 5));

/** Prompts one to n; the ids of the person's messages. */
async function talk(setup: ReturnType<typeof testHarness>, ...texts: string[]) {
  const ids: string[] = [];
  for (const text of texts) {
    await setup.harness.prompt(text);
    ids.push(
      setup.session.pathTo(setup.session.getLeafId()).findLast((id) => setup.session.node(id)?.role === "user")!,
    );
  }
  return ids;
}
const replyOf = (session: Session, userId: string) =>
  session.childrenOf(userId).find((id) => session.node(id)?.role === "assistant")!;
const summaryText = (request: { context: { messages: readonly unknown[] } } | undefined) =>
  (request!.context.messages[0] as { content: string }).content;
const contents = async (session: Session) =>
  (await session.buildContext()).messages.map((message) =>
    "summary" in message ? "summary" : "content" in message ? String(JSON.stringify(message.content)) : "",
  );

describe("a move", () => {
  it("makes the target the position, writes two markers at once, and gives the branch's context", async () => {
    const setup = testHarness();
    const { harness, session } = setup;
    const [one] = await talk(setup, "one", "two");
    const target = replyOf(session, one!);
    const changes: number[] = [];
    session.onDidChange(({ appended }) => changes.push(appended.length));
    const result = await harness.navigateTree(target, { summarize: false });
    expect(result).toMatchObject({ cancelled: false, leafId: session.getLeafId() });
    expect(changes).toEqual([2]);
    expect((await contents(session)).join()).not.toContain("two");
    await harness.prompt("three");
    expect((await contents(session)).join()).toContain("three");
    expect(session.childrenOf(target).length).toBeGreaterThan(1);
  });

  it("to where the position is does nothing", async () => {
    const setup = testHarness();
    await talk(setup, "one");
    const { session, harness } = setup;
    const size = session.size();
    const result = await harness.navigateTree(session.getLeafId(), { summarize: true });
    expect(result).toEqual({ cancelled: false, leafId: session.getLeafId() });
    expect(session.size()).toBe(size);
  });

  it("to the place before the first entry empties the context", async () => {
    const setup = testHarness();
    await talk(setup, "one");
    const { harness, session, model } = setup;
    const { leafId } = await harness.navigateTree(null, { summarize: false });
    expect(session.pathTo(leafId).every((id) => session.node(id)?.marker === true)).toBe(true);
    expect(await contents(session)).toEqual([]);
    await harness.prompt("afresh");
    expect(model.requests.at(-1)!.context.messages.length).toBe(1);
    expect(session.childrenOf(null).length).toBeGreaterThan(1);
  });

  it("to an entry that does not exist is refused", async () => {
    const { harness } = testHarness();
    await expect(harness.navigateTree("nope", { summarize: false })).rejects.toMatchObject({ code: "not_found" });
  });

  it("brings back the branch's model, thinking level and tools", async () => {
    const setup = testHarness();
    const { harness, session } = setup;
    await harness.setThinkingLevel("low");
    const [one] = await talk(setup, "one");
    await harness.setModel({ ...TEST_MODEL, id: "other" });
    await harness.setThinkingLevel("high");
    await talk(setup, "two");
    await harness.navigateTree(replyOf(session, one!), { summarize: false });
    expect(harness.model?.id).toBe("scripted");
    expect(harness.thinkingLevel).toBe("low");
  });

  it("is refused while something is on", async () => {
    const setup = testHarness();
    const [one] = await talk(setup, "one");
    let release = () => {};
    setup.model.replies = [{ text: "…", until: new Promise((resolve) => (release = resolve)) }];
    const run = setup.harness.prompt("two");
    await expect(setup.harness.navigateTree(one!, { summarize: false })).rejects.toMatchObject({ code: "busy" });
    release();
    await run;
  });
});

describe("edit and resend", () => {
  it("of one's own message goes to its parent and gives the text and the images back", async () => {
    const setup = testHarness();
    const { harness, session } = setup;
    await talk(setup, "one");
    const image = { type: "image" as const, data: "AA==", mimeType: "image/png" };
    await harness.prompt("two", [image]);
    const two = session.pathTo(session.getLeafId()).findLast((id) => session.node(id)?.role === "user")!;
    const result = await harness.navigateTree(two, { summarize: false, edit: true });
    expect(result).toMatchObject({ editorText: "two", editorImages: [image] });
    expect((await contents(session)).join()).not.toContain("two");
  });

  it("of the very first message goes to the root", async () => {
    const setup = testHarness();
    const { harness, session } = setup;
    const first = await session.appendMessage({ role: "user", content: "first", timestamp: 0 });
    const result = await harness.navigateTree(first, { summarize: false, edit: true });
    expect(result.editorText).toBe("first");
    expect(await contents(session)).toEqual([]);
  });

  it("works for messages of extensions, and for nothing else", async () => {
    const setup = testHarness();
    const { harness, session } = setup;
    const [one] = await talk(setup, "one");
    const custom = await session.appendCustomMessageEntry("x", [{ type: "text", text: "mine" }], true);
    await talk(setup, "two");
    expect((await harness.navigateTree(custom, { summarize: false, edit: true })).editorText).toBe("mine");
    await expect(harness.navigateTree(replyOf(session, one!), { summarize: false, edit: true })).rejects.toMatchObject({
      code: "invalid_argument",
    });
  });
});

describe("a summary of the branch that is left", () => {
  it("is a child of the target that names the old leaf, and stands in the next request", async () => {
    const setup = testHarness();
    const { harness, session, model } = setup;
    const [one] = await talk(setup, "one", "two", "three");
    const target = replyOf(session, one!);
    const oldLeaf = session.getLeafId();
    const result = await harness.navigateTree(target, { summarize: true, customInstructions: "the API" });
    const entry = (await session.getEntry(result.summaryEntryId!)) as BranchSummaryEntry;
    expect(entry).toMatchObject({ type: "branch_summary", fromId: oldLeaf });
    expect(session.pathTo(entry.id)).toContain(target);
    expect(entry.fromHook).toBeUndefined();
    const prompt = summaryText(model.summaryRequests[0]);
    expect(prompt).toContain("[User]: two");
    expect(prompt).toContain("[User]: three");
    expect(prompt).not.toContain("[User]: one");
    expect(prompt).toContain("the API");
    await harness.prompt("four");
    expect(JSON.stringify(model.requests.at(-1)!.context.messages)).toContain("Summary 1");
  });

  it("across a compaction summarises only what is left behind, not what both share", async () => {
    const setup = testHarness({ model: { ...TEST_MODEL, contextWindow: 20_000, maxTokens: 2000 } });
    const { harness, session, model } = setup;
    const [one, two] = await talk(setup, `one ${long(500)}`, `two ${long(500)}`, `three ${long(500)}`);
    await harness.compact({ cut: { kind: "lastTurn" } });
    await talk(setup, "four");
    model.summaryRequests.length = 0;
    const target = replyOf(session, two!);
    expect(planNavigation(session, target).commonAncestorId).toBe(target);
    await harness.navigateTree(target, { summarize: true });
    const prompt = model.summaryRequests.map(summaryText).join();
    expect(prompt).toContain("[User]: three");
    expect(prompt).toContain("[User]: four");
    expect(prompt).toContain("Summary 1");
    expect(prompt).not.toContain("[User]: one");
    expect(prompt).not.toContain("[User]: two");
    expect(one).toBeDefined();
  });

  it("leaves out failed replies and honours dropped and changed entries", async () => {
    const setup = testHarness();
    const { harness, session, model } = setup;
    const [one] = await talk(setup, "one");
    const target = replyOf(session, one!);
    model.replies = [{ text: "HALF AN ANSWER", failure: { kind: "badRequest", message: "400" } }];
    const [two, three] = await talk(setup, "two", "three");
    await session.appendContextEdit(two!, null);
    await session.appendContextEdit(three!, { content: "three, edited" });
    await harness.navigateTree(target, { summarize: true });
    const prompt = summaryText(model.summaryRequests[0]);
    expect(prompt).not.toContain("HALF AN ANSWER");
    expect(prompt).not.toContain("[User]: two");
    expect(prompt).toContain("[User]: three, edited");
  });

  it("of a branch where nothing was said is a fixed text without a request; a move to a descendant has none", async () => {
    const setup = testHarness();
    const { harness, session, model } = setup;
    const [one, two] = await talk(setup, "one", "two");
    const end = session.getLeafId()!;
    await harness.navigateTree(replyOf(session, one!), { summarize: false });
    const back = await harness.navigateTree(end, { summarize: true });
    expect(back.summaryEntryId).toBeUndefined();
    await session.appendThinkingLevelChange("low");
    const result = await harness.navigateTree(replyOf(session, two!), { summarize: true });
    expect(model.summaryRequests.length).toBe(0);
    expect(result.cancelled).toBe(false);
  });

  it("can be the person's own text, or instructions that replace the prompt", async () => {
    const setup = testHarness();
    const { harness, session, model } = setup;
    const [one, two] = await talk(setup, "one", "two", "three");
    const own = await harness.navigateTree(replyOf(session, two!), { summarize: true, summary: "my words" });
    expect(await session.getEntry(own.summaryEntryId!)).toMatchObject({
      summary: "my words",
      details: { readFiles: [], modifiedFiles: [] },
    });
    expect(model.summaryRequests.length).toBe(0);
    await harness.navigateTree(replyOf(session, one!), {
      summarize: true,
      customInstructions: "ONLY THIS",
      replaceInstructions: true,
    });
    expect(summaryText(model.summaryRequests[0])).toContain("ONLY THIS");
    expect(summaryText(model.summaryRequests[0])).not.toContain("## Goal");
  });

  it("carries the files of the branch and of its compactions, but not those of hooks", async () => {
    const setup = testHarness();
    const { harness, session } = setup;
    const [one] = await talk(setup, "one", "two");
    await session.appendCompaction({
      summary: "s",
      firstKeptEntryId: session.getLeafId()!,
      tokensBefore: 1,
      details: { readFiles: ["kept.ts"], modifiedFiles: ["changed.ts"] },
    });
    await session.appendCompaction({
      summary: "s",
      firstKeptEntryId: session.getLeafId()!,
      tokensBefore: 1,
      fromHook: true,
      details: { readFiles: ["hook.ts"], modifiedFiles: [] },
    });
    await talk(setup, "three");
    const result = await harness.navigateTree(replyOf(session, one!), { summarize: true });
    const entry = (await session.getEntry(result.summaryEntryId!)) as BranchSummaryEntry;
    expect(entry.details).toEqual({ readFiles: ["kept.ts"], modifiedFiles: ["changed.ts"] });
    expect(entry.summary).toContain("<modified-files>\nchanged.ts\n</modified-files>");
  });

  it("carries what was pinned on the branch word for word", async () => {
    const setup = testHarness();
    const { harness, session } = setup;
    const [one, two] = await talk(setup, "one", "port 4711 is taken");
    await session.appendCustomEntry("coppice.pin", { targetId: two, pinned: true });
    const result = await harness.navigateTree(replyOf(session, one!), { summarize: true });
    expect(((await session.getEntry(result.summaryEntryId!)) as BranchSummaryEntry).summary).toContain(
      "port 4711 is taken",
    );
  });
});

describe("what fails or is cancelled moves nothing", () => {
  async function ready() {
    const setup = testHarness();
    const [one] = await talk(setup, "one", "two");
    const target = replyOf(setup.session, one!);
    const before = { size: setup.session.size(), leaf: setup.session.getLeafId() };
    const unmoved = () => {
      expect(setup.session.size()).toBe(before.size);
      expect(setup.session.getLeafId()).toBe(before.leaf);
      expect(setup.harness.phase).toBe("idle");
    };
    return { ...setup, target, unmoved };
  }

  it.each([
    ["fails", { failure: { kind: "notFound" as const, message: "404" } }],
    ["is empty", { text: "" }],
    ["is cut", { text: "## Goal\ncut", stopReason: "length" as const }],
    ["calls a tool", { calls: [{ id: "1", name: "read", arguments: {} }] }],
  ])("a summary that %s", async (_what, reply) => {
    const { harness, model, target, unmoved } = await ready();
    model.summary = () => reply;
    await expect(harness.navigateTree(target, { summarize: true })).rejects.toMatchObject({
      code: "summarization_failed",
    });
    unmoved();
  });

  it("Stop while the summary is written", async () => {
    const { harness, model, target, unmoved } = await ready();
    model.summary = () => ({ text: "## Goal", until: new Promise(() => {}) });
    const move = harness.navigateTree(target, { summarize: true });
    await new Promise((resolve) => setTimeout(resolve, 10));
    harness.abort();
    expect((await move).cancelled).toBe(true);
    unmoved();
  });

  it("a hook that cancels, and Stop while a hook thinks", async () => {
    const { harness, hooks, target, unmoved } = await ready();
    const takeBack = hooks.on("session_before_tree", () => ({ cancel: true }));
    expect((await harness.navigateTree(target, { summarize: false })).cancelled).toBe(true);
    unmoved();
    takeBack();
    hooks.on("session_before_tree", () => new Promise(() => {}));
    const move = harness.navigateTree(target, { summarize: false });
    await new Promise((resolve) => setTimeout(resolve, 5));
    harness.abort();
    expect((await move).cancelled).toBe(true);
    unmoved();
  });

  it("a disk that refuses the write", async () => {
    const { harness, session, target, unmoved } = await ready();
    const move = vi.spyOn(session, "moveTo").mockRejectedValue(new Error("EIO"));
    await expect(harness.navigateTree(target, { summarize: false })).rejects.toThrow("EIO");
    move.mockRestore();
    unmoved();
  });
});

describe("labels and hooks of a move", () => {
  it("a label goes to the summary where there is one, else to the target", async () => {
    const setup = testHarness();
    const { harness, session } = setup;
    const [one, two] = await talk(setup, "one", "two", "three");
    const plain = replyOf(session, two!);
    await harness.navigateTree(plain, { summarize: false, label: "here" });
    expect(session.getLabel(plain)).toBe("here");
    const target = replyOf(session, one!);
    const result = await harness.navigateTree(target, { summarize: true, label: " left " });
    expect(session.getLabel(result.summaryEntryId!)).toBe("left");
    expect(session.getLabel(target)).toBeUndefined();
  });

  it("the hook sees what will be left and may label, instruct or summarise, the last only where the person wants it", async () => {
    const setup = testHarness();
    const { harness, session, hooks, model } = setup;
    const [one, two] = await talk(setup, "one", "two", "three");
    const seen: unknown[] = [];
    hooks.on("session_before_tree", ({ preparation }) => {
      seen.push({ ...preparation, entriesToSummarize: preparation.entriesToSummarize.length });
      return { summary: { summary: "by a hook", details: { readFiles: ["x"] } }, label: "hooked" };
    });
    const oldLeafId = session.getLeafId();
    const target = replyOf(session, two!);
    const without = await harness.navigateTree(target, { summarize: false });
    expect(without.summaryEntryId).toBeUndefined();
    expect(seen[0]).toMatchObject({ targetId: target, oldLeafId, commonAncestorId: target, userWantsSummary: false });
    expect(session.getLabel(target)).toBe("hooked");
    const wanted = await harness.navigateTree(replyOf(session, one!), { summarize: true });
    expect(await session.getEntry(wanted.summaryEntryId!)).toMatchObject({ summary: "by a hook", fromHook: true });
    expect(model.summaryRequests.length).toBe(0);
  });
});

describe("a branch summary that is edited before it is attached", () => {
  const USAGE = { input: 900, output: 100, cacheRead: 0, cacheWrite: 0, totalTokens: 1000 };
  /** A session in which files were read and changed on the branch that is left; its target is the first reply. */
  async function parted() {
    const setup = testHarness();
    const { session, model } = setup;
    const [one] = await talk(setup, "one", "two");
    await session.appendCompaction({
      summary: "s",
      firstKeptEntryId: session.getLeafId()!,
      tokensBefore: 1,
      details: { readFiles: ["kept.ts"], modifiedFiles: ["changed.ts"] },
    });
    await talk(setup, "three");
    const target = replyOf(session, one!);
    model.summary = () => ({ text: "## Goal\nas generated", totalTokens: 1000 });
    return { ...setup, target, lines: () => Promise.all([...session.allIds()].map((id) => session.getRawLine(id))) };
  }

  it("is written without a move, and what is attached and sent next is the edited text", async () => {
    const { harness, session, model, target, lines } = await parted();
    const before = await lines();
    const oldLeaf = session.getLeafId();
    const draft = (await harness.draftBranchSummary(target, { customInstructions: "the API" }))!;
    expect(draft.summary).toContain("as generated");
    expect(summaryText(model.summaryRequests[0])).toContain("the API");
    expect([session.getLeafId(), await lines()]).toEqual([oldLeaf, before]);
    const edited = { ...draft, summary: "MINE, WITHOUT ANY LIST" };
    const result = await harness.navigateTree(target, { summarize: true, draft: edited });
    const entry = (await session.getEntry(result.summaryEntryId!)) as BranchSummaryEntry;
    expect(entry).toMatchObject({
      summary: "MINE, WITHOUT ANY LIST",
      fromId: oldLeaf,
      details: { readFiles: ["kept.ts"], modifiedFiles: ["changed.ts"] },
    });
    expect(entry.usage).toEqual(draft.usage);
    expect(entry.usage).toMatchObject({ totalTokens: USAGE.totalTokens });
    expect(model.summaryRequests.length).toBe(1);
    await harness.prompt("four");
    const sent = JSON.stringify(model.requests.at(-1)!.context.messages);
    expect(sent).toContain("MINE, WITHOUT ANY LIST");
    expect(sent).not.toContain("as generated");
  });

  it("that is cancelled while it is written leaves the session as it was, byte for byte", async () => {
    const { harness, session, model, target, lines } = await parted();
    const before = await lines();
    const leaf = session.getLeafId();
    model.summary = () => ({ text: "half", until: new Promise(() => {}) });
    const drafted = harness.draftBranchSummary(target);
    await expect.poll(() => model.summaryRequests.length).toBe(1);
    harness.abort();
    expect(await drafted).toBeUndefined();
    expect([session.getLeafId(), await lines(), harness.phase]).toEqual([leaf, before, "idle"]);
  });

  it("is refused once the conversation went on, and nothing moves", async () => {
    const { harness, session, target, lines } = await parted();
    const draft = (await harness.draftBranchSummary(target))!;
    await harness.prompt("meanwhile");
    const before = await lines();
    await expect(harness.navigateTree(target, { summarize: true, draft })).rejects.toMatchObject({
      code: "invalid_state",
    });
    expect(await lines()).toEqual(before);
    expect((await contents(session)).join()).toContain("meanwhile");
  });

  it("is not outdated by a label or a name that was given meanwhile", async () => {
    const { harness, session, target } = await parted();
    const draft = (await harness.draftBranchSummary(target))!;
    await session.appendLabel(target, "here");
    await session.appendSessionName("named");
    const result = await harness.navigateTree(target, { summarize: true, draft });
    expect(session.node(result.summaryEntryId!)?.type).toBe("branch_summary");
  });

  it("is refused for another target, and when nothing is left of it", async () => {
    const { harness, target, lines } = await parted();
    const draft = (await harness.draftBranchSummary(target))!;
    const before = await lines();
    for (const [goal, summary, code] of [
      [null, draft.summary, "invalid_state"],
      [target, "  \n", "invalid_argument"],
    ] as const) {
      const move = harness.navigateTree(goal, { summarize: true, draft: { ...draft, summary } });
      await expect(move).rejects.toMatchObject({ code });
    }
    expect(await lines()).toEqual(before);
  });

  it("asks the hooks once, when it is written; they may cancel, write it, or label the place", async () => {
    const { harness, session, hooks, target, model, lines } = await parted();
    let asked = 0;
    let cancel = true;
    hooks.on("session_before_tree", async (event) => {
      asked++;
      expect(event.preparation.userWantsSummary).toBe(true);
      if (cancel) return { cancel: true };
      return { summary: { summary: "by a hook", details: { own: 1 } }, label: "hooked" };
    });
    const before = await lines();
    expect(await harness.draftBranchSummary(target)).toBeUndefined();
    expect(await lines()).toEqual(before);
    cancel = false;
    const draft = (await harness.draftBranchSummary(target))!;
    const result = await harness.navigateTree(target, {
      summarize: true,
      draft: { ...draft, summary: `${draft.summary}, edited` },
    });
    expect([asked, model.summaryRequests.length]).toEqual([2, 0]);
    const entry = await session.getEntry(result.summaryEntryId!);
    expect(entry).toMatchObject({ summary: "by a hook, edited", fromHook: true, details: { own: 1 } });
    expect(session.getLabel(result.summaryEntryId!)).toBe("hooked");
  });

  it("is not offered where nothing would be left behind, and a failing model is told of", async () => {
    const { harness, session, model, target, lines } = await parted();
    const before = await lines();
    await expect(harness.draftBranchSummary(session.getLeafId())).rejects.toMatchObject({ code: "invalid_argument" });
    model.summary = () => ({ failure: { kind: "badRequest", message: "400" } });
    await expect(harness.draftBranchSummary(target)).rejects.toMatchObject({ code: "summarization_failed" });
    expect(await lines()).toEqual(before);
  });
});
