// What can go wrong on the wire, against every adapter: one clear end, what had come is kept, nothing hangs.
import { afterEach, describe, expect, it } from "vitest";
import { toolCallsOf } from "../../src/core/llm/messages.ts";
import { type ModelServer, type Reply, startModelServer } from "../support/model-server.ts";
import { collect, contextOf, modelFor, textOf, user, WIRES } from "../support/provider-fixture.ts";

let server: ModelServer | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

const TEXT = "Some words — und Wörter 🌳 — before the end of it all, in several frames.";
const limits = { firstByteTimeoutMs: 120, idleTimeoutMs: 120 };

describe.each(WIRES)("%s", (api) => {
  const ask = async (reply: Reply, options = {}) => {
    server = await startModelServer({ script: [reply] });
    return collect(modelFor(api, server.url), contextOf([user("hello")]), options);
  };

  it("says what to look at where nothing listens", async () => {
    const closed = await startModelServer();
    await closed.close();
    const { failure, message } = await collect(modelFor(api, closed.url), contextOf([user("hello")]));
    expect(failure).toMatchObject({ kind: "network", message: expect.stringContaining("Is the server running?") });
    expect(message).toMatchObject({ stopReason: "error", content: [] });
  });

  it("survives a connection that is closed without an answer", async () => {
    const { failure } = await ask({ fault: { kind: "refuse" } });
    expect(failure?.kind).toBe("network");
  });

  it("gives up where no byte comes", async () => {
    const { failure } = await ask({ fault: { kind: "noHeaders" } }, limits);
    expect(failure).toMatchObject({ kind: "network", message: expect.stringContaining("No answer within 0.1 s") });
  });

  it("gives up where headers come and no body, and where the body stalls", async () => {
    for (const byte of [0, 400]) {
      const { failure } = await ask({ parts: [{ text: TEXT }], fault: { kind: "stallAt", byte } }, limits);
      expect(failure).toMatchObject({ kind: "network", message: expect.stringContaining("within 0.1 s") });
      await server?.close();
    }
  });

  it("keeps what had come before a cut", async () => {
    const half = api === "ollama-chat" ? 300 : api === "openai-responses" ? 900 : 1_000;
    for (const kind of ["destroyAt", "endAt"] as const) {
      const { failure, message } = await ask({ parts: [{ text: TEXT }], fault: { kind, byte: half } });
      expect(failure?.kind).toBe("network");
      expect(message.stopReason).toBe("error");
      expect(textOf(message).length).toBeGreaterThan(0);
      expect(TEXT.startsWith(textOf(message))).toBe(true);
      await server?.close();
    }
  });

  it("does not take a clean end for the end of a reply", async () => {
    const { failure, message } = await ask({ parts: [{ text: TEXT }], fault: { kind: "noTerminal" } });
    expect(failure?.kind).toBe("network");
    expect(textOf(message)).toBe(TEXT);
  });

  it.each(["oneByteChunks", "crlf", "unknownEvents", "commentsAndPings"] as const)(
    "reads a stream with %s",
    async (kind) => {
      const { failure, message } = await ask({
        parts: [{ text: TEXT }, { call: { name: "read", arguments: { path: "ä🌳.ts" } } }],
        fault: { kind },
      });
      expect(failure).toBeUndefined();
      expect(textOf(message)).toBe(TEXT);
      expect(toolCallsOf(message)[0]?.arguments).toEqual({ path: "ä🌳.ts" });
    },
  );

  it("ends at an unreadable frame", async () => {
    const { failure } = await ask({ parts: [{ text: TEXT }], fault: { kind: "badFrame" } });
    expect(failure).toMatchObject({ kind: "network" });
  });

  it("ends at an error inside the stream, whatever the status was", async () => {
    const { failure, message } = await ask({ parts: [{ text: TEXT }], fault: { kind: "errorEvent" } });
    expect(failure?.kind).toBe("overloaded");
    expect(message.stopReason).toBe("error");
  });

  it("refuses an object in place of a stream, without asking again", async () => {
    const { failure } = await ask({ fault: { kind: "json" } });
    // One object is one line to a reader of lines; what it lacks is the end.
    expect(failure?.kind).toBe(api === "ollama-chat" ? "network" : "badRequest");
  });

  it("tells a captive portal from an answer", async () => {
    const { failure } = await ask({ fault: { kind: "html" } });
    expect(failure).toMatchObject({ kind: "network", message: expect.stringContaining("Sign in to the network") });
  });

  it("shortens a proxy's error page and honours its wait", async () => {
    const page = `<html><head><title>502 Bad Gateway</title></head><body>${"x".repeat(5_000)}</body></html>`;
    const { failure } = await ask({ error: { status: 502, body: page, headers: { "retry-after": "7" } } });
    expect(failure).toMatchObject({ kind: "overloaded", status: 502, retryAfterMs: 7_000 });
    expect(failure?.message.length).toBeLessThan(200);
  });

  it("knows an empty 413", async () => {
    expect((await ask({ error: { status: 413 } })).failure?.kind).toBe("overflow");
  });

  it("does not follow a redirect with the key", async () => {
    const other = await startModelServer();
    const { failure } = await ask({ error: { status: 307, headers: { location: `${other.url}/v1/stolen` } } });
    expect(failure).toMatchObject({ kind: "badRequest", message: expect.stringContaining("redirects to") });
    expect(other.journal).toEqual([]);
    await other.close();
  });

  it("asks once more after an empty reply", async () => {
    for (const parts of [[], [{ text: " \n" }], [{ thinking: "Hm." }]]) {
      const { failure } = await ask({ parts });
      expect(failure).toMatchObject({ kind: "emptyReply", maxRetries: 1 });
      await server?.close();
    }
  });

  it("makes missing ids up and doubled ones unique", async () => {
    const call = (id: string) => ({ call: { id, name: "read", arguments: { path: id } } });
    const { message } = await ask({ parts: [call("same"), call("same"), call("")] });
    const ids = toolCallsOf(message).map(({ id }) => id);
    expect(ids).toHaveLength(3);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => id !== "")).toBe(true);
  });

  it("does not guess at arguments that are no JSON", async () => {
    if (api === "ollama-chat") return; // Arguments are objects on this wire.
    const { message } = await ask({ parts: [{ call: { name: "read", rawArguments: '{"path": "rm -rf ./scra' } }] });
    expect(toolCallsOf(message)[0]).toMatchObject({
      arguments: {},
      argumentsError: expect.stringContaining("rm -rf ./scra"),
    });
  });

  it("accepts raw line breaks inside argument strings", async () => {
    if (api === "ollama-chat") return;
    const { message } = await ask({ parts: [{ call: { name: "write", rawArguments: '{"content":"a\nb\\d"}' } }] });
    expect(toolCallsOf(message)[0]?.arguments).toEqual({ content: "a\nb\\d" });
  });

  it("turns a refusal into a failure that is not retried", async () => {
    if (api === "ollama-chat") return; // This wire has no word for it.
    const { failure, message } = await ask({
      parts: [{ text: "I will not" }, { call: { name: "read", arguments: {} } }],
      stop: "refusal",
    });
    expect(failure?.kind).toBe("refusal");
    expect(message.stopReason).toBe("error");
  });

  it("stops in the middle of the text and in the middle of a call", async () => {
    for (const parts of [
      [{ text: TEXT.repeat(3) }],
      [{ call: { name: "read", arguments: { path: TEXT.repeat(3) } } }],
    ]) {
      server = await startModelServer({ script: [{ parts, fault: { kind: "slow", everyMs: 15 } }] });
      const abort = new AbortController();
      setTimeout(() => abort.abort(), 80);
      const { failure, message } = await collect(modelFor(api, server.url), contextOf([user("hello")]), {
        signal: abort.signal,
      });
      // Ollama sends a call whole, so it may be there before the stop.
      if (api === "ollama-chat" && failure === undefined) continue;
      expect(failure?.kind).toBe("aborted");
      expect(message.stopReason).toBe("aborted");
      await server.close();
    }
  });

  it("ends an answer that never ends", { timeout: 120_000 }, async () => {
    if (api === "openai-responses" || api === "ollama-chat") return; // The same limit; one of each SDK is enough.
    const { failure } = await ask({ parts: [{ text: TEXT }], fault: { kind: "huge", bytes: 100 * 1024 * 1024 } });
    expect(failure).toMatchObject({ kind: "badRequest", message: expect.stringContaining("larger than 64 MB") });
  });

  it("cut at every byte, ends in a failure and never in a runnable call", { timeout: 120_000 }, async () => {
    const reply: Reply = { parts: [{ text: "Ä" }, { call: { name: "read", arguments: { path: "x" } } }] };
    let byte = 0;
    server = await startModelServer({ script: () => ({ ...reply, fault: { kind: "endAt", byte } }) });
    const model = modelFor(api, server.url);
    for (; ; byte++) {
      const { failure, message } = await collect(model, contextOf([user("hello")]));
      if (failure === undefined) {
        expect(message).toMatchObject({
          stopReason: "toolUse",
          content: [{ text: "Ä" }, { arguments: { path: "x" } }],
        });
        break;
      }
      if (failure.kind !== "network") throw new Error(`cut at ${byte}: ${failure.kind}: ${failure.message}`);
      if (message.stopReason !== "error") throw new Error(`cut at ${byte}: ${message.stopReason}`);
    }
    const sizes = {
      "anthropic-messages": 1_000,
      "openai-responses": 1_700,
      "openai-completions": 700,
      "ollama-chat": 400,
    };
    expect(byte).toBeGreaterThan(sizes[api as keyof typeof sizes]);
  });
});
