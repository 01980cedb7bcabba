// Takes pictures of the chat page in every state, width and theme, for people to look at: `look.ts [folder]`.
import { mkdir } from "node:fs/promises";
import type { ChatState, TranscriptItem } from "../../../src/protocol/view-state.ts";
import { ChatDriver, launchBrowser } from "./chat-driver.ts";
import {
  codeReply,
  commandApproval,
  editApproval,
  emptyChat,
  fullItems,
  reply,
  tool,
  user,
  viewing,
} from "./chat-samples.ts";
import { startPageServer } from "./page-server.ts";
import type { ThemeName } from "./themes.ts";

const folder = process.argv[2] ?? "test-results/look";
const only = process.argv[3];

function marker(id: string, reason: "manual" | "threshold" | "overflow"): TranscriptItem {
  const sizes = { tokensBefore: 183_900, tokensAfter: 24_100 };
  return { kind: "compaction", id, saved: true, timestamp: 0, summary: "## Goal", reason, canUndo: true, ...sizes };
}

const states: Record<string, ChatState> = {
  empty: emptyChat({
    session: null,
    context: null,
    model: { key: "demo", name: "Demo (scripted, not AI)", provider: "Coppice", isDemo: true },
  }),
  setup: emptyChat({
    session: null,
    model: null,
    context: null,
    setup: [
      { id: "key", title: "Use an API key", detail: "Anthropic, OpenAI or a compatible server" },
      { id: "lm", title: "Use Copilot", detail: "The models of your plan" },
      { id: "local", title: "Use a local server", detail: "Ollama or llama.cpp on this machine" },
      { id: "demo", title: "Try the demo", detail: "Scripted answers, no AI, no key" },
    ],
  }),
  full: emptyChat({ items: fullItems() }),
  leaving: emptyChat({
    items: fullItems(),
    viewing: { ...viewing, kind: "otherBranch", title: "retry twice", labelled: true },
  }),
  cut: emptyChat({
    items: [
      user("u1", "Why do uploads fail now and then?"),
      reply("a1", "The client gives up after the first timeout. Retrying twice would cover what the log shows."),
      tool("t1", "read", "src/upload/upload.ts"),
      user("u2", "Make it retry, but never more than three times."),
      reply("a2", "Done: three attempts, with a pause that doubles."),
    ],
    cut: {
      before: ["u2"],
      summarised: { entries: 12, tokens: 45_200 },
      kept: { entries: 2, tokens: 1200 },
      splitTurn: false,
    },
  }),
  retrying: emptyChat({
    phase: "turn",
    items: [
      user("u1", "Why do uploads fail now and then?"),
      reply("a0", "", { blocks: [], stopReason: "error", errorMessage: "HTTP 529: the server is overloaded." }),
      reply("a1", "The client gives up after the first timeout."),
      user("u2", "Make it retry, but never more than three times."),
      reply("a2", "", { blocks: [], stopReason: "error", errorMessage: "HTTP 503: out of order." }),
      reply("a3", "", { blocks: [], stopReason: "error", errorMessage: "HTTP 503: out of order." }),
    ],
    progress: { text: "Trying again in 4 s (2 of 3).", cancellable: true, retry: true },
  }),
  markers: emptyChat({
    context: { ...emptyChat().context!, ofShown: true },
    items: [
      user("u1", "Why do uploads fail now and then?", { label: "start" }),
      reply("a1", "The client gives up after the first timeout.", { label: "what the log shows, in short" }),
      marker("m1", "manual"),
      user("u2", "Make it retry.", { label: "retry" }),
      marker("m2", "threshold"),
      reply("a2", "Done: three attempts, with a pause that doubles."),
      marker("m3", "overflow"),
      tool("t1", "read", "src/upload/upload.ts", { label: "read" }),
      user("u3", "And the tests?"),
    ],
  }),
  running: emptyChat({
    phase: "turn",
    items: [
      user("u1", "Make it retry, but never more than three times."),
      reply("a1", "Looking at the code first.", { stopReason: "toolUse" }),
      tool("t1", "read", "src/upload/upload.ts"),
      tool("t2", "bash", "npm test -- --run src/upload", {
        status: "running",
        output: "> vitest run\n\n RUN  v4\n ✓ src/upload/upload.test.ts (4)\n ❯ src/upload/retry.test.ts (2)\n",
      }),
      tool("t4", "edit", "src/upload/retry.ts", { status: "waiting" }),
      tool("t5", "bash", "rm -rf node_modules", { status: "denied" }),
    ],
    queue: [
      { id: "q1", text: "Also update the changelog", mode: "steer" },
      { id: "q2", text: "Then open a pull request with a summary of what has changed", mode: "followUp" },
    ],
    context: { ...emptyChat().context!, tokens: 170_000 },
  }),
  streaming: emptyChat({
    phase: "turn",
    items: [
      user("u1", "Explain"),
      reply("a1", "", {
        streaming: true,
        saved: false,
        blocks: [
          { type: "thinking", text: "Hm", redacted: false },
          { type: "text", text: codeReply.slice(0, 420) },
        ],
      }),
    ],
  }),
  approvalEdit: emptyChat({
    phase: "turn",
    items: [...fullItems().slice(3, 6), tool("t2", "edit", "src/upload/retry.ts", { status: "waiting" })],
    approvals: [editApproval, commandApproval],
  }),
  approvalCommand: emptyChat({
    phase: "turn",
    items: [...fullItems().slice(3, 6), tool("t3", "bash", "npm test", { status: "waiting" })],
    approvals: [commandApproval],
  }),
  viewing: emptyChat({
    items: fullItems().slice(0, 5),
    viewing: { ...viewing, title: "Make it retry, but never more than three times" },
  }),
  errors: emptyChat({
    session: { id: "s1", title: "A session", fromPi: true, unsavedReason: "the disk is full" },
    trusted: false,
    items: [
      user("u1", "مرحبا، كيف يعمل الرفع؟ ملف upload.ts", { saved: false }),
      reply("a1", "يرسل الملف مرة واحدة فقط.\n\n- أولاً\n- ثانياً `code`", { saved: false }),
      {
        kind: "notice",
        id: "n1",
        saved: true,
        timestamp: 0,
        level: "warning",
        text: "Another window wrote to this session; what it said was merged.",
        actions: [
          { id: "show", title: "Show branch" },
          { id: "ok", title: "Dismiss" },
        ],
      },
      reply("a2", "", {
        blocks: [],
        stopReason: "error",
        errorMessage: "529 overloaded_error: the provider is busy.",
      }),
      reply("a3", "", { blocks: [], stopReason: "error", errorMessage: "529 overloaded_error: the provider is busy." }),
    ],
    progress: { text: "Retrying in 4 s (2 of 3)", cancellable: true },
    attachments: [{ id: "f1", title: "upload.ts:12-40", detail: "src/upload/upload.ts" }],
  }),
};

const server = await startPageServer();
const browser = await launchBrowser();
await mkdir(folder, { recursive: true });
for (const theme of ["dark", "light", "hc"] as ThemeName[]) {
  for (const width of [160, 200, 290, 400, 600, 1200]) {
    for (const [name, state] of Object.entries(states)) {
      const file = `${theme}-${width}-${name}`;
      if (only && !new RegExp(only).test(file)) continue;
      const chat = await ChatDriver.open(browser, server, { theme, width, height: 760, reducedMotion: true });
      await chat.snapshot(state);
      await chat.page.waitForTimeout(250);
      await chat.page.screenshot({ path: `${folder}/${file}.png` });
      if (chat.errors.length > 0) console.error(file, chat.errors);
      await chat.close();
    }
  }
}
await browser.close();
await server.close();
console.log(`script ${server.scriptBytes} bytes`);
