// Goals 12 and 13: the chat page beside a naive one, in the same browser, in turn. Prints one JSON line of figures.
import { build } from "esbuild";
import type { CDPSession, Page } from "playwright-core";
import { ChatDriver, launchBrowser } from "./chat-driver.ts";
import { emptyChat } from "./chat-samples.ts";
import { startPageServer } from "./page-server.ts";

const rounds = Number(process.argv[2] ?? 3);
const MANY = Number(process.argv[3] ?? 20_000);

/**
 * What the goals compare with: a page that draws every message at once, coloured code and all, by the usual two libraries;
 * and our own renderer that draws a stream's whole text with every frame.
 */
async function naiveScript(): Promise<string> {
  const { outputFiles } = await build({
    stdin: {
      contents: `
        import hljs from "highlight.js/lib/common";
        import MarkdownIt from "markdown-it";
        import { renderBlocks } from "./src/webview/markdown.ts";
        const markdown = new MarkdownIt({
          highlight: (code, language) => (hljs.getLanguage(language) ? hljs.highlight(code, { language }).value : ""),
        });
        globalThis.naive = (text) => {
          const message = document.createElement("div");
          message.innerHTML = markdown.render(text);
          return [message];
        };
        const actions = { follow() {}, copyCode() {}, insertCode() {} };
        globalThis.whole = (text) => renderBlocks(text, actions).map((block) => block.node);
      `,
      resolveDir: process.cwd(),
      loader: "ts",
    },
    bundle: true,
    write: false,
    format: "iife",
    minify: true,
  });
  return outputFiles[0]!.text;
}

/** Defined in the page: replies that show code, as those of coding do, 0.8 KB a message in the mean; and waits for what was drawn. */
const HELPERS = `
  globalThis.benchCode = (n) => Array.from({ length: 4 }, (_, i) =>
    "export function step" + n + "_" + i + "(value: number, seen: Set<string>): number {\\n" +
    "  if (seen.has('step " + i + "')) return value * " + n + "; // already taken\\n" +
    "  seen.add('step " + i + "');\\n  return Math.max(value + " + i + ", seen.size);\\n}\\n").join("\\n");
  globalThis.benchText = (n) => "Message " + n + " about the **list** and \`src/list-" + n + ".ts\`.\\n\\n" +
    "- first point, which says something of moderate length about the change\\n- second point with \`code\` in it\\n\\n" +
    "\`\`\`ts\\n" + benchCode(n) + "\`\`\`\\n\\n" +
    "A closing paragraph of some length that wraps in a narrow column, because replies of models do so. ".repeat(4);
  globalThis.benchPrompt = (n) => "Prompt " + n + ": " + "what a person asks for takes a line or two, and sometimes three. ".repeat(3);
  globalThis.benchItem = (n) => n % 2 === 0
    ? { kind: "user", id: "m" + n, saved: true, timestamp: 0, text: benchPrompt(n), images: [] }
    : { kind: "assistant", id: "m" + n, saved: true, timestamp: 0, streaming: false, stopReason: "stop", model: "M", blocks: [{ type: "text", text: benchText(n) }] };
  globalThis.benchDrawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
`;

async function ours(page: Page, count: number): Promise<{ ms: number; nodes: number }> {
  return await page.evaluate(
    async ([state, many]) => {
      const g = globalThis as unknown as { benchItem(n: number): unknown; benchDrawn(): Promise<void> };
      const items = Array.from({ length: many }, (_, n) => g.benchItem(n));
      const from = performance.now();
      // The copy between host and page is the editor's, and a host sends pages: what counts here is the page's own work.
      const data = { type: "state.snapshot", seq: 1, state: { ...state, items }, strings: {} };
      window.dispatchEvent(new MessageEvent("message", { data, origin: location.origin, source: window }));
      while (document.querySelector("article") === null) await new Promise((done) => setTimeout(done, 0));
      await g.benchDrawn();
      return { ms: performance.now() - from, nodes: document.querySelectorAll("*").length };
    },
    [emptyChat() as object, count] as const,
  );
}

async function naive(page: Page, count: number): Promise<{ ms: number; nodes: number }> {
  return await page.evaluate(async (many) => {
    const g = globalThis as unknown as {
      benchText(n: number): string;
      benchPrompt(n: number): string;
      benchDrawn(): Promise<void>;
      naive(text: string): Node[];
    };
    const from = performance.now();
    for (let n = 0; n < many; n++) {
      const row = document.createElement("article");
      row.append(...(n % 2 === 0 ? [g.benchPrompt(n)] : g.naive(g.benchText(n))));
      document.body.append(row);
    }
    await g.benchDrawn();
    return { ms: performance.now() - from, nodes: document.querySelectorAll("*").length };
  }, count);
}

const CHARS = 16_000;
const CHUNK = 40;

/** Streams one reply: appended in the host's batches, or its whole text drawn anew with every frame. Returns the work in ms. */
async function stream(page: Page, whole: boolean): Promise<number> {
  const client = await page.context().newCDPSession(page);
  await client.send("Performance.enable");
  await page.evaluate(
    async ([everything, state]) => {
      if (everything) return;
      const reply = { kind: "assistant", id: "s", saved: false, timestamp: 0, streaming: true, model: "M", blocks: [] };
      const snapshot = {
        type: "state.snapshot",
        seq: 1,
        state: { ...state, phase: "turn", items: [reply] },
        strings: {},
      };
      window.dispatchEvent(new MessageEvent("message", { data: snapshot, origin: location.origin, source: window }));
      await new Promise((done) => setTimeout(done, 500));
    },
    [whole, emptyChat() as object] as const,
  );
  const before = await work(client);
  await page.evaluate(
    async ([everything, chars, chunk]) => {
      const g = globalThis as unknown as { benchText(n: number): string; whole(text: string): Node[] };
      let source = "";
      for (let n = 1; source.length < chars; n++) source += `${g.benchText(n)}\n\n`;
      const target = document.createElement("article");
      if (everything) document.body.append(target);
      for (let step = 0; step * chunk < chars; step++) {
        if (everything) target.replaceChildren(...g.whole(source.slice(0, (step + 1) * chunk)));
        else if (step % 3 === 2) {
          // The host joins what comes within 50 ms: three frames.
          const text = source.slice((step - 2) * chunk, (step + 1) * chunk);
          const ops = [{ op: "text.append", id: "s", block: 0, blockType: "text", text }];
          const data = { type: "state.frame", seq: (step + 1) / 3 + 1, ops };
          window.dispatchEvent(new MessageEvent("message", { data, origin: location.origin, source: window }));
        }
        await new Promise<void>((done) => requestAnimationFrame(() => done()));
      }
    },
    [whole, CHARS, CHUNK] as const,
  );
  return (await work(client)) - before;
}

/** Milliseconds of script, style and layout of the page so far, by the browser's own counters. */
async function work(client: CDPSession): Promise<number> {
  const { metrics } = await client.send("Performance.getMetrics");
  const of = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? 0;
  return (of("ScriptDuration") + of("LayoutDuration") + of("RecalcStyleDuration")) * 1000;
}

const median = (values: number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]!;
const script = await naiveScript();
const server = await startPageServer();
const browser = await launchBrowser();
const fresh = async (compared: "no" | "page" | "stream") => {
  const driver = await ChatDriver.open(browser, server);
  // Our page takes no HTML from anywhere; the naive one lives by it, on a page of its own.
  if (compared === "page") await driver.page.goto("about:blank");
  await driver.page.evaluate(HELPERS);
  if (compared !== "no") await driver.page.evaluate(script);
  return driver;
};
try {
  const figures: Record<string, number[]> = {
    first: [],
    small: [],
    naive: [],
    nodes: [],
    naiveNodes: [],
    stream: [],
    naiveStream: [],
  };
  for (let round = 0; round < rounds; round++) {
    for (const [name, action] of [
      ["first", (page: Page) => ours(page, MANY)],
      ["small", (page: Page) => ours(page, 200)],
      ["naive", (page: Page) => naive(page, MANY)],
    ] as const) {
      const driver = await fresh(name === "naive" ? "page" : "no");
      const { ms, nodes } = await action(driver.page);
      figures[name]!.push(ms);
      if (name === "first") figures.nodes!.push(nodes);
      if (name === "naive") figures.naiveNodes!.push(nodes);
      await driver.close();
    }
    for (const whole of [false, true]) {
      const driver = await fresh(whole ? "stream" : "no");
      figures[whole ? "naiveStream" : "stream"]!.push(await stream(driver.page, whole));
      await driver.close();
    }
  }
  console.log(
    JSON.stringify(Object.fromEntries(Object.entries(figures).map(([name, values]) => [name, median(values)]))),
  );
} finally {
  await browser.close();
  await server.close();
}
