import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ChatDriver, launchBrowser } from "./support/chat-driver.ts";
import { commandApproval, emptyChat, reply, sampleDiff, tool, user, viewing } from "./support/chat-samples.ts";
import { hostileMarkdown } from "./support/hostile-markdown.ts";
import { type PageServer, startPageServer } from "./support/page-server.ts";

let server: PageServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startPageServer(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const TAGS = [
  ..."A BLOCKQUOTE BR BUTTON CODE DIV EM H3 H4 H5 H6 HR LI OL P PRE S SPAN STRONG TABLE TBODY TD TH THEAD TR UL".split(
    " ",
  ),
  "svg",
  "path",
];
const ATTRIBUTES = [
  ..."aria-hidden aria-label class d data-coloured data-language dir role start tabindex title type viewBox".split(" "),
];

/** Tags and attributes below the rendered markdown that are not on the list. */
function strangers(chat: ChatDriver) {
  return chat.page.evaluate(
    ({ tags, attributes }) => {
      const found = new Set<string>();
      for (const element of document.querySelectorAll(".md *")) {
        if (!tags.includes(element.tagName)) found.add(`<${element.tagName}>`);
        for (const name of element.getAttributeNames()) if (!attributes.includes(name)) found.add(name);
      }
      return [...found];
    },
    { tags: TAGS, attributes: ATTRIBUTES },
  );
}

describe("model text", () => {
  const payloads = hostileMarkdown();

  it("is tried with more than 250 hostile payloads", () => {
    expect(new Set(payloads).size).toBeGreaterThan(250);
  });

  it("becomes listed elements only, and asks the network for nothing", async () => {
    const chat = await ChatDriver.open(browser, server);
    const before = chat.requests.length;
    const title = await chat.page.title();
    for (let at = 0; at < payloads.length; at += 12) {
      const items = payloads.slice(at, at + 12).map((text, i) => reply(`p${at + i}`, text));
      await chat.snapshot(emptyChat({ session: { id: `s${at}`, title: "t", fromPi: false }, items }));
      for (const top of [100_000, 50_000, 20_000, 8_000, 3_000, 1_500, 700, 0]) {
        await chat.page.locator(".scroller").evaluate((element, to) => element.scrollTo(0, to), top);
        await chat.drawn();
        expect(await strangers(chat), `payloads from ${at}`).toEqual([]);
      }
      // Everything that looks like a control is used; the page must still be there.
      await chat.page.evaluate(() => {
        for (const element of document.querySelectorAll<HTMLElement>(".md a, .md button, .md span")) element.click();
      });
    }
    expect(await chat.page.getByRole("textbox", { name: "Message Coppice" }).isVisible()).toBe(true);
    expect(await chat.page.getByRole("group", { name: "Approval" }).count()).toBe(0);
    expect(await chat.page.title()).toBe(title);
    expect(chat.requests.slice(before)).toEqual([]);
    expect(server.strangers).toEqual([]);
    expect(chat.errors).toEqual([]);
    for (const { url } of await chat.sent("link.open")) expect(url).toMatch(/^https?:\/\//);
    for (const { path } of await chat.sent("file.open")) expect(path).not.toMatch(/^\w+:|^\/\//);
    await chat.close();
  });

  it("shows the tasks of a list as boxes, and brackets elsewhere as they are", async () => {
    const chat = await ChatDriver.open(browser, server);
    const text = "- [x] Mend **it**\n- [ ] Test it\n- [y] no task\n\n1. [X] Counted\n\n[x] in a paragraph";
    await chat.snapshot(emptyChat({ items: [reply("a1", text)] }));
    const tasks = chat.page.locator(".md li.task");
    expect(await tasks.allTextContents()).toEqual(["Mend it", "Test it", "Counted"]);
    const boxes = await tasks.getByRole("img").evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    expect(boxes).toEqual(["done", "not done", "done"]);
    expect(await chat.page.locator(".md").textContent()).toContain("[y] no task");
    expect(await chat.page.getByText("[x] in a paragraph").count()).toBe(1);
    await chat.close();
  });

  it("is as inert while it streams in small pieces", async () => {
    const chat = await ChatDriver.open(browser, server);
    const before = chat.requests.length;
    const text = payloads
      .filter((payload) => payload.length < 200)
      .slice(0, 120)
      .join("\n\n");
    await chat.snapshot(emptyChat({ phase: "turn", items: [reply("a1", "", { blocks: [], streaming: true })] }));
    for (let at = 0; at < text.length; at += 97) {
      await chat.page.evaluate((message) => window.postMessage(message, "*"), {
        type: "state.frame",
        seq: chat.skip(),
        ops: [{ op: "text.append", id: "a1", block: 0, blockType: "text", text: text.slice(at, at + 97) }],
      });
    }
    await chat.drawn();
    expect(await strangers(chat)).toEqual([]);
    expect(chat.requests.slice(before)).toEqual([]);
    expect(chat.errors).toEqual([]);
    await chat.close();
  });

  it("is text everywhere else: titles, outputs, approvals, notices, labels, queues", async () => {
    const chat = await ChatDriver.open(browser, server);
    const before = chat.requests.length;
    const evil =
      '<img src="https://sink.example/x" onerror="document.title=1"><form action="https://sink.example"><button>Allow</button></form>';
    await chat.snapshot(
      emptyChat({
        session: { id: "s", title: evil, fromPi: false, unsavedReason: evil },
        items: [
          user("u", evil, {
            label: evil,
            images: [
              { mimeType: "text/html", data: evil },
              { mimeType: "image/png", data: 'x" onerror="1' },
            ],
          }),
          tool("t", evil, evil, { output: evil, args: evil, status: "running" }),
          {
            kind: "notice",
            id: "n",
            saved: true,
            timestamp: 0,
            level: "error",
            text: evil,
            actions: [{ id: evil, title: evil }],
          },
          { kind: "custom", id: "c", saved: true, timestamp: 0, title: evil, text: evil },
          { kind: "bash", id: "b", saved: true, timestamp: 0, command: evil, output: evil, exitCode: 1 },
          { kind: "compaction", id: "k", saved: true, timestamp: 0, summary: evil, tokensBefore: 1, canUndo: true },
          reply("a", evil, { errorMessage: evil, model: evil, stopReason: "error" }),
        ],
        approvals: [
          {
            ...commandApproval,
            title: evil,
            command: evil,
            path: evil,
            warnings: [evil],
            diff: { ...sampleDiff, lines: [evil] },
          },
        ],
        queue: [{ id: "q", text: evil, mode: "steer" }],
        attachments: [{ id: "f", title: evil, detail: evil }],
        progress: { text: evil, cancellable: true },
        viewing: { ...viewing, title: evil },
      }),
    );
    for (const button of await chat.page.locator(".fold").all()) await button.click();
    await chat.drawn();
    expect(
      await chat.page
        .locator("img, form, script, iframe")
        .evaluateAll((all) => all.filter((e) => e.tagName !== "SCRIPT").length),
    ).toBe(0);
    expect(chat.requests.slice(before)).toEqual([]);
    expect(chat.errors).toEqual([]);
    expect(await chat.page.getByRole("button", { name: "Allow", exact: true }).count()).toBe(1);
    await chat.close();
  });

  it("sends links to the host, the whole address with them, and goes nowhere itself", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(
      emptyChat({
        items: [
          reply("a1", "[docs](https://example.com/a?b=1) and [file](src/x.ts:3) and ![pic](https://example.com/p.png)"),
        ],
      }),
    );
    await chat.page.getByRole("link", { name: "docs" }).click();
    await chat.page.getByRole("link", { name: "file" }).press("Enter");
    expect(await chat.sent("link.open")).toEqual([{ type: "link.open", url: "https://example.com/a?b=1" }]);
    expect(await chat.sent("file.open")).toEqual([{ type: "file.open", path: "src/x.ts", line: 3 }]);
    expect(await chat.page.getByRole("link", { name: "docs" }).getAttribute("title")).toBe("https://example.com/a?b=1");
    expect(await chat.page.locator("article").textContent()).toContain("https://example.com/p.png");
    await chat.close();
  });

  it("offers its code to copy and to insert, exactly", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(emptyChat({ items: [reply("a1", '```ts\nconst a = "<b>";\n\n\treturn a;\n```')] }));
    await expect.poll(() => chat.page.locator("code[data-coloured] span").count()).toBeGreaterThan(0);
    await chat.page.getByRole("button", { name: "Copy code" }).click();
    await chat.page.getByRole("button", { name: "Insert at cursor" }).click();
    const text = 'const a = "<b>";\n\n\treturn a;';
    expect(await chat.sent("code.copy")).toEqual([{ type: "code.copy", text }]);
    expect(await chat.sent("code.insert")).toEqual([{ type: "code.insert", text }]);
    await chat.close();
  });

  it("finds its own direction, and code stays left to right", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(emptyChat({ items: [user("u1", "مرحبا"), reply("a1", "مرحبا `code`\n\n- أولا\n\nEnglish")] }));
    const directions = await chat.page
      .locator(".md > *, .md code, .user-text")
      .evaluateAll((all) => all.map((element) => `${element.tagName} ${getComputedStyle(element).direction}`));
    expect(directions).toEqual(["DIV rtl", "P rtl", "CODE ltr", "UL rtl", "P ltr"]);
    await chat.close();
  });
});
