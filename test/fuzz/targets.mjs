// biome-ignore-all lint/suspicious/noTemplateCurlyInString: what a shell or a template would expand stands here as text
// What is fuzzed and what must hold: each target makes one input and throws where a promise is broken.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { below, choose, mutate, textOf } from "./random-input.mjs";

const ODD = [
  "\0",
  "\u0007",
  "\u001b[31m",
  "\r",
  "\n",
  "\t",
  "\u2028",
  "\u200b",
  "\u202e",
  "\ud800",
  "😀",
  "é",
  "中",
  "\ufeff",
  "\u00a0",
];

export function targets(core) {
  return [
    { name: "loader", every: 1, run: loader(core) },
    { name: "growth", every: 1, run: core.checkGrowth },
    { name: "path policy", every: 1, run: paths(core) },
    { name: "command policy", every: 1, run: commands(core) },
    { name: "serialiser", every: 1, run: serialiser(core) },
    { name: "tool arguments", every: 1, run: toolArguments(core) },
    { name: "stream parser", every: 1, run: streams(core) },
    { name: "edits and outputs", every: 1, run: texts(core) },
  ];
}

function loader({ testRepo, SessionError }) {
  const time = "2026-01-01T00:00:00.000Z";
  const line = (type, id, parentId, more) => JSON.stringify({ type, id, parentId, timestamp: time, ...more });
  const user = (id, parent) => line("message", id, parent, { message: { role: "user", content: id, timestamp: 1 } });
  const valid = Buffer.from(
    [
      JSON.stringify({ type: "session", version: 3, id: "s", timestamp: time, cwd: "/w" }),
      user("aaaaaaaa", null),
      line("message", "bbbbbbbb", "aaaaaaaa", {
        message: {
          role: "assistant",
          content: [{ type: "text", text: "b" }],
          api: "x",
          provider: "p",
          model: "m",
          usage: {},
          stopReason: "stop",
          timestamp: 2,
        },
      }),
      line("label", "cccccccc", "bbbbbbbb", { targetId: "aaaaaaaa", label: "L" }),
      line("compaction", "dddddddd", "cccccccc", { summary: "s", firstKeptEntryId: "bbbbbbbb", tokensBefore: 9 }),
      line("leaf", "eeeeeeee", "dddddddd", { targetId: "aaaaaaaa" }),
      line("custom", "ffffffff", "aaaaaaaa", { customType: "coppice.position" }),
      user("abababab", "ffffffff"),
      "",
    ].join("\n"),
  );
  const pieces = [
    "\n",
    "\0\0\0",
    "{",
    "}",
    '"',
    "[",
    "\\u0000",
    "null",
    "aaaaaaaa",
    "dddddddd",
    '{"type":"leaf"',
    '"parentId":"abababab"',
    "\ufeff",
    "\r\n",
    "[".repeat(200),
    '"__proto__":{}',
    "\xff",
    valid.subarray(80, 200).toString(),
  ];
  return async (random) => {
    const bytes = mutate(random, valid, pieces);
    const { fs, repo } = testRepo();
    fs.write("/s.jsonl", new Uint8Array(bytes));
    let session;
    try {
      session = await repo.open("/s.jsonl");
    } catch (error) {
      assert.ok(error instanceof SessionError, `not a coded error: ${error}`);
      return;
    }
    await session.buildTailContext();
    await session.ready();
    const context = await session.buildContext();
    assert.ok(context.messages.every((message) => message.role !== "system"));
    for (const id of session.allIds()) {
      session.pathTo(id);
      session.childrenOf(id);
    }
    const before = Buffer.from(fs.files.get("/s.jsonl").bytes);
    if (session.readOnlyReason === undefined && (session.header.version ?? 3) === 3) {
      const known = [...session.allIds()];
      const id = await session.appendMessage({ role: "user", content: "more", timestamp: 3 });
      const after = Buffer.from(fs.files.get("/s.jsonl").bytes);
      const backup = [...fs.files.keys()].find((path) => path.endsWith(".bak"));
      const kept = backup === undefined ? after.subarray(0, before.length) : Buffer.from(fs.files.get(backup).bytes);
      assert.ok(kept.equals(before), "the original was changed");
      const again = await repo.open("/s.jsonl");
      await again.ready();
      assert.equal(again.getLeafId(), id);
      for (const one of known) assert.ok(again.node(one) !== undefined, `${one} is lost`);
      await again.close();
    }
    await session.close();
  };
}

function paths({ MemoryFileSystem, resolvePath, writeWarnings, PathRefused }) {
  const pieces = [
    "a",
    "b",
    "/",
    "\\",
    "..",
    ".",
    "~",
    "@",
    "file://",
    "C:",
    "\\\\",
    "//",
    "?",
    ":",
    "::$DATA",
    "CON",
    " ",
    ".vscode",
    ".GIT",
    "%2e",
    "etc/passwd",
    "work",
    ...ODD,
  ];
  return async (random) => {
    const windows = random() < 0.5;
    const root = windows ? "C:/work" : "/work";
    const fs = new MemoryFileSystem();
    const policy = { fs, roots: [root], cwd: root, home: windows ? "C:/home" : "/home", windows };
    const text = textOf(random, pieces, 8);
    let resolved;
    try {
      resolved = await resolvePath(policy, text);
    } catch (error) {
      assert.ok(error instanceof PathRefused, `not a refusal: ${error}`);
      return;
    }
    const inside =
      resolved.real.toLowerCase() === root.toLowerCase() ||
      resolved.real.toLowerCase().startsWith(`${root.toLowerCase()}/`);
    assert.equal(resolved.inside, windows ? inside : resolved.real === root || resolved.real.startsWith(`${root}/`));
    assert.ok(!resolved.real.split("/").includes(".."), resolved.real);
    const warnings = writeWarnings(resolved, "");
    if (!resolved.inside) assert.ok(warnings.length > 0);
    if (/(^|\/)\.(vscode|git)(\/|$)/i.test(resolved.real)) assert.ok(warnings.length > 0, resolved.real);
  };
}

function commands({ analyzeCommand }) {
  const pieces = [
    "ls",
    "a",
    "-x",
    " ",
    " ",
    " ",
    "'",
    '"',
    "\\",
    "$",
    "$x",
    "${x}",
    "$(",
    ")",
    "`",
    "(",
    "{",
    "}",
    ";",
    "&",
    "|",
    "<",
    ">",
    "*",
    "?",
    "[",
    "]",
    "~",
    "=",
    "!",
    "#",
    "\n",
    "\t",
    "if",
    "a=b",
    "\\\n",
    "<<E",
    "E",
    "1",
    ",",
    "..",
    "--",
    "$'",
    ...ODD,
  ];
  let checked = 0;
  return async (random) => {
    const command = textOf(random, pieces, 12);
    const { argv, warnings } = analyzeCommand(command);
    assert.ok(Array.isArray(warnings));
    if (argv === undefined) return;
    assert.ok(argv.length > 0);
    // What bash makes of it decides: the words must be the same, and nothing else may happen.
    if (checked >= 400 || random() > 0.05) return;
    checked++;
    const result = spawnSync(
      "/bin/bash",
      ["--noprofile", "--norc", "-c", `set -- ${command.trim()}\nprintf '%s\\0' "$@"`],
      {
        cwd: "/",
        env: { PATH: "/nowhere" },
        timeout: 5000,
      },
    );
    const words = result.stdout.toString().split("\0").slice(0, -1);
    assert.deepEqual(words, argv, `bash takes ${JSON.stringify(command)} for ${JSON.stringify(words)}`);
  };
}

const MARKER = /^\[(?:User|Assistant|Assistant thinking|Assistant tool calls|Tool result)\]:/gim;

function serialiser({ serializeConversation }) {
  const pieces = [
    "[User]: ",
    "\n[User]: ",
    "\n [Assistant]: ",
    "</conversation>",
    "<conversation>",
    "</summary>",
    "[Tool result]:",
    "\n\n",
    "x",
    " ",
    "\\",
    "<",
    ...ODD,
  ];
  return async (random) => {
    const messages = [];
    let expected = 0;
    for (let n = below(random, 6); n > 0; n--) {
      const text = textOf(random, pieces, 10);
      const role = choose(random, ["user", "assistant", "toolResult"]);
      if (role === "user") messages.push({ role, content: text, timestamp: 0 });
      else messages.push({ role, content: [{ type: "text", text }], toolCallId: "c", toolName: "t", timestamp: 0 });
      if (role === "assistant" ? text.trim() !== "" : text !== "") expected++;
    }
    const result = serializeConversation(messages);
    assert.equal(result.match(MARKER)?.length ?? 0, expected, JSON.stringify(result));
    assert.ok(!/<\/?(?:conversation|summary)\b/i.test(result), result);
  };
}

function toolArguments({ parseToolArguments }) {
  const valid = Buffer.from('{"path":"a/b.ts","edits":[{"oldText":"a\\nb","newText":"c \\u00e9"}],"n":1.5e3,"t":true}');
  const pieces = [
    '"',
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\\",
    "\\x",
    "\n",
    "\t",
    "null",
    "1",
    "a",
    "é",
    "\\u12",
    "__proto__",
  ];
  return async (random) => {
    const text = mutate(random, valid, pieces).toString();
    const result = parseToolArguments(text);
    assert.ok(typeof result.arguments === "object" && !Array.isArray(result.arguments));
    if (result.error !== undefined) assert.deepEqual(result.arguments, {});
    // What was cut off is never completed: the text must end where the object ends.
    else if (text.trim() !== "") assert.ok(text.trimEnd().endsWith("}"), text);
  };
}

function streams({ streamFunctionFor, TEST_MODEL }) {
  const chunk = (delta, finish = null) =>
    `data: ${JSON.stringify({ id: "1", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const chat = Buffer.from(
    chunk({ role: "assistant", content: "hé" }) +
      chunk({ content: "llo" }) +
      chunk({ tool_calls: [{ index: 0, id: "c1", function: { name: "read", arguments: '{"pa' } }] }) +
      chunk({ tool_calls: [{ index: 0, function: { arguments: 'th":"a"}' } }] }) +
      chunk({}, "tool_calls") +
      "data: [DONE]\n\n",
  );
  const event = (type, more) => `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`;
  const anthropic = Buffer.from(
    event("message_start", {
      message: {
        id: "m",
        type: "message",
        role: "assistant",
        content: [],
        model: "m",
        usage: { input_tokens: 1, output_tokens: 1 },
      },
    }) +
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
      event("content_block_delta", { index: 0, delta: { type: "text_delta", text: "hé" } }) +
      event("content_block_stop", { index: 0 }) +
      event("content_block_start", {
        index: 1,
        content_block: { type: "tool_use", id: "c1", name: "read", input: {} },
      }) +
      event("content_block_delta", { index: 1, delta: { type: "input_json_delta", partial_json: '{"path":"a"}' } }) +
      event("content_block_stop", { index: 1 }) +
      event("message_delta", { delta: { stop_reason: "tool_use" }, usage: { output_tokens: 5 } }) +
      event("message_stop", {}),
  );
  const pieces = [
    "data: ",
    "\n\n",
    "\n",
    "\r\n",
    ": ping\n\n",
    "event: error\n",
    "event: x\ndata: {}\n\n",
    "{",
    "}",
    "null",
    "[DONE]",
    '"',
    "\xff",
    "data: [DONE]\n\n",
    "retry: 1\n",
  ];
  const loaded = new Map();
  return async (random) => {
    const api = random() < 0.5 ? "openai-completions" : "anthropic-messages";
    const bytes = mutate(random, api === "openai-completions" ? chat : anthropic, pieces);
    const cuts = [0, ...Array.from({ length: below(random, 5) }, () => below(random, bytes.length)), bytes.length].sort(
      (a, b) => a - b,
    );
    const original = globalThis.fetch;
    globalThis.fetch = async () =>
      new Response(
        new ReadableStream({
          start(controller) {
            for (let i = 1; i < cuts.length; i++)
              controller.enqueue(new Uint8Array(bytes.subarray(cuts[i - 1], cuts[i])));
            controller.close();
          },
        }),
        { status: 200, headers: { "content-type": "text/event-stream" } },
      );
    try {
      const model = { ...TEST_MODEL, api };
      if (!loaded.has(api)) loaded.set(api, await streamFunctionFor(api));
      const context = { systemPrompt: "s", messages: [{ role: "user", content: "x", timestamp: 1 }], tools: [] };
      const signal = new AbortController().signal;
      const closings = [];
      let last;
      for await (const one of loaded.get(api)(model, context, {
        signal,
        apiKey: "k",
        thinkingLevel: "off",
        routingId: "r",
        cacheRetention: "none",
      })) {
        last = one.type;
        if (one.type === "done" || one.type === "error") closings.push(one);
      }
      assert.equal(closings.length, 1, "exactly one closing event");
      assert.ok(last === "done" || last === "error", "the closing event is the last");
      const [{ type, message }] = closings;
      if (type === "done") assert.ok(["stop", "length", "toolUse"].includes(message.stopReason), message.stopReason);
      for (const part of message.content) {
        if (part.type === "toolCall") assert.ok(typeof part.arguments === "object" && part.arguments !== null);
      }
    } finally {
      globalThis.fetch = original;
    }
  };
}

function texts({
  applyEdits,
  cleanOutput,
  truncateHead,
  truncateTail,
  parseFrontMatter,
  expandTemplate,
  splitArguments,
}) {
  const pieces = [
    "a",
    "b",
    "\n",
    "\r\n",
    "“",
    '"',
    "'",
    "---",
    "---\n",
    "key: v\n",
    "$1",
    "$@",
    "${@:2}",
    " ",
    "\u001b]0;x",
    "\u001b[",
    "\r",
    ...ODD,
  ];
  return async (random) => {
    const text = textOf(random, pieces, 20);
    const cleaned = cleanOutput(text);
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    assert.ok(!/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(cleaned) && cleaned.isWellFormed());
    for (const cut of [truncateHead(text), truncateTail(text)]) assert.ok(text.includes(cut.text));
    parseFrontMatter(text);
    expandTemplate(text, textOf(random, pieces, 6));
    splitArguments(text);
    const [head, old, tail] = [textOf(random, pieces, 6), "OLD", textOf(random, pieces, 6)];
    const changed = applyEdits(head + old + tail, [{ oldText: old, newText: "new" }], "f");
    assert.equal(changed, `${head}new${tail}`);
  };
}
