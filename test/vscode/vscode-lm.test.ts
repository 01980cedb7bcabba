// The editor's models through a fake of the editor's API that behaves as measured.
import { describe, expect, it } from "vitest";
import { type Message, toolCallsOf } from "../../src/core/llm/messages.ts";
import type { Model } from "../../src/core/llm/model.ts";
import type { StreamEvent, StreamOptions } from "../../src/core/llm/stream.ts";
import { adapter } from "../../src/providers/stream-runner.ts";
import { createVscodeLm, type LmApi, listEditorModels } from "../../src/vscode/vscode-lm.ts";
import { contextOf, result, textOf, user } from "../support/provider-fixture.ts";

class TextPart {
  readonly value: string;
  constructor(value: string) {
    this.value = value;
  }
}
class CallPart {
  readonly callId: string;
  readonly name: string;
  readonly input: object;
  constructor(callId: string, name: string, input: object) {
    this.callId = callId;
    this.name = name;
    this.input = input;
  }
}
class ResultPart {
  readonly callId: string;
  readonly content: unknown[];
  constructor(callId: string, content: unknown[]) {
    this.callId = callId;
    this.content = content;
  }
}
class DataPart {
  readonly data: Uint8Array;
  readonly mimeType: string;
  constructor(data: Uint8Array, mimeType: string) {
    this.data = data;
    this.mimeType = mimeType;
  }
  static image(data: Uint8Array, mime: string) {
    return new DataPart(data, mime);
  }
}
type FakeMessage = { role: string; content: unknown[] };
interface FakeToken {
  isCancellationRequested: boolean;
  listeners: (() => void)[];
}

interface Fake {
  api: LmApi;
  sent: { messages: FakeMessage[]; options: { tools?: { name: string }[] }; token: FakeToken }[];
}

/** `play` is the provider: it yields parts and may throw; it goes on after `break` unless its token is cancelled. */
function fake(
  play: (token: FakeToken) => AsyncIterable<unknown>,
  countTokens: (text: string) => number = (text) => text.length / 5,
): Fake {
  const sent: Fake["sent"] = [];
  const chat = {
    id: "gpt-x",
    vendor: "copilot",
    family: "gpt",
    version: "1",
    name: "GPT X",
    maxInputTokens: 64_000,
    capabilities: { supportsImageToText: true },
    countTokens: async (text: string) => countTokens(text),
    sendRequest: async (messages: FakeMessage[], options: Fake["sent"][0]["options"], token: FakeToken) => {
      sent.push({ messages, options, token });
      return { stream: play(token), text: undefined };
    },
  };
  const message = (role: string) => (content: string | unknown[]) => ({
    role,
    content: typeof content === "string" ? [new TextPart(content)] : content,
  });
  const api = {
    lm: {
      selectChatModels: async (selector: { id?: string }) =>
        selector.id === undefined || selector.id === chat.id ? [chat] : [],
    },
    CancellationTokenSource: class {
      token: FakeToken = { isCancellationRequested: false, listeners: [] };
      cancel() {
        this.token.isCancellationRequested = true;
        for (const listener of this.token.listeners.splice(0)) listener();
      }
      dispose() {}
    },
    LanguageModelChatMessage: { User: message("user"), Assistant: message("assistant") },
    LanguageModelTextPart: TextPart,
    LanguageModelToolCallPart: CallPart,
    LanguageModelToolResultPart: ResultPart,
    LanguageModelDataPart: DataPart,
  } as unknown as LmApi;
  return { api, sent };
}

async function ask({ api }: Fake, messages: Message[], changes: Partial<StreamOptions> = {}, id = "gpt-x") {
  const [listed] = await listEditorModels(api);
  const model: Model = { ...(listed as Model), id };
  const events: StreamEvent[] = [];
  const options: StreamOptions = {
    signal: new AbortController().signal,
    thinkingLevel: "off",
    routingId: "r",
    cacheRetention: "short",
    ...changes,
  };
  for await (const event of createVscodeLm(api, adapter)(model, contextOf(messages), options)) events.push(event);
  const last = events.at(-1);
  if (last?.type !== "done" && last?.type !== "error") throw new Error("no end");
  return { events, message: last.message, failure: last.type === "error" ? last.failure : undefined };
}

async function* parts(...list: unknown[]) {
  yield* list;
}

describe("the editor's models", () => {
  it("are listed with vendor, id and window", async () => {
    const { api } = fake(() => parts());
    expect(await listEditorModels(api)).toMatchObject([
      { provider: "vscode-copilot", id: "gpt-x", contextWindow: 64_000, input: ["text", "image"], api: "vscode-lm" },
    ]);
  });

  it("stream text, thinking and calls, told apart by class and by shape", async () => {
    const thinking = { value: "Hmm.", id: "t1", metadata: {} };
    const foreignText = { value: " there" };
    const { message, events } = await ask(
      fake(() =>
        parts(
          thinking,
          new TextPart("Hello"),
          foreignText,
          new DataPart(new Uint8Array(), "x/y"),
          new CallPart("c1", "read", { path: "a" }),
        ),
      ),
      [user("hi")],
    );
    expect(message.content).toMatchObject([
      { type: "thinking", thinking: "Hmm." },
      { type: "text", text: "Hello there" },
      { type: "toolCall", id: "c1", name: "read", arguments: { path: "a" } },
    ]);
    expect(message.stopReason).toBe("toolUse");
    expect(events.filter(({ type }) => type === "text_delta")).toHaveLength(2);
  });

  it("get the prompt as the first user message, joined texts, and results alone after their calls", async () => {
    const lm = fake(() => parts(new TextPart("ok")));
    const assistant = (
      await ask(
        fake(() => parts(new TextPart("One."), new CallPart("c1", "read", {}), new CallPart("c2", "read", {}))),
        [user("a")],
      )
    ).message;
    assistant.content.splice(1, 0, { type: "text", text: "Two." });
    await ask(lm, [user("a"), assistant, result("c1", "one"), result("c2", "two", true), user("b")]);
    const [{ messages }] = lm.sent as [Fake["sent"][0]];
    expect(messages.map(({ role }) => role)).toEqual(["user", "user", "assistant", "user", "user"]);
    expect(messages[0]?.content).toEqual([new TextPart("You are a coding agent.")]);
    expect(messages[2]?.content[0]).toEqual(new TextPart("One.\n\nTwo."));
    expect(messages[2]?.content.slice(1)).toEqual([expect.any(CallPart), expect.any(CallPart)]);
    expect(messages[3]?.content).toEqual([
      new ResultPart("c1", [new TextPart("one")]),
      new ResultPart("c2", [new TextPart("Error: two")]),
    ]);
  });

  it("count tokens by the model's tokenizer, results included, or by characters where it fails", async () => {
    const counted: string[] = [];
    const count = (text: string) => {
      counted.push(text);
      return 1_000;
    };
    const history = [
      user("word ".repeat(500)),
      (
        await ask(
          fake(() => parts(new CallPart("c1", "read", {}))),
          [user("a")],
        )
      ).message,
      result("c1", "needle"),
    ];
    const { message } = await ask(
      fake(() => parts(new TextPart("ok")), count),
      history,
    );
    expect(message.usage).toMatchObject({ input: 1_150, output: 1_000, estimated: true, unpriced: true });
    expect(counted[0]).toContain("needle");
    const broken = await ask(
      fake(
        () => parts(new TextPart("ok")),
        () => {
          throw new Error("no tokenizer");
        },
      ),
      history,
    );
    expect(broken.message.usage.input).toBeGreaterThan(600);
  });

  it.each([
    [Object.assign(new Error("You have exhausted your quota"), { name: "ChatQuotaExceeded" }), "quota"],
    [Object.assign(new Error("Slow down"), { name: "ChatRateLimited" }), "rateLimit"],
    [new Error("Message exceeds token limit."), "overflow"],
    [Object.assign(new Error("Denied"), { code: "NoPermissions" }), "auth"],
    [Object.assign(new Error("Filtered"), { code: "Blocked" }), "refusal"],
    [new Error("something odd"), "unknown"],
  ])("fail while iterating with %s, keeping what had come", async (error, kind) => {
    const { failure, message } = await ask(
      fake(async function* () {
        yield new TextPart("half");
        throw error;
      }),
      [user("hi")],
    );
    expect(failure?.kind).toBe(kind);
    expect(textOf(message)).toBe("half");
    expect(message.stopReason).toBe("error");
  });

  it("are told to stop, and a stream that then ends normally counts as stopped", async () => {
    const abort = new AbortController();
    const lm = fake(async function* (token) {
      yield new TextPart("half");
      await new Promise<void>((resolve) => {
        token.listeners.push(resolve);
        abort.abort();
      });
    });
    const { failure, message } = await ask(lm, [user("hi")], { signal: abort.signal });
    expect(failure?.kind).toBe("aborted");
    expect(textOf(message)).toBe("half");
    expect(lm.sent[0]?.token.isCancellationRequested).toBe(true);
  });

  it("are cancelled after every request, also after a failure", async () => {
    const good = fake(() => parts(new TextPart("ok")));
    await ask(good, [user("hi")]);
    expect(good.sent[0]?.token.isCancellationRequested).toBe(true);
  });

  it("are not asked at all where the person has stopped already, and are missed when they are gone", async () => {
    const lm = fake(() => parts(new TextPart("ok")));
    const abort = new AbortController();
    abort.abort();
    expect((await ask(lm, [user("hi")], { signal: abort.signal })).failure?.kind).toBe("aborted");
    expect(lm.sent).toEqual([]);
    expect((await ask(lm, [user("hi")], {}, "gone")).failure).toMatchObject({ kind: "notFound" });
  });

  it("that fall silent are given up", async () => {
    const lm = fake(async function* () {
      yield new TextPart("half");
      await new Promise(() => undefined);
    });
    const { failure } = await ask(lm, [user("hi")], { idleTimeoutMs: 40 });
    expect(failure?.kind).toBe("network");
    expect(lm.sent[0]?.token.isCancellationRequested).toBe(true);
  });

  it("get at most 128 tools, under names that they take, and their calls come back under the tools' own", async () => {
    const lm = fake(() => parts(new CallPart("c1", "tool_7", {})));
    const [model] = await listEditorModels(lm.api);
    const tools = Array.from({ length: 140 }, (_, n) => ({
      name: `tool.${n}`,
      description: "",
      parameters: { type: "object" },
    }));
    const options: StreamOptions = {
      signal: new AbortController().signal,
      thinkingLevel: "off",
      routingId: "r",
      cacheRetention: "none",
    };
    const names: string[] = [];
    for await (const event of createVscodeLm(lm.api, adapter)(
      model as Model,
      contextOf([user("hi")], { tools }),
      options,
    )) {
      if (event.type === "toolcall_start") names.push(event.name);
    }
    expect(names).toEqual(["tool.7"]);
    expect(lm.sent[0]?.options.tools).toHaveLength(128);
    expect(lm.sent[0]?.options.tools?.[0]?.name).toBe("tool_0");
  });

  it("give a call of their own an id that the conversation does not have yet", async () => {
    const first = (
      await ask(
        fake(() => parts(new CallPart("c1", "read", {}))),
        [user("a")],
      )
    ).message;
    const second = (
      await ask(
        fake(() => parts(new CallPart("c1", "read", {}))),
        [user("a"), first, result("c1", "x")],
      )
    ).message;
    expect(toolCallsOf(second)[0]?.id).not.toBe("c1");
  });
});
