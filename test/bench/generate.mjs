// Deterministic session files of a given size: turns with tools, compactions, branches, labels, images.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

/** A small generator of numbers that are the same on every machine. */
function numbers(seed) {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const WORDS =
  "branch context file session reading writing compaction token summary window editor model answer because therefore function return value".split(
    " ",
  );

/** What replies and tool results hold beside plain words: one text in so many has such a sign, and with it no one-byte text is enough for the file. */
const SIGNS = ["→", "—", "✓", "│", "…"];
const SIGNED = 12;

/** Writes about `bytes` bytes to `path`. Returns counts. */
export function generateSession(path, bytes, { seed = 1, cwd = "/bench", linear = false, compactions = true } = {}) {
  mkdirSync(dirname(path), { recursive: true });
  const random = numbers(seed);
  const fd = openSync(path, "w");
  let buffer = "";
  let written = 0;
  let entries = 0;
  let time = Date.parse("2026-01-01T00:00:00Z");
  let leaf = null;
  const ids = [];
  let lastCompaction = 0;
  const flush = () => {
    written += Buffer.byteLength(buffer);
    writeSync(fd, buffer);
    buffer = "";
  };
  const put = (value) => {
    buffer += `${JSON.stringify(value)}\n`;
    if (buffer.length > 1 << 20) flush();
  };
  const add = (type, fields) => {
    const id = (Math.imul(++entries, 2654435761) >>> 0).toString(16).padStart(8, "0");
    time += 1000;
    put({ type, id, parentId: leaf, timestamp: new Date(time).toISOString(), ...fields });
    leaf = id;
    ids.push(id);
    return id;
  };
  const text = (length) => {
    const parts = [];
    for (let n = 0; n < length; ) {
      const word = WORDS[Math.floor(random() * WORDS.length)];
      parts.push(word);
      n += word.length + 1;
    }
    const signed = Math.floor(random() * SIGNED) === 0;
    if (signed) parts.splice(parts.length >> 1, 0, SIGNS[Math.floor(random() * SIGNS.length)]);
    return parts.join(" ");
  };
  const usage = {
    input: 10,
    output: 20,
    cacheRead: 0,
    cacheWrite: 0,
    totalTokens: 30,
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  };
  const assistant = (content, stopReason) =>
    add("message", {
      message: {
        role: "assistant",
        content,
        api: "anthropic-messages",
        provider: "anthropic",
        model: "claude",
        usage,
        stopReason,
        timestamp: time,
      },
    });
  put({
    type: "session",
    version: 3,
    id: `01900000-0000-7000-8000-${String(seed).padStart(12, "0")}`,
    timestamp: new Date(time).toISOString(),
    cwd,
  });
  add("model_change", { provider: "anthropic", modelId: "claude" });
  add("thinking_level_change", { thinkingLevel: "medium" });
  while (written + buffer.length < bytes) {
    const turnStart = add("message", {
      message: { role: "user", content: linear ? "x" : text(40 + random() * 300), timestamp: time },
    });
    if (linear) {
      assistant([{ type: "text", text: text(225) }], "stop");
      continue;
    }
    for (let calls = Math.floor(random() * 5); calls > 0; calls--) {
      const callId = `call_${entries}`;
      assistant(
        [
          { type: "thinking", thinking: text(200) },
          { type: "toolCall", id: callId, name: "read", arguments: { path: `src/${entries}.ts` } },
        ],
        "toolUse",
      );
      const content =
        random() < 0.01
          ? [{ type: "image", data: "A".repeat(60_000), mimeType: "image/png" }]
          : [{ type: "text", text: text(500 + random() * 24_000) }];
      add("message", {
        message: { role: "toolResult", toolCallId: callId, toolName: "read", content, isError: false, timestamp: time },
      });
    }
    assistant([{ type: "text", text: text(200 + random() * 1500) }], "stop");
    const size = buffer.length + written;
    if (compactions && size - lastCompaction > 250_000) {
      add("compaction", { summary: text(3000), firstKeptEntryId: turnStart, tokensBefore: 60_000 });
      lastCompaction = size;
    }
    if (random() < 0.01) add("label", { targetId: turnStart, label: text(12) });
    if (random() < 0.01) add("session_info", { name: text(20) });
    if (random() < 0.02 && ids.length > 60) leaf = ids[ids.length - 1 - Math.floor(random() * 50)];
  }
  flush();
  closeSync(fd);
  return { entries, bytes: written };
}
