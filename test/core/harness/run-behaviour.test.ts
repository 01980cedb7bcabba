import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { AgentTool } from "../../../src/core/agent/agent-tool.ts";
import { eventNames, ScriptedModel, TEST_MODEL, testHarness } from "../../support/scripted-model.ts";

function echoTool(name: string, extra: Partial<AgentTool> = {}): AgentTool {
  return {
    name,
    label: name,
    description: name,
    schema: z.object({ text: z.string() }),
    execute: async ({ params }) => ({ content: [{ type: "text", text: `echo ${(params as { text: string }).text}` }] }),
    ...extra,
  };
}
const call = (id: string, name = "echo", args: Record<string, unknown> = { text: id }) => ({
  id,
  name,
  arguments: args,
});

describe("the order of a run", () => {
  it("is that of the reference, with a save point after each turn", async () => {
    const { harness, model, events } = testHarness({ tools: [echoTool("echo")] });
    model.replies = [{ text: "looking", calls: [call("c1")] }, { text: "done" }];
    await harness.prompt("go");
    const names = eventNames(events).filter(
      (name) => !["message_update", "phase_change", "entries_saved", "queue_update"].includes(name),
    );
    expect(names).toEqual([
      "agent_start",
      "turn_start",
      "message_start",
      "message_end",
      "message_start",
      "message_end",
      "tool_execution_start",
      "tool_execution_end",
      "message_start",
      "message_end",
      "turn_end",
      "save_point",
      "turn_start",
      "message_start",
      "message_end",
      "turn_end",
      "save_point",
      "agent_end",
      "settled",
      "agent_settled",
    ]);
  });

  it("puts the prompt on disk before the request leaves, and a request for tools before they run", async () => {
    const order: string[] = [];
    const scripted = new ScriptedModel();
    const tool = echoTool("echo", {
      execute: async () => {
        order.push("tool runs");
        return { content: [] };
      },
    });
    const setup = testHarness({ tools: [tool], scripted });
    setup.session.onDidChange(({ appended }) => order.push(`saved ${appended.length}`));
    scripted.replies = [
      () => {
        order.push("request");
        return { calls: [call("c1")] };
      },
      () => {
        order.push("request");
        return { text: "ok" };
      },
    ];
    await setup.harness.prompt("go");
    expect(order).toEqual(["saved 2", "request", "saved 1", "tool runs", "saved 1", "request", "saved 1"]);
  });

  it("keeps results in source order while parallel tools end as they end", async () => {
    const { harness, model, events, session } = testHarness({
      tools: [
        echoTool("echo", {
          execute: async ({ params }) => {
            const { text } = params as { text: string };
            await new Promise((resolve) => setTimeout(resolve, text === "slow" ? 40 : 1));
            return { content: [{ type: "text", text }] };
          },
        }),
      ],
    });
    model.replies = [{ calls: [call("c1", "echo", { text: "slow" }), call("c2", "echo", { text: "quick" })] }, {}];
    await harness.prompt("go");
    const ends = events.flatMap((event) => (event.type === "tool_execution_end" ? [event.toolCallId] : []));
    expect(ends).toEqual(["c2", "c1"]);
    const { messages } = await session.buildContext();
    expect(messages.flatMap((m) => (m.role === "toolResult" ? [m.toolCallId] : []))).toEqual(["c1", "c2"]);
  });

  it("runs a batch one by one where one tool is sequential", async () => {
    let running = 0;
    let most = 0;
    const slow = async () => {
      most = Math.max(most, ++running);
      await new Promise((resolve) => setTimeout(resolve, 5));
      running--;
      return { content: [] };
    };
    const { harness, model } = testHarness({
      tools: [echoTool("a", { execute: slow }), echoTool("b", { execute: slow, execution: "sequential" })],
    });
    model.replies = [{ calls: [call("1", "a"), call("2", "b"), call("3", "a")] }, {}];
    await harness.prompt("go");
    expect(most).toBe(1);
  });
});

describe("calls that cannot run", () => {
  it("end in an error result each, and the run goes on", async () => {
    const { harness, model, session } = testHarness({
      tools: [
        echoTool("echo"),
        echoTool("bad", {
          execute: async () => {
            throw new Error("broken");
          },
        }),
      ],
    });
    model.replies = [
      { calls: [call("1", "nope"), call("2", "echo", { text: 5 }), call("3", "bad"), call("4")] },
      { text: "understood" },
    ];
    await harness.prompt("go");
    const results = (await session.buildContext()).messages.flatMap((m) =>
      m.role === "toolResult"
        ? [`${m.toolCallId} ${m.isError} ${(m.content[0] as { text: string }).text.split("\n")[0]}`]
        : [],
    );
    expect(results).toEqual([
      '1 true There is no tool named "nope". Available tools: echo, bad.',
      '2 true The arguments of "echo" are not valid:',
      "3 true broken",
      "4 false echo 4",
    ]);
    expect(model.requests.length).toBe(2);
  });

  it("do not run after a reply that was cut at the output limit", async () => {
    let ran = 0;
    const tool = echoTool("echo", {
      execute: async () => {
        ran++;
        return { content: [] };
      },
    });
    const { harness, model } = testHarness({ tools: [tool], model: { ...TEST_MODEL, maxTokens: 0 } });
    model.replies = [{ calls: [call("1")], stopReason: "length" }, { text: "again" }];
    await harness.prompt("go");
    expect(ran).toBe(0);
    expect(model.requests.length).toBe(2);
  });

  it("stop the run only where the whole batch asks for it", async () => {
    const stop = echoTool("stop", { execute: async () => ({ content: [], terminate: true }) });
    const { harness, model } = testHarness({ tools: [stop, echoTool("echo")] });
    model.replies = [{ calls: [call("1", "stop"), call("2")] }, { calls: [call("3", "stop")] }, { text: "never" }];
    await harness.prompt("go");
    expect(model.requests.length).toBe(2);
  });
});

describe("queues", () => {
  it("deliver steering behind the tools of the turn, and a follow-up when the run would stop", async () => {
    const { harness, model, session } = testHarness({
      tools: [
        echoTool("echo", {
          execute: async () => {
            harness.followUp("afterwards");
            harness.steer("steer one");
            harness.steer("steer two");
            return { content: [] };
          },
        }),
      ],
    });
    model.replies = [{ calls: [call("1")] }, { text: "a" }, { text: "b" }, { text: "c" }];
    await harness.prompt("go");
    const said = (await session.buildContext()).messages.map((m) => (m.role === "user" ? m.content : m.role));
    expect(said).toEqual([
      "go",
      "assistant",
      "toolResult",
      "steer one",
      "assistant",
      "steer two",
      "assistant",
      "afterwards",
      "assistant",
    ]);
  });

  it("go together where the person has set so, also while the session was open already", async () => {
    const { harness, model, session, settings } = testHarness({
      tools: [
        echoTool("echo", {
          execute: async () => {
            harness.steer("steer one");
            harness.steer("steer two");
            settings.steeringMode = "all";
            return { content: [] };
          },
        }),
      ],
    });
    model.replies = [{ calls: [call("1")] }, { text: "a" }];
    await harness.prompt("go");
    const said = (await session.buildContext()).messages.map((m) => (m.role === "user" ? m.content : m.role));
    expect(said).toEqual(["go", "assistant", "toolResult", "steer one", "steer two", "assistant"]);
  });

  it("refuse steering while nothing runs, and a prompt while something does", async () => {
    const { harness, model } = testHarness();
    expect(() => harness.steer("x")).toThrow(/Nothing is running/);
    let release = () => {};
    model.replies = [{ text: "…", until: new Promise((resolve) => (release = resolve)) }];
    const run = harness.prompt("go");
    await expect(harness.prompt("again")).rejects.toMatchObject({ code: "busy" });
    await expect(harness.compact()).rejects.toMatchObject({ code: "busy" });
    await expect(harness.navigateTree(null, { summarize: false })).rejects.toMatchObject({ code: "busy" });
    release();
    await run;
    expect(harness.phase).toBe("idle");
  });

  it("give what waits for the next turn ahead of the next prompt", async () => {
    const { harness, session } = testHarness();
    harness.nextTurn({ role: "custom", customType: "note", content: "first", display: true, timestamp: 0 });
    await harness.prompt("second");
    expect((await session.buildContext()).messages.map((m) => m.role)).toEqual(["custom", "user", "assistant"]);
  });
});

describe("an abort", () => {
  it("keeps what was streamed, hands the queue back and never asks again", async () => {
    const { harness, model, session } = testHarness();
    model.replies = [{ text: "half", until: new Promise(() => {}) }];
    const run = harness.prompt("go");
    await new Promise((resolve) => setTimeout(resolve, 20));
    harness.steer("queued");
    const returned = harness.abort();
    await run;
    expect(returned.map((item) => (item.message as { content: string }).content)).toEqual(["queued"]);
    const last = (await session.buildContext()).messages.at(-1);
    expect(last).toMatchObject({ role: "assistant", stopReason: "aborted", content: [{ type: "text", text: "half" }] });
    expect(model.requests.length).toBe(1);
    await harness.prompt("next");
    expect(model.requests.length).toBe(2);
  });

  it("gives every call of the batch a result, also those that had not begun", async () => {
    const { harness, model, session } = testHarness({
      tools: [
        echoTool("echo", {
          execution: "sequential",
          execute: ({ signal }) =>
            new Promise((_resolve, reject) => {
              signal.addEventListener("abort", () => reject(new Error("stopped")));
              setTimeout(() => harness.abort(), 5);
            }),
        }),
      ],
    });
    model.replies = [{ calls: [call("1"), call("2"), call("3")] }];
    await harness.prompt("go");
    const results = (await session.buildContext()).messages.filter((m) => m.role === "toolResult");
    expect(results.map((m) => [m.toolCallId, m.isError])).toEqual([
      ["1", true],
      ["2", true],
      ["3", true],
    ]);
    expect(model.requests.length).toBe(1);
  });
});

describe("failures of the provider", () => {
  const overloaded = { kind: "overloaded" as const, message: "529 overloaded" };
  it("of a passing kind are tried again with doubling waits, and the counter starts anew after a success", async () => {
    const { harness, model, delays, events } = testHarness();
    model.replies = [{ failure: overloaded }, { failure: overloaded }, { text: "ok" }];
    await harness.prompt("go");
    expect(delays).toEqual([2000, 4000]);
    expect(eventNames(events, "auto_retry_start", "auto_retry_end")).toEqual([
      "auto_retry_start",
      "auto_retry_start",
      "auto_retry_end",
    ]);
    expect(model.requests.at(-1)?.context.messages.map((m) => m.role)).toEqual(["user"]);
  });
  it("end after three retries with the error in the transcript", async () => {
    const { harness, model, events } = testHarness();
    model.replies = [1, 2, 3, 4, 5].map(() => ({ failure: overloaded }));
    await harness.prompt("go");
    expect(model.requests.length).toBe(4);
    expect(events.find((event) => event.type === "run_failed")).toBeDefined();
  });
  it("of a lasting kind are not tried again, and the next prompt works", async () => {
    const { harness, model } = testHarness();
    model.replies = [{ failure: { kind: "badRequest", message: "400" } }, { text: "ok" }];
    await harness.prompt("go");
    expect(model.requests.length).toBe(1);
    await harness.prompt("again");
    expect(model.requests.length).toBe(2);
  });
  it("is told in plain words where no key is stored", async () => {
    const { harness, session } = testHarness({
      overrides: {
        access: {
          streamFunctionFor: async () => new ScriptedModel().stream,
          getApiKey: async () => {
            throw new Error("There is no key for test.");
          },
          freshRoutingId: () => "x",
          sleep: async () => {},
          now: () => 0,
        },
      },
    });
    await harness.prompt("go");
    expect((await session.buildContext()).messages.at(-1)).toMatchObject({
      stopReason: "error",
      errorMessage: "There is no key for test.",
    });
  });
});

describe("model, level and tools", () => {
  it("are recorded once where they differ from what the branch says", async () => {
    const { harness, session } = testHarness();
    await harness.prompt("one");
    await harness.prompt("two");
    const types = [...session.allIds()].map((id) => session.node(id)!.type);
    expect(types.filter((type) => type === "model_change").length).toBe(1);
    await harness.setThinkingLevel("high");
    await harness.prompt("three");
    const context = await session.buildContext();
    expect(context.thinkingLevel).toBe("high");
    expect(context.model).toEqual({ provider: "test", modelId: "scripted" });
  });
  it("come back with the branch", async () => {
    const { harness, session } = testHarness();
    await harness.prompt("one");
    const first = session.getLeafId();
    await harness.setModel({ ...TEST_MODEL, id: "other" });
    await harness.setThinkingLevel("high");
    await harness.prompt("two");
    await harness.navigateTree(first, { summarize: false });
    expect([harness.model?.id, harness.thinkingLevel]).toEqual(["scripted", "off"]);
  });
});
