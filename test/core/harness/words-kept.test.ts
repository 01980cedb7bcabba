// What a person typed is in the session, in a queue, or theirs again: at every moment at which they can press Stop.
import { describe, expect, it } from "vitest";
import { isCutOff } from "../../../src/core/llm/cut-off.ts";
import { contentText } from "../../../src/core/llm/messages.ts";
import { eventNames, TEST_MODEL, testHarness } from "../../support/scripted-model.ts";

const SMALL = { ...TEST_MODEL, contextWindow: 10_000, maxTokens: 2000 };
const long = (chars: number) => "x".repeat(chars);

describe("a prompt that is stopped while it starts", () => {
  it("is not taken, not saved and not sent", async () => {
    const { harness, model, session } = testHarness({
      overrides: {
        systemPrompt: async () => {
          harness.abort();
          return "system";
        },
      },
    });
    let taken = 0;
    await expect(harness.prompt("go", [], () => taken++)).rejects.toMatchObject({ code: "invalid_state" });
    expect([taken, model.requests.length, session.size()]).toEqual([0, 0, 0]);
    expect(harness.phase).toBe("idle");
  });

  it("is stopped by a hook that waits, too", async () => {
    const { harness, model, hooks } = testHarness();
    hooks.on("before_agent_start", async () => {
      harness.abort();
      return undefined;
    });
    let taken = 0;
    await harness.prompt("go", [], () => taken++).catch(() => {});
    expect([taken, model.requests.length]).toEqual([0, 0]);
  });

  it("is taken once where nothing stops it", async () => {
    const { harness, model, session } = testHarness();
    model.replies = [{ text: "ok" }];
    let taken = 0;
    let savedThen = -1;
    const run = harness.prompt("go", [], () => {
      taken++;
      savedThen = session.size();
    });
    await run;
    expect(taken).toBe(1);
    expect(savedThen).toBeGreaterThanOrEqual(0);
    expect((await session.buildContext()).messages.map((m) => m.role)).toEqual(["user", "assistant"]);
  });
});

describe("queued messages", () => {
  it("are told of when an abort takes them out", async () => {
    const { harness, model, events } = testHarness();
    model.replies = [{ text: "half", until: new Promise(() => {}) }];
    const run = harness.prompt("go");
    await expect.poll(() => model.requests.length).toBe(1);
    harness.steer("one");
    harness.followUp("two");
    harness.abort();
    await run;
    const told = events.flatMap((event) => (event.type === "queue_returned" ? event.items : []));
    expect(told.map((item) => item.message.role === "user" && contentText(item.message.content))).toEqual([
      "one",
      "two",
    ]);
    expect(model.requests.length).toBe(1);
  });

  it.each(["fails", "works"])("get their run after a compaction that %s", async (how) => {
    const { harness, model, session } = testHarness({ model: SMALL });
    for (let turn = 0; turn < 4; turn++) {
      model.replies.push({ text: long(700), totalTokens: 1000 });
      await harness.prompt(`turn ${turn} ${long(9000)}`);
    }
    const requests = model.requests.length;
    let typed = false;
    model.summary = () => {
      if (!typed) harness.followUp("typed meanwhile");
      typed = true;
      return how === "works" ? { text: "## Goal\nx" } : { failure: { kind: "notFound", message: "404" } };
    };
    model.replies = [{ text: "answered" }];
    await harness.compact().catch(() => {});
    await harness.waitForIdle();
    expect(model.requests.length).toBe(requests + 1);
    const { messages } = await session.buildContext();
    expect(JSON.stringify(messages.slice(-2))).toMatch(/typed meanwhile.*answered/);
  });
});

describe("messages that are typed while the position moves", () => {
  it.each(["fails", "is cancelled", "works"])(
    "get their run where the position is after a move that %s",
    async (how) => {
      const { harness, model, session, hooks } = testHarness();
      await harness.prompt("one");
      const target = session.getLeafId()!;
      await harness.prompt("two");
      const requests = model.requests.length;
      hooks.on("session_before_tree", async () => {
        harness.followUp("typed meanwhile");
        return how === "is cancelled" ? { cancel: true } : undefined;
      });
      model.summary = () =>
        how === "works" ? { text: "## Goal\nx" } : { failure: { kind: "notFound", message: "404" } };
      model.replies = [{ text: "answered" }];
      await harness.navigateTree(target, { summarize: true }).catch(() => {});
      await harness.waitForIdle();
      expect(model.requests.length).toBe(requests + 1);
      const said = JSON.stringify((await session.buildContext()).messages);
      expect(said).toMatch(/typed meanwhile.*answered/);
      expect(said.includes('"two"')).toBe(how !== "works");
      expect(harness.queues).toEqual({ steering: [], followUp: [] });
    },
  );
});

describe("a reply that is being written", () => {
  const ended = async (end: (harness: ReturnType<typeof testHarness>["harness"]) => Promise<unknown>) => {
    const { harness, model, session, events } = testHarness();
    model.replies = [{ text: "half", until: new Promise(() => {}) }];
    const run = harness.prompt("go");
    await expect.poll(() => eventNames(events, "message_update").length).toBeGreaterThan(0);
    await end(harness);
    await run.catch(() => {});
    const entry = await session.getEntry(session.getLeafId()!);
    return entry?.type === "message" && entry.message.role === "assistant" ? entry.message : expect.fail("no reply");
  };

  it("is kept as far as it came when the session closes, as cut off and not as stopped by the person", async () => {
    const reply = await ended((harness) => harness.dispose());
    expect(contentText(reply.content as { type: string; text?: string }[])).toBe("half");
    expect([reply.stopReason, isCutOff(reply)]).toEqual(["aborted", true]);
  });

  it("is the person's stop where they stopped it before the session closes", async () => {
    const reply = await ended(async (harness) => {
      harness.abort();
      await harness.dispose();
    });
    expect([reply.stopReason, isCutOff(reply)]).toEqual(["aborted", false]);
  });
});

describe("an automatic compaction that keeps failing", () => {
  it("is asked for three times at most, and each prompt is answered", async () => {
    const { harness, model, events } = testHarness({ model: SMALL });
    let summaries = 0;
    model.summary = () => {
      summaries++;
      return { failure: { kind: "notFound", message: "404" } };
    };
    for (let turn = 0; turn < 20; turn++) {
      model.replies.push({ text: long(100), totalTokens: 8000 + turn * 600 });
      await harness.prompt(`turn ${turn} ${long(900)}`);
    }
    expect(model.requests.length).toBe(20);
    expect(summaries).toBeGreaterThan(0);
    expect(summaries).toBeLessThanOrEqual(6);
    expect(eventNames(events, "agent_settled").length).toBe(20);
  });
});
