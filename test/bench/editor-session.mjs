// A session file of a given number of entries for the editor: turns with tools, compactions, labels and many branches,
// with token counts as a model would report them.
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname } from "node:path";

const WORDS =
  "branch context file session reading writing token summary window editor model answer because value".split(" ");
const WINDOW = 160_000;

/** Writes `entries` entries to `path`; about one turn in `turnsPerBranch` begins a new branch. Returns counts, where it forks and the last id. */
export function generateEditorSession(path, entries, { seed = 1, cwd, turnsPerBranch = 15 }) {
  mkdirSync(dirname(path), { recursive: true });
  let state = seed >>> 0;
  const random = () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
  const text = (length) => {
    let out = "";
    while (out.length < length) out += `${WORDS[Math.floor(random() * WORDS.length)]} `;
    return out.trimEnd();
  };
  const lines = [];
  let time = Date.parse("2026-01-01T08:00:00Z");
  let count = 0;
  let leaf = null;
  let tokens = 2_000;
  const sizeAt = new Map();
  const ids = [];
  const put = (value) => lines.push(JSON.stringify(value));
  const add = (type, fields) => {
    const id = (Math.imul(++count, 2654435761) >>> 0).toString(16).padStart(8, "0");
    time += 20_000 + Math.floor(random() * 40_000);
    put({ type, id, parentId: leaf, timestamp: new Date(time).toISOString(), ...fields });
    leaf = id;
    ids.push(id);
    sizeAt.set(id, tokens);
    return id;
  };
  const assistant = (content, stopReason, output) => {
    tokens += output;
    const cost = (tokens * 3) / 1e6;
    const usage = {
      input: tokens - output,
      output,
      cacheRead: 0,
      cacheWrite: 0,
      totalTokens: tokens,
      cost: { input: cost, output: 0, cacheRead: 0, cacheWrite: 0, total: cost },
    };
    return add("message", {
      message: {
        role: "assistant",
        content,
        api: "openai-completions",
        provider: "loop",
        model: "test-model",
        usage,
        stopReason,
        timestamp: time,
      },
    });
  };
  put({
    type: "session",
    version: 3,
    id: `01900000-0000-7000-8000-${String(seed).padStart(12, "0")}`,
    timestamp: new Date(time).toISOString(),
    cwd,
  });
  const forks = [];
  let turn = 0;
  for (; count < entries; turn++) {
    if (turn % turnsPerBranch === turnsPerBranch - 1 && ids.length > 100) {
      const back = random() < 0.2 ? Math.floor(random() * ids.length) : ids.length - 1 - Math.floor(random() * 90);
      leaf = ids[back];
      tokens = sizeAt.get(leaf);
      forks.push(leaf);
    }
    tokens += 60;
    const asked = add("message", {
      message: { role: "user", content: `Turn ${turn}: ${text(40 + random() * 200)}`, timestamp: time },
    });
    for (let calls = Math.floor(random() * 6); calls > 0; calls--) {
      const callId = `call_${count}`;
      assistant(
        [{ type: "toolCall", id: callId, name: "read", arguments: { path: `src/${count}.ts` } }],
        "toolUse",
        120,
      );
      const length = 200 + random() * 2500;
      tokens += Math.round(length / 4) * 3;
      add("message", {
        message: {
          role: "toolResult",
          toolCallId: callId,
          toolName: "read",
          content: [{ type: "text", text: text(length) }],
          isError: false,
          timestamp: time,
        },
      });
    }
    assistant([{ type: "text", text: text(200 + random() * 1200) }], "stop", 300);
    if (tokens > WINDOW) {
      add("compaction", { summary: `## Goal\n${text(1500)}`, firstKeptEntryId: asked, tokensBefore: tokens });
      tokens = 9_000 + Math.floor(random() * 12_000);
      sizeAt.set(leaf, tokens);
    }
    if (random() < 0.008) add("label", { targetId: asked, label: text(12) });
  }
  const fd = openSync(path, "w");
  writeSync(fd, `${lines.join("\n")}\n`);
  closeSync(fd);
  return { entries: count, turns: turn, leaf, forks };
}
