import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { AgentTool } from "../../../src/core/agent/agent-tool.ts";
import { TURN_PREFIX_PROMPT } from "../../../src/core/compaction/summary-prompts.ts";
import { CompactionError, HarnessError, SessionError } from "../../../src/core/errors.ts";
import { newestCompaction } from "../../../src/core/harness/undo-compaction.ts";
import { convertToLlm } from "../../../src/core/llm/messages.ts";
import type { Api } from "../../../src/core/llm/model.ts";
import type { Session } from "../../../src/core/session/session.ts";
import { isVisible } from "../../../src/core/session/siblings.ts";
import { describeTool } from "../../../src/core/tools/describe-tool.ts";
import { previewRequest } from "../../../src/providers/request-preview.ts";
import { parseBody } from "../../support/model-server-parse.ts";
import type { ServerApi } from "../../support/model-server-script.ts";
import { ScriptedModel, type ScriptedReply, TEST_MODEL, testHarness } from "../../support/scripted-model.ts";
import { CWD, HEADER, line, testRepo, userLine } from "../../support/session-files.ts";

const SMALL = { ...TEST_MODEL, contextWindow: 10_000, maxTokens: 2000 };
const WIRES: Api[] = ["anthropic-messages", "openai-responses", "openai-completions", "ollama-chat"];
const ECHO: AgentTool = {
  name: "echo",
  label: "echo",
  description: "echo",
  schema: z.object({ text: z.string() }),
  execute: async ({ params }) => ({ content: [{ type: "text", text: `echo ${(params as { text: string }).text}` }] }),
};
const long = (tokens: number) => "word ".repeat(Math.ceil((tokens * 4) / 5));

type Step = { kind: (typeof KINDS)[number]; pick: number; n: number };
const KINDS = [
  "prompt",
  "prompt",
  "tools",
  "fail",
  "overflow",
  "cut",
  "compact",
  "undo",
  "navigate",
  "summarise",
  "edit",
  "label",
  "drop",
  "pin",
  "fork",
  "reopen",
] as const;
const STEP: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  pick: fc.double({ min: 0, max: 0.999, noNaN: true }),
  n: fc.nat(1000),
});
/** Refusals that tell the person why nothing was done. */
const REFUSALS = new Set(["nothing_to_compact", "invalid_argument", "summarization_failed", "not_found"]);

class World {
  readonly disk = testRepo();
  session: Session = this.disk.repo.create({ cwd: CWD });
  setup = this.#harness();
  /** Lines of the file by id, as first seen. */
  lines = new Map<string, string>();
  calls = 0;

  #harness() {
    const scripted = new ScriptedModel();
    scripted.summary = ({ context }, index) => {
      const prompt = (context.messages[0] as { content: string }).content;
      if (prompt.includes(TURN_PREFIX_PROMPT)) return { text: `## Original Request\nrequest ${index}` };
      const constraints = `## Constraints & Preferences\n- keep ${index % 3}`;
      return { text: `## Goal\nGoal ${index}\n\n${constraints}\n\n## Critical Context\n- (none)` };
    };
    return testHarness({ model: SMALL, session: this.session, scripted, tools: [ECHO] });
  }

  async reopen(): Promise<void> {
    const { file } = this.session;
    const before = { leaf: this.session.getLeafId(), context: await this.session.buildContext() };
    await this.setup.harness.dispose();
    if (!this.disk.fs.files.has(file!)) return this.#start(this.disk.repo.create({ cwd: CWD }));
    await this.#start(await this.disk.repo.open(file!));
    expect(this.session.getLeafId()).toBe(before.leaf);
    expect((await this.session.buildContext()).messages).toEqual(before.context.messages);
    expect(this.session.badLines()).toEqual([]);
  }
  async #start(session: Session): Promise<void> {
    this.session = session;
    this.setup = this.#harness();
    await this.setup.harness.restore();
  }

  #choose(pick: number, accepts: (id: string) => boolean): string | undefined {
    const ids = [...this.session.allIds()].filter(accepts);
    return ids[Math.floor(pick * ids.length)];
  }
  #visible(pick: number) {
    return this.#choose(pick, (id) => isVisible(this.session.node(id)!));
  }

  async play({ kind, pick, n }: Step): Promise<void> {
    const { harness, model } = this.setup;
    const id = `c${++this.calls}`;
    const call: ScriptedReply = { text: "I look", calls: [{ id, name: "echo", arguments: { text: `${n}` } }] };
    const scripts: Partial<Record<Step["kind"], ScriptedReply[]>> = {
      prompt: [{ text: `answer ${n} ${long(n % 300)}` }],
      tools: [call, { ...call, calls: [{ id: `${id}b`, name: "nope", arguments: {} }] }, { text: `done ${n}` }],
      fail: [call, { text: "half", failure: { kind: "badRequest", message: "400" } }],
      overflow: [{ failure: { kind: "overflow", message: "prompt is too long" } }, { text: "fits now" }],
      cut: [{ ...call, stopReason: "length" }, { text: "after the cut" }],
    };
    const script = scripts[kind];
    if (script !== undefined) {
      model.replies = script;
      await harness.prompt(`prompt ${n} ${long(n % 500)}`);
      model.replies = [];
      return;
    }
    const path = this.session.pathTo(this.session.getLeafId());
    const onPath = path.filter((entryId) => isVisible(this.session.node(entryId)!));
    const chosen = onPath[Math.floor(pick * onPath.length)];
    const options = { summarize: kind === "summarise" };
    if (kind === "compact") await harness.compact(pick < 0.5 ? { cut: { kind: "lastTurn" } } : {});
    else if (kind === "undo") {
      const newest = newestCompaction(this.session, this.session.getLeafId());
      if (newest !== undefined) await harness.undoCompaction(newest);
    } else if (kind === "navigate" || kind === "summarise") {
      await harness.navigateTree(pick < 0.05 ? null : (this.#visible(pick) ?? null), options);
    } else if (kind === "edit") {
      const own = this.#choose(pick, (entryId) => this.session.node(entryId)?.role === "user");
      if (own !== undefined) await harness.navigateTree(own, { summarize: false, edit: true });
    } else if (kind === "fork") await this.#fork(pick);
    else if (kind === "reopen") await this.reopen();
    else if (chosen !== undefined) {
      if (kind === "label") await this.session.appendLabel(chosen, n % 3 === 0 ? undefined : `label ${n}`);
      else if (kind === "drop")
        await this.session.appendContextEdit(chosen, n % 2 === 0 ? null : { content: `edited ${n}` });
      else if (kind === "pin") {
        await this.session.appendCustomEntry("coppice.pin", { targetId: chosen, pinned: n % 4 !== 0 });
      }
    }
  }

  async #fork(pick: number): Promise<void> {
    const at = this.#choose(pick, (id) => this.session.node(id)?.type === "message");
    if (at === undefined || !this.disk.fs.files.has(this.session.file!)) return;
    const before = (await this.session.buildContext(at)).messages;
    const fork = await this.disk.repo.fork(this.session, { kind: "at", entryId: at });
    expect((await fork.buildContext()).messages).toEqual(before);
    await this.setup.harness.dispose();
    this.lines.clear();
    await this.#start(fork);
  }

  /** What must hold after every step. */
  async check(step: Step): Promise<void> {
    const { session, setup } = this;
    expect(setup.harness.phase).toBe("idle");
    expect(setup.harness.unsavedCount).toBe(0);
    const { messages } = await session.buildContext();
    const summaries = messages.filter((message) => message.role === "compactionSummary");
    expect(summaries.length).toBeLessThanOrEqual(1);
    for (const { summary } of summaries) {
      expect(summary.match(/^## Goal/gm)?.length ?? 0, "summaries nest").toBeLessThanOrEqual(1);
      expect(summary.match(/^- Last summarised request, verbatim:/gm)?.length ?? 0).toBeLessThanOrEqual(1);
      expect(summary.match(/<modified-files>/g)?.length ?? 0).toBeLessThanOrEqual(1);
    }
    for (const [id, text] of this.lines) expect(await session.getRawLine(id), `entry ${id} is lost`).toBe(text);
    for (const id of session.allIds()) if (!this.lines.has(id)) this.lines.set(id, (await session.getRawLine(id))!);
    const sent = setup.model.requests.at(-1);
    if (sent !== undefined && ["prompt", "tools", "cut"].includes(step.kind)) {
      const path = session.pathTo(session.getLeafId());
      const reply = path.findLast((id) => session.node(id)?.role === "assistant")!;
      const compactedAfter = path.indexOf(reply) < path.findLastIndex((id) => session.node(id)?.type === "compaction");
      const before = await session.buildContext(session.node(reply)!.parentId);
      if (!compactedAfter) {
        expect(JSON.stringify(sent.context.messages)).toBe(JSON.stringify(convertToLlm(before.messages)));
      }
    }
    // Whatever was done, the next prompt makes a request that every provider takes.
    const next = [...convertToLlm(messages), { role: "user" as const, content: "next", timestamp: 1 }];
    for (const api of WIRES) {
      const context = { systemPrompt: "system", messages: next, tools: [describeTool(ECHO)] };
      const { body } = previewRequest({ ...SMALL, api }, context);
      parseBody(api as ServerApi, JSON.parse(JSON.stringify(body)), "default");
    }
  }
}

async function live(steps: readonly Step[]): Promise<void> {
  const world = new World();
  for (const step of steps) {
    try {
      await world.play(step);
    } catch (error) {
      const known = error instanceof HarnessError || error instanceof CompactionError || error instanceof SessionError;
      if (!known || !REFUSALS.has(error.code)) throw error;
    }
    await world.check(step);
  }
  await world.reopen();
}

describe("a long life", () => {
  it("of random prompts, compactions, moves, edits, forks and reopenings loses nothing and sends what is shown", async () => {
    await fc.assert(fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 40 }), live), {
      numRuns: Number(process.env.LONG_LIFE_RUNS ?? 60),
      seed: Number(process.env.LONG_LIFE_SEED ?? 20260101),
    });
  }, 600_000);
});

describe("undo", () => {
  it.each(Array.from({ length: 20 }, (_, index) => index + 1))(
    "%i turns later, with the file opened again before and after, equals a twin that was never compacted",
    async (turns) => {
      const build = async (compacts: boolean) => {
        const world = new World();
        const prompt = async (text: string, answer: string) => {
          world.setup.settings.compaction.enabled = false;
          world.setup.model.replies = [{ text: answer }];
          await world.setup.harness.prompt(text);
        };
        for (let turn = 0; turn < 5; turn++) await prompt(`turn ${turn} ${long(700)}`, `answer ${turn}`);
        const id = compacts ? await world.setup.harness.compact() : undefined;
        for (let turn = 0; turn < turns; turn++) {
          await prompt(`later ${turn} ${long(100)}`, `later answer ${turn}`);
          if (turn === Math.floor(turns / 2)) await world.reopen();
        }
        if (id !== undefined) await world.setup.harness.undoCompaction(id);
        await world.reopen();
        const { messages } = await world.session.buildContext();
        return messages.map(({ timestamp: _timestamp, ...rest }) => rest);
      };
      expect(await build(true)).toEqual(await build(false));
    },
  );
});

describe("after a crash", () => {
  const call = (id: string) => ({ type: "toolCall", id, name: "echo", arguments: { text: id } });
  const reply = (id: string, parentId: string, ...calls: string[]) =>
    line("message", id, parentId, {
      message: {
        role: "assistant",
        content: calls.map(call),
        api: "anthropic-messages",
        provider: "test",
        model: "scripted",
        usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2, cost: {} },
        stopReason: "toolUse",
        timestamp: 2,
      },
    });
  const result = (id: string, parentId: string, toolCallId: string) =>
    line("message", id, parentId, {
      message: {
        role: "toolResult",
        toolCallId,
        toolName: "echo",
        content: [{ type: "text", text: "ran" }],
        isError: false,
      },
    });

  it.each([
    ["all of its calls open", [reply("bbbbbbbb", "aaaaaaaa", "c1", "c2")], 2],
    ["one of two calls open", [reply("bbbbbbbb", "aaaaaaaa", "c1", "c2"), result("cccccccc", "bbbbbbbb", "c1")], 1],
  ])("a turn with %s is told as interrupted, and nothing runs again", async (_what, lines, open) => {
    const { fs, repo } = testRepo();
    fs.write("/s.jsonl", `${[HEADER, userLine("aaaaaaaa", null), ...lines].join("\n")}\n`);
    let ran = 0;
    const tool: AgentTool = {
      ...ECHO,
      execute: async () => {
        ran++;
        return { content: [] };
      },
    };
    const session = await repo.open("/s.jsonl");
    const { harness, model } = testHarness({ session, tools: [tool] });
    await harness.restore();
    await harness.prompt("go on");
    expect(ran).toBe(0);
    for (const api of WIRES) {
      const { context } = model.requests[0]!;
      const { body, history } = previewRequest({ ...SMALL, api }, context);
      parseBody(api as ServerApi, JSON.parse(JSON.stringify(body)), "default");
      const results = history.messages.filter((message) => message.role === "toolResult");
      expect(results.length).toBe(2);
      const interrupted = results.filter((message) => /interrupted/i.test(JSON.stringify(message.content)));
      expect(interrupted.length).toBe(open);
      expect(interrupted.every((message) => message.role === "toolResult" && message.isError)).toBe(true);
    }
  });
});
