import { describe, expect, it } from "vitest";
import type { AgentTool } from "../../../src/core/agent/agent-tool.ts";
import type { Session } from "../../../src/core/session/session.ts";
import { createRecallTool } from "../../../src/core/tools/recall.ts";
import { TEST_MODEL, testHarness } from "../../support/scripted-model.ts";

const long = (tokens: number) => "word ".repeat(Math.ceil((tokens * 4) / 5));
const SMALL = { ...TEST_MODEL, contextWindow: 10_000, maxTokens: 2000 };

async function ask(tool: AgentTool, params: Record<string, unknown>) {
  const signal = new AbortController().signal;
  const result = await tool.execute({ toolCallId: "r", params, signal, onUpdate: () => {} });
  const text = result.content.map((part) => (part.type === "text" ? part.text : "")).join("");
  return { text, hits: (result.details as { hits?: string[] }).hits ?? [] };
}
const users = (session: Session) => [...session.allIds()].filter((id) => session.node(id)?.role === "user");

const THINGS =
  "staging database|payment gateway|search cluster|mail relay|build cache|login page|export job|nightly backup|metrics board|audit log".split(
    "|",
  );
const QUALITIES: [string, (n: number) => string, string][] = [
  ["listens on port", (n) => `${4200 + n * 7}`, "which port"],
  ["was moved to region", (n) => `eu-${n}-north`, "region moved"],
  ["is owned by", (n) => `Person${n} Example`, "owned by whom"],
  ["times out after", (n) => `${n * 3 + 11} seconds`, "times out"],
  ["must never be deployed on", (n) => ["Mondays", "Fridays", "holidays"][n % 3]!, "deployed never"],
];

describe("recall", () => {
  it("finds at least 48 of 50 facts planted before five compactions among its first three hits", async () => {
    const { harness, session } = testHarness({ model: SMALL });
    const facts: { query: string; answer: string }[] = [];
    for (const [t, thing] of THINGS.entries()) {
      for (const [q, [verb, value, question]] of QUALITIES.entries()) {
        const answer = `The ${thing} ${verb} ${value(t * 5 + q)}.`;
        facts.push({ query: `${thing} ${question}`, answer });
        await harness.prompt(`${long(60)} By the way: ${answer} ${long(60)} Thanks for number ${t}.${q}.`);
      }
      if (t % 2 === 1) await harness.compact({ cut: { kind: "lastTurn" } });
    }
    await harness.prompt("and now something else");
    await harness.compact({ cut: { kind: "lastTurn" } });
    const tool = createRecallTool(session);
    let found = 0;
    for (const { query, answer } of facts) {
      const { text, hits } = await ask(tool, { query, limit: 3 });
      expect(hits.length).toBeLessThanOrEqual(3);
      if (text.includes(answer)) found++;
    }
    expect(facts.length).toBe(50);
    expect(found).toBeGreaterThanOrEqual(48);
  });

  it("finds identifiers by their parts, plurals by their singular, and Chinese by pairs of characters", async () => {
    const { harness, session, model } = testHarness();
    model.replies = [
      { calls: [{ id: "c", name: "nope", arguments: { command: "set maxRetryDelay=77" } }] },
      { text: "done" },
    ];
    await harness.prompt("change the delays of retries");
    await harness.prompt("部署窗口是每周三凌晨两点");
    await harness.prompt("last");
    await harness.compact({ cut: { kind: "lastTurn" } });
    const tool = createRecallTool(session);
    expect((await ask(tool, { query: "retry delay" })).text).toContain("maxRetryDelay: 77".replace(": ", "="));
    expect((await ask(tool, { query: "retry" })).hits.length).toBeGreaterThanOrEqual(2);
    expect((await ask(tool, { query: "部署窗口" })).text).toContain("凌晨两点");
  });

  it("leaves out what the model has before it, and other branches unless they are asked for", async () => {
    const { harness, session } = testHarness();
    await harness.prompt("root of it");
    const root = session.getLeafId();
    await harness.prompt("the kiwi was ripe");
    await harness.navigateTree(root, { summarize: false });
    await harness.prompt("the mango was ripe");
    await harness.prompt("next");
    const tool = createRecallTool(session);
    expect((await ask(tool, { query: "ripe" })).hits).toEqual([]);
    await harness.compact({ cut: { kind: "lastTurn" } });
    expect((await ask(tool, { query: "ripe" })).text).toContain("mango");
    expect((await ask(tool, { query: "ripe" })).text).not.toContain("kiwi");
    const all = await ask(tool, { query: "ripe", branches: "all" });
    expect(all.text).toContain("kiwi");
    expect(all.text).toContain("another branch");
  });

  it("reads one entry whole, page by page, and another branch's only when asked for", async () => {
    const { harness, session } = testHarness();
    await harness.prompt(`start ${"x".repeat(30_000)} end`);
    const first = users(session)[0]!;
    const root = session.getLeafId();
    await harness.prompt("aside");
    const aside = users(session)[1]!;
    await harness.navigateTree(root, { summarize: false });
    await harness.prompt("main");
    const tool = createRecallTool(session);
    const page = await ask(tool, { id: first });
    expect(page.text).toContain(`[${first}] user`);
    expect(page.text).toContain("10010 more characters; go on with offset 20000");
    expect((await ask(tool, { id: first, offset: 20_000 })).text.endsWith("x end")).toBe(true);
    await expect(ask(tool, { id: aside })).rejects.toThrow("another branch");
    expect((await ask(tool, { id: aside, branches: "all" })).text).toContain("aside");
    await expect(ask(tool, { id: "nope" })).rejects.toThrow("no entry");
    await expect(ask(tool, {})).rejects.toThrow("query");
  });

  it("knows what was said since its last question, and does not find its own answers", async () => {
    const { harness, session, model } = testHarness({});
    await harness.prompt("zebra one");
    await harness.prompt("x");
    await harness.compact({ cut: { kind: "lastTurn" } });
    const tool = createRecallTool(session);
    expect((await ask(tool, { query: "zebra" })).hits.length).toBe(1);
    await session.appendMessage({
      role: "toolResult",
      toolCallId: "r",
      toolName: "recall",
      content: [{ type: "text", text: "zebra zebra zebra" }],
      isError: false,
      timestamp: 0,
    });
    model.replies = [{ text: "ok" }];
    await harness.prompt("zebra two");
    await harness.prompt("y");
    await harness.compact({ cut: { kind: "lastTurn" } });
    expect((await ask(tool, { query: "zebra" })).hits.length).toBe(2);
  });

  it("shows copies of an undone compaction once, and no control bytes", async () => {
    const { harness, session } = testHarness();
    await harness.prompt("one");
    await harness.prompt("two");
    const id = await harness.compact({ cut: { kind: "lastTurn" } });
    await harness.prompt("the \u0007giraffe\u0008 \u001b[31m");
    await harness.undoCompaction(id);
    await harness.prompt("end");
    await harness.compact({ cut: { kind: "lastTurn" } });
    const { text, hits } = await ask(createRecallTool(session), { query: "giraffe", branches: "all" });
    expect(hits.length).toBe(1);
    expect(text).not.toContain("\u001b");
  });

  it("is built in for a session, and the system prompt may speak of it", async () => {
    const { session } = testHarness();
    expect(createRecallTool(session)).toMatchObject({ name: "recall" });
    expect(createRecallTool(session).propose).toBeUndefined();
  });
});
