// Each rule of history repair, and the checking server as the judge of arbitrary histories.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { asCutOff } from "../../src/core/llm/cut-off.ts";
import type { AssistantMessage, Message, ToolResultMessage, UserMessage } from "../../src/core/llm/messages.ts";
import { emptyUsage } from "../../src/core/llm/messages.ts";
import { messagesBody } from "../../src/providers/anthropic-messages.ts";
import { type RepairOptions, repairHistory } from "../../src/providers/history-repair.ts";
import { chatBody } from "../../src/providers/openai-chat-body.ts";
import { responsesBody } from "../../src/providers/openai-responses-body.ts";
import { quirksOf } from "../../src/providers/server-quirks.ts";
import { parseBody } from "../support/model-server-parse.ts";
import type { ServerApi } from "../support/model-server-script.ts";
import { contextOf, modelFor, result, user } from "../support/provider-fixture.ts";

const model = modelFor("anthropic-messages", "http://localhost");
const repair = (messages: Message[], options: Partial<RepairOptions> = {}, changes = {}) =>
  repairHistory({ ...model, ...changes }, contextOf(messages), {
    idStyle: "anthropic",
    resultImages: "inline",
    ...options,
  });

const assistant = (
  content: AssistantMessage["content"],
  changes: Partial<AssistantMessage> = {},
): AssistantMessage => ({
  role: "assistant",
  content,
  api: model.api,
  provider: model.provider,
  model: model.id,
  usage: emptyUsage(),
  stopReason: "stop",
  timestamp: 1,
  ...changes,
});
const call = (id: string, name = "read") => ({ type: "toolCall" as const, id, name, arguments: { path: id } });
const roles = (messages: readonly Message[]) => messages.map(({ role }) => role);
const PNG = { type: "image" as const, data: "iVBORw0KGgo=", mimeType: "image/png" };

describe("content", () => {
  it("drops blank text, null content and what they leave empty", () => {
    const { messages } = repair([
      user("hello"),
      assistant([{ type: "text", text: "  \n" }]),
      { role: "user", content: null as unknown as string, timestamp: 1 },
      assistant(null as unknown as []),
      user("   "),
      user("world"),
    ]);
    expect(messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "hello" },
          { type: "text", text: "world" },
        ],
        timestamp: 1,
      },
    ]);
  });

  it("replaces lone surrogates in text and in arguments", () => {
    const { messages } = repair([
      user("a\ud83d"),
      assistant([{ ...call("c1"), arguments: { path: "\udc00", deep: [{ "k\ud800": "v" }] } }]),
    ]);
    expect(JSON.stringify(messages)).not.toMatch(/\\ud/i);
    expect(JSON.stringify(messages)).toContain("\ufffd");
  });

  it("begins with a user and ends with one", () => {
    expect(roles(repair([assistant([{ type: "text", text: "Hi" }])]).messages)).toEqual(["user", "assistant", "user"]);
    expect(roles(repair([]).messages)).toEqual(["user"]);
  });

  it("puts a word between two assistant messages and joins two users", () => {
    const text = (value: string) => assistant([{ type: "text", text: value }]);
    expect(roles(repair([user("a"), text("b"), text("c"), user("d"), user("e")]).messages)).toEqual([
      "user",
      "assistant",
      "user",
      "assistant",
      "user",
    ]);
  });

  it("does not touch what it was given", () => {
    const history = [user("a\ud83d"), assistant([call("call|fc_1")]), result("call|fc_1", "x")];
    const before = JSON.stringify(history);
    repair(history);
    expect(JSON.stringify(history)).toBe(before);
  });
});

describe("failed and stopped replies", () => {
  it("leaves out an error with its calls and the results of those", () => {
    const { messages } = repair([
      user("a"),
      assistant([{ type: "text", text: "half" }, call("c1")], { stopReason: "error" }),
      result("c1", "x"),
      user("b"),
    ]);
    expect(roles(messages)).toEqual(["user"]);
    expect(JSON.stringify(messages)).not.toMatch(/half|c1/);
  });

  it("keeps the visible text of a stopped reply, with a note, without calls and thinking", () => {
    const content = [
      { type: "thinking" as const, thinking: "t", thinkingSignature: "s" },
      { type: "text" as const, text: "half" },
      call("c1"),
    ];
    const { messages } = repair([
      user("a"),
      assistant(content, { stopReason: "aborted" }),
      result("c1", "x"),
      user("b"),
    ]);
    expect(messages[1]).toMatchObject({
      content: [
        { type: "text", text: "half" },
        { type: "text", text: expect.stringContaining("stopped") },
      ],
    });
    expect(roles(messages)).toEqual(["user", "assistant", "user"]);
  });

  it("says of a reply that the closing of its session cut off that nobody stopped it", () => {
    const half = asCutOff(
      assistant([{ type: "text", text: "half" }], { stopReason: "aborted", errorMessage: "Stopped." }),
    );
    const { messages } = repair([user("a"), half, user("b")]);
    expect(messages[1]).toMatchObject({
      content: [
        { type: "text", text: "half" },
        { type: "text", text: expect.stringMatching(/^(?!.*(stopped|user)).*cut off/) },
      ],
    });
  });
});

describe("calls and results", () => {
  it("answers an orphan call with an error right after its message", () => {
    const { messages } = repair([user("a"), assistant([call("c1"), call("c2")]), result("c2", "two"), user("b")]);
    expect(messages.slice(2, 4)).toMatchObject([
      {
        role: "toolResult",
        toolCallId: "c1",
        isError: true,
        content: [{ text: expect.stringContaining("interrupted") }],
      },
      { role: "toolResult", toolCallId: "c2", isError: false, content: [{ text: "two" }] },
    ]);
  });

  it("drops a result whose call is gone", () => {
    expect(roles(repair([user("a"), result("c9", "x"), user("b")]).messages)).toEqual(["user"]);
  });

  it("brings results behind their call, in its order, and moves what stood between after them", () => {
    const { messages } = repair([
      user("a"),
      assistant([call("c1"), call("c2")]),
      result("c2", "two"),
      user("between"),
      result("c1", "one"),
    ]);
    expect(roles(messages)).toEqual(["user", "assistant", "toolResult", "toolResult", "user"]);
    expect(messages.slice(2, 4).map((message) => (message as ToolResultMessage).toolCallId)).toEqual(["c1", "c2"]);
  });

  it("takes the first of two results", () => {
    const { messages } = repair([user("a"), assistant([call("c1")]), result("c1", "first"), result("c1", "second")]);
    expect(JSON.stringify(messages)).not.toContain("second");
  });

  it("keeps apart turns in which a server began its ids anew", () => {
    const { messages } = repair([
      user("a"),
      assistant([call("call_0")]),
      result("call_0", "one"),
      assistant([call("call_0")]),
      result("call_0", "two"),
    ]);
    const results = messages.filter((message): message is ToolResultMessage => message.role === "toolResult");
    expect(results.map(({ content }) => content)).toMatchObject([[{ text: "one" }], [{ text: "two" }]]);
    expect(new Set(results.map(({ toolCallId }) => toolCallId)).size).toBe(2);
  });

  it("gives two equal ids in one message a result each", () => {
    const { messages } = repair([user("a"), assistant([call("x"), call("x")]), result("x", "one"), result("x", "two")]);
    const results = messages.filter((message): message is ToolResultMessage => message.role === "toolResult");
    expect(results.map(({ content }) => content)).toMatchObject([[{ text: "one" }], [{ text: "two" }]]);
  });

  it("maps ids alike in call and result for every wire", () => {
    const id = "call_x|fc_y";
    const long = `call_${"z".repeat(100)}`;
    for (const [idStyle, form] of [
      ["anthropic", /^[\w-]{1,64}$/],
      ["chat", /^[\w-]{1,40}$/],
      ["mistral", /^[a-zA-Z0-9]{9}$/],
    ] as const) {
      const { messages } = repair([user("a"), assistant([call(id), call(long), call(`${long}2`), call("häß lich")])], {
        idStyle,
      });
      const ids = (messages[1] as AssistantMessage).content.map((part) => (part.type === "toolCall" ? part.id : ""));
      const answered = messages
        .slice(2)
        .flatMap((message) => (message.role === "toolResult" ? [message.toolCallId] : []));
      expect(answered).toEqual(ids);
      expect(new Set(ids).size).toBe(4);
      for (const wire of ids) expect(wire).toMatch(form);
    }
  });

  it("repairs names of tools that no wire takes", () => {
    const { messages } = repair([user("a"), assistant([call("c1", "mcp.server/tool"), call("c2", "")])]);
    expect((messages[1] as AssistantMessage).content).toMatchObject([
      { name: "mcp_server_tool" },
      { name: "unknown_tool" },
    ]);
  });
});

describe("images", () => {
  const images: UserMessage = {
    role: "user",
    content: [{ type: "text", text: "see" }, PNG, PNG, { type: "text", text: "and" }, PNG],
    timestamp: 1,
  };

  it("become one note per run for a model that does not see", () => {
    const { messages } = repair([images], {}, { input: ["text"] });
    expect((messages[0]!.content as { text: string }[]).map(({ text }) => text)).toEqual([
      "see",
      expect.stringContaining("does not see"),
      "and",
      expect.stringContaining("does not see"),
    ]);
  });

  it("that are too large or of another kind become a note", () => {
    const content = [
      { ...PNG, data: "A".repeat(5 * 1024 * 1024) },
      { ...PNG, mimeType: "image/tiff" },
    ];
    const { messages } = repair([{ role: "user", content, timestamp: 1 }]);
    expect(messages[0]?.content).toMatchObject([
      { text: expect.stringContaining("too large") },
      { text: expect.stringContaining("format") },
    ]);
  });

  it("of an error result follow after all results", () => {
    const failing: Message = {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "read",
      content: [PNG],
      isError: true,
      timestamp: 1,
    };
    const { messages } = repair([user("a"), assistant([call("c1"), call("c2")]), failing, result("c2", "x")]);
    expect(roles(messages)).toEqual(["user", "assistant", "toolResult", "toolResult", "user"]);
    expect(messages[4]?.content).toMatchObject([{ type: "text" }, { type: "image" }]);
  });

  it("stay inside a good result where the wire takes them, and follow where it does not", () => {
    const good: Message = {
      role: "toolResult",
      toolCallId: "c1",
      toolName: "read",
      content: [PNG],
      isError: false,
      timestamp: 1,
    };
    const history = [user("a"), assistant([call("c1")]), good];
    expect(roles(repair(history).messages)).toEqual(["user", "assistant", "toolResult"]);
    expect(roles(repair(history, { resultImages: "after" }).messages)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "user",
    ]);
  });
});

describe("thinking", () => {
  const first = [user("a")];
  const { prefixHash } = repair(first);
  const thought = (hash: string | undefined, changes: Partial<AssistantMessage> = {}) =>
    assistant(
      [
        { type: "thinking", thinking: "t\ud83d", thinkingSignature: "sig" },
        { type: "text", text: "b" },
      ],
      hash === undefined ? changes : { prefixHash: hash, ...changes },
    );
  const kept = (messages: readonly Message[]) =>
    messages.map((message) =>
      message.role === "assistant" ? message.content.filter((part) => part.type === "thinking").length : 0,
    );

  it("goes along byte for byte where nothing before it changed", () => {
    const { messages, droppedThinking } = repair([...first, thought(prefixHash), user("c")]);
    expect((messages[1] as AssistantMessage).content[0]).toEqual({
      type: "thinking",
      thinking: "t\ud83d",
      thinkingSignature: "sig",
    });
    expect(droppedThinking).toEqual([]);
  });

  it.each([
    ["another model", { id: "other" }],
    ["another provider", { provider: "other" }],
  ])("is dropped for %s", (_, changes) => {
    const { messages, droppedThinking } = repair([...first, thought(prefixHash), user("c")], {}, changes);
    expect(kept(messages)).toEqual([0, 0, 0]);
    expect(droppedThinking).toEqual([1]);
  });

  it("is dropped where system prompt, tools or an earlier message changed, or no hash was stored", () => {
    const changed = [
      contextOf([...first, thought(prefixHash), user("c")], { systemPrompt: "Another." }),
      contextOf([...first, thought(prefixHash), user("c")], { tools: [] }),
      contextOf([user("A"), thought(prefixHash), user("c")]),
      contextOf([...first, thought(undefined), user("c")]),
    ];
    for (const context of changed) {
      const { messages } = repairHistory(model, context, { idStyle: "anthropic", resultImages: "inline" });
      expect(kept(messages)).toEqual([0, 0, 0]);
    }
  });

  it("is dropped from the first broken message on, and kept again in what was written after the break", () => {
    const second = [...first, thought(prefixHash), user("c")];
    const third = [...second, thought(repair(second).prefixHash), user("d")];
    expect(kept(repair(third).messages)).toEqual([0, 1, 0, 1, 0]);
    const broken = [user("summary of a"), ...third.slice(1)];
    expect(kept(repair(broken).messages)).toEqual([0, 0, 0, 0, 0]);
    const afterwards = [...broken, thought(repair(broken).prefixHash), user("e")];
    expect(kept(repair(afterwards).messages)).toEqual([0, 0, 0, 0, 0, 1, 0]);
  });

  it("without a proof is never sent, nor turned into text", () => {
    const unsigned = assistant(
      [
        { type: "thinking", thinking: "private" },
        { type: "text", text: "b" },
      ],
      { prefixHash },
    );
    expect(JSON.stringify(repair([...first, unsigned, user("c")]).messages)).not.toContain("private");
  });

  it("takes the item ids of the Responses API with it when it goes", () => {
    const api = "openai-responses";
    const reply = assistant(
      [
        { type: "thinking", thinking: "t", thinkingSignature: '{"type":"reasoning"}' },
        { type: "text", text: "b", textSignature: '{"v":1,"id":"msg_1","phase":"commentary"}' },
        call("call_1|fc_1"),
      ],
      { api, prefixHash: "0000000000000000" },
    );
    const { messages } = repair([...first, reply], { idStyle: "responses" }, { api });
    expect((messages[1] as AssistantMessage).content).toMatchObject([
      { textSignature: '{"v":1,"phase":"commentary"}' },
      { id: "call_1" },
    ]);
  });
});

describe("any history", () => {
  const text = fc.oneof(fc.string({ maxLength: 12 }), fc.constantFrom("", "  ", "\ud800", "tail \udfff", "ok"));
  const id = fc.constantFrom("a", "b", "call_0", "x|fc_1", "", "ü/ß", "z".repeat(70), `${"z".repeat(70)}y`);
  const textPart = fc.record({ type: fc.constant("text" as const), text });
  const image = fc.constantFrom(PNG, { ...PNG, data: "" }, { ...PNG, mimeType: "image/bmp" });
  const thinking = fc.record(
    { type: fc.constant("thinking" as const), thinking: text },
    { requiredKeys: ["type", "thinking"] },
  );
  const toolCall = fc.record({
    type: fc.constant("toolCall" as const),
    id,
    name: fc.constantFrom("read", "", "a.b"),
    arguments: fc.dictionary(fc.string({ maxLength: 3 }), text, { maxKeys: 2 }),
  });
  const message: fc.Arbitrary<Message> = fc.oneof(
    fc.record({
      role: fc.constant("user" as const),
      content: fc.oneof(text, fc.array(fc.oneof(textPart, image), { maxLength: 3 })),
      timestamp: fc.constant(1),
    }),
    fc
      .record({
        content: fc.array(fc.oneof(textPart, thinking, toolCall), { maxLength: 4 }),
        stopReason: fc.constantFrom("stop", "toolUse", "length", "error", "aborted"),
      })
      .map(({ content, stopReason }) => assistant(content, { stopReason: stopReason as "stop" })),
    fc.record({
      role: fc.constant("toolResult" as const),
      toolCallId: id,
      toolName: fc.constant("read"),
      content: fc.array(fc.oneof(textPart, image), { maxLength: 2 }),
      isError: fc.boolean(),
      timestamp: fc.constant(1),
    }),
  );
  const bodies: readonly (readonly [string, ServerApi, (messages: Message[]) => unknown])[] = [
    ["Messages", "anthropic-messages", (messages) => body("anthropic-messages", messages)],
    ["Responses", "openai-responses", (messages) => body("openai-responses", messages)],
    ["Chat Completions", "openai-completions", (messages) => body("openai-completions", messages)],
  ];
  function body(api: ServerApi, messages: Message[]): unknown {
    const target = modelFor(api, "http://localhost");
    const context = contextOf(messages);
    const options = {
      signal: new AbortController().signal,
      thinkingLevel: "off" as const,
      routingId: "r",
      cacheRetention: "short" as const,
    };
    const { messages: repaired } = repairHistory(target, context, {
      idStyle: api === "anthropic-messages" ? "anthropic" : api === "openai-responses" ? "responses" : "chat",
      resultImages: api === "openai-completions" ? "after" : "inline",
    });
    if (api === "anthropic-messages") return messagesBody(target, context, options, repaired);
    if (api === "openai-responses") return responsesBody(target, context, options, repaired);
    return chatBody(target, context, options, repaired, quirksOf(target));
  }

  it.each(bodies)("becomes a %s request that the checking server accepts", (_, api, make) => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 12 }), (messages) => {
        parseBody(api, JSON.parse(JSON.stringify(make(messages))), "default");
      }),
      { numRuns: 400 },
    );
  });

  it("gives the same bytes twice, and a longer history begins with the shorter one's", () => {
    fc.assert(
      fc.property(fc.array(message, { maxLength: 10 }), text, (messages, next) => {
        const now = repair(messages).messages;
        expect(repair(messages).messages).toEqual(now);
        const reply = assistant([{ type: "text", text: `reply ${next}` }]);
        const later = repair([...messages, reply, user("go on")]).messages;
        expect(later.slice(0, now.length)).toEqual(now);
      }),
      { numRuns: 300 },
    );
  });
});
