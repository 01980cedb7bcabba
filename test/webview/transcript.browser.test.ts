import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../src/protocol/view-state.ts";
import { ChatDriver, launchBrowser } from "./support/chat-driver.ts";
import { codeReply, emptyChat, fullItems, reply, tool, user } from "./support/chat-samples.ts";
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

function many(count: number): TranscriptItem[] {
  return Array.from({ length: count }, (_, i) => {
    if (i % 4 === 0) return user(`i${i}`, `Question ${i}: why does this happen, and what would you do?`);
    if (i % 4 === 1) return tool(`i${i}`, "read", `src/file-${i}.ts`);
    return reply(
      `i${i}`,
      i % 16 === 2 ? codeReply : `Answer ${i}. ${"It depends on more than one thing. ".repeat(i % 9)}`,
    );
  });
}

const nodes = (chat: ChatDriver) => chat.page.evaluate(() => document.querySelectorAll("*").length);
const atEnd = (chat: ChatDriver) =>
  chat.page.locator(".scroller").evaluate((s) => s.scrollHeight - s.scrollTop - s.clientHeight < 2);
const scrollTo = async (chat: ChatDriver, share: number) => {
  await chat.page
    .locator(".scroller")
    .evaluate((s, to) => s.scrollTo(0, (s.scrollHeight - s.clientHeight) * to), share);
  await chat.drawn();
  await chat.drawn();
};

describe("the cut of a compaction that is previewed", () => {
  const cut = (before: string[], splitTurn = false) => ({
    before,
    summarised: { entries: 9000, tokens: 45_200 },
    kept: { entries: 1, tokens: 1200 },
    splitTurn,
  });
  const line = (chat: ChatDriver) => chat.page.getByRole("separator");
  /** The row below the line, and whether the row above and it are marked as summarised. */
  const around = (chat: ChatDriver) =>
    chat.page.evaluate(() => {
      const row = document.querySelector(".row.cut");
      const [above, below] = [row?.previousElementSibling, row?.nextElementSibling];
      return [below?.textContent?.match(/\d+/)?.[0], ...[above, below].map((e) => e?.classList.contains("above-cut"))];
    });

  it("is a separator with words before the first row that stays, follows the cut, and goes with it", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(emptyChat({ items: many(12), cut: cut(["gone", "i8"]) }));
    expect(await line(chat).getAttribute("aria-label")).toBe(
      "Cut. Above: summarised, 9000 entries, ~45k tokens. Below: stays word for word, 1 entry, ~1.2k tokens.",
    );
    expect(await around(chat)).toEqual(["8", true, false]);
    await chat.frame({ op: "state.patch", patch: { cut: cut(["i6"], true) } });
    expect(await line(chat).getAttribute("aria-label")).toContain("Cut inside this turn");
    expect(await around(chat)).toEqual(["6", true, false]);
    await chat.page.getByRole("button", { name: "Close preview" }).click();
    expect((await chat.sent("preview.close")).length).toBe(1);
    await chat.frame({ op: "state.patch", patch: { cut: null } });
    expect(await line(chat).count()).toBe(0);
    expect(await chat.page.locator(".above-cut").count()).toBe(0);
    await chat.close();
  });

  it("is found in a long conversation, where the rows around it are not in the page", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(emptyChat({ items: many(20_000), cut: cut(["i9000"]) }));
    expect(await line(chat).count()).toBe(0);
    await chat.say({ type: "item.reveal", id: "i9000" });
    await chat.drawn();
    expect(await line(chat).isVisible()).toBe(true);
    expect(await around(chat)).toEqual(["9000", true, false]);
    await chat.close();
  });
});

describe("the transcript", () => {
  it("holds at most 2,000 nodes with 20,000 items, wherever one looks", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(emptyChat({ items: many(20_000) }));
    expect(await atEnd(chat)).toBe(true);
    let most = await nodes(chat);
    for (const share of [0.9, 0.5, 0.25, 0.1, 0.01, 0, 0.7, 1]) {
      await scrollTo(chat, share);
      await chat.page.waitForTimeout(60);
      most = Math.max(most, await nodes(chat));
      const seen = await chat.page.evaluate(() => document.elementFromPoint(200, 300)?.closest(".row") !== null);
      expect(seen, `something is seen at ${share}`).toBe(true);
    }
    expect(most).toBeLessThanOrEqual(2000);
    expect(chat.errors).toEqual([]);
    await chat.close();
  });

  it("keeps the nodes of finished blocks while a reply streams, and a selection in them", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(
      emptyChat({
        phase: "turn",
        items: [user("u1", "Explain"), reply("tmp", "", { blocks: [], streaming: true, saved: false })],
      }),
    );
    const append = (text: string) => chat.frame({ op: "text.append", id: "tmp", block: 0, blockType: "text", text });
    await append("First paragraph, finished.\n\n```ts\nconst a = 1;\n```\n\n- one\n");
    await append("- two\n\nGrowing");
    await expect.poll(() => chat.page.locator("code[data-coloured]").count()).toBe(1);
    await chat.page.evaluate(() => {
      const kept = [...document.querySelectorAll(".md > *")];
      Object.assign(window, { kept, bubble: document.querySelector(".user") });
      document.getSelection()!.selectAllChildren(kept[0]!);
    });
    for (let i = 0; i < 40; i++) await append(i % 10 === 9 ? ` word ${i}\n\nNext` : ` word ${i}`);
    await chat.frame({ op: "item.renamed", id: "tmp", newId: "a1" });
    const final = await chat.page.evaluate(() => {
      const now = [...document.querySelectorAll(".md > *")];
      const { kept, bubble } = window as unknown as { kept: Element[]; bubble: Element };
      return {
        same: kept.map((node, i) => node === now[i]),
        bubble: bubble === document.querySelector(".user"),
        selected: String(document.getSelection()),
      };
    });
    expect(final).toEqual({ same: [true, true, true, true], bubble: true, selected: "First paragraph, finished." });

    const text = await chat.page.locator(".md").evaluate((element) => element.textContent);
    const streamed = `First paragraph, finished.\n\n\`\`\`ts\nconst a = 1;\n\`\`\`\n\n- one\n- two\n\nGrowing${Array.from({ length: 40 }, (_, i) => (i % 10 === 9 ? ` word ${i}\n\nNext` : ` word ${i}`)).join("")}`;
    await chat.frame({ op: "item.upsert", item: reply("a1", streamed) });
    const end = await chat.page.evaluate(() => {
      const { kept } = window as unknown as { kept: Element[] };
      const now = [...document.querySelectorAll(".md > *")];
      return { same: kept.map((node, i) => node === now[i]), text: document.querySelector(".md")!.textContent };
    });
    expect(end.same).toEqual([true, true, true, true]);
    expect(end.text).toBe(text);
    await chat.close();
  });

  it("ends with what one whole rendering gives, however the text was cut", async () => {
    const chat = await ChatDriver.open(browser, server);
    const texts = [
      codeReply,
      "1. one\n\n   more of one\n\n2. two\n\n\n3. three\n\ntext [ref]\n\n[ref]: https://example.com",
      "Setext\n===\n\n> quote\nlazy\n\n    indented\n\n- a\n\n  - b\n\n```\nopen fence\n\nwith blank lines",
      "a | b\n--|--\n1 | 2\n\n***\n\n~~~md\n```\ninner\n```\n~~~\nend",
    ];
    for (const [i, text] of texts.entries()) {
      const ids = [`s${i}`, `w${i}`] as const;
      await chat.snapshot(
        emptyChat({
          session: { id: ids[0], title: "", fromPi: false },
          phase: "turn",
          items: [reply(ids[0], "", { blocks: [], streaming: true })],
        }),
      );
      for (let at = 0, size = 1; at < text.length; at += size, size = (size * 7) % 23 || 1) {
        await chat.page.evaluate((message) => window.postMessage(message, "*"), {
          type: "state.frame",
          seq: chat.skip(),
          ops: [{ op: "text.append", id: ids[0], block: 0, blockType: "text", text: text.slice(at, at + size) }],
        });
      }
      await chat.frame({ op: "item.upsert", item: reply(ids[0], text) });
      const html = () =>
        chat.page.locator(".md").evaluate((element) => {
          const copy = element.cloneNode(true) as Element;
          for (const code of copy.querySelectorAll("pre code")) {
            code.removeAttribute("data-coloured");
            code.replaceChildren(code.textContent ?? "");
          }
          return copy.outerHTML;
        });
      const streamed = await html();
      await chat.snapshot(
        emptyChat({ session: { id: ids[1], title: "", fromPi: false }, items: [reply(ids[1], text)] }),
      );
      expect(streamed).toBe(await html());
    }
    await chat.close();
  });

  it("follows the end until the person scrolls up, and comes back on demand", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(
      emptyChat({ phase: "turn", items: [...many(60), reply("live", "", { blocks: [], streaming: true })] }),
    );
    const append = (text: string) => chat.frame({ op: "text.append", id: "live", block: 0, blockType: "text", text });
    for (let i = 0; i < 10; i++) await append(`Paragraph ${i}, long enough to take a line or two of the column.\n\n`);
    expect(await atEnd(chat)).toBe(true);
    const jump = chat.page.getByRole("button", { name: "Jump to latest" });
    expect(await jump.isVisible()).toBe(false);

    await chat.page.locator(".scroller").hover();
    await chat.page.mouse.wheel(0, -900);
    await chat.page.waitForTimeout(200);
    const place = () =>
      chat.page.evaluate(() => {
        const row = document.elementFromPoint(200, 200)!.closest(".row")!;
        return [row.textContent!.slice(0, 40), Math.round(row.getBoundingClientRect().top)];
      });
    const before = await place();
    for (let i = 0; i < 10; i++) await append(`More ${i}.\n\n`);
    expect(await place()).toEqual(before);
    await jump.click();
    await chat.drawn();
    expect(await atEnd(chat)).toBe(true);
    await append("The end.");
    expect(await atEnd(chat)).toBe(true);
    await chat.close();
  });

  it("asks once for older items near the start, and the place does not jump when they come", async () => {
    const chat = await ChatDriver.open(browser, server);
    const all = many(240);
    await chat.snapshot(emptyChat({ items: all.slice(120), hasOlder: true }));
    expect(await chat.sent("page.older")).toEqual([]);
    await scrollTo(chat, 0);
    await chat.page.locator(".scroller").evaluate((s) => s.scrollTo(0, 300));
    await chat.drawn();
    expect(await chat.sent("page.older")).toEqual([{ type: "page.older", beforeId: "i120" }]);
    const place = () =>
      chat.page.evaluate(() => {
        const row = document.elementFromPoint(200, 300)!.closest(".row")!;
        return [row.textContent!.slice(0, 60), Math.round(row.getBoundingClientRect().top)];
      });
    const before = await place();
    await chat.say({ type: "page.items", seq: chat.skip(), items: all.slice(0, 120), hasOlder: false });
    await chat.drawn();
    expect(await place()).toEqual(before);
    await scrollTo(chat, 0);
    expect(await chat.page.getByText("Question 0:").isVisible()).toBe(true);
    await chat.close();
  });

  it("asks for a snapshot when a message is missing, and shows nothing twice when it comes twice", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(emptyChat({ items: fullItems() }));
    const count = await chat.page.getByRole("article").count();
    const asked = (await chat.sent("view.ready")).length;
    chat.skip();
    await chat.frame({ op: "item.upsert", item: user("late", "after a gap") });
    expect((await chat.sent("view.ready")).length).toBe(asked + 1);
    expect(await chat.page.getByText("after a gap").count()).toBe(0);
    await chat.snapshot(emptyChat({ items: fullItems() }));
    await chat.snapshot(emptyChat({ items: fullItems() }));
    expect(await chat.page.getByRole("article").count()).toBe(count);
    await chat.close();
  });

  it("shows another session at once, from its end", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(emptyChat({ items: many(80) }));
    await scrollTo(chat, 0.3);
    await chat.snapshot(
      emptyChat({
        session: { id: "s2", title: "Other", fromPi: false },
        items: [...many(40), user("x", "The other session")],
      }),
    );
    expect(await chat.page.getByText("The other session").isVisible()).toBe(true);
    expect(await atEnd(chat)).toBe(true);
    await chat.close();
  });

  it("has its draft, caret, place and open rows back when the page starts again", async () => {
    const chat = await ChatDriver.open(browser, server);
    const items = [...many(80), ...fullItems()];
    await chat.snapshot(emptyChat({ items }));
    const box = chat.page.getByRole("textbox", { name: "Message Coppice" });
    await box.fill("half a thought");
    await box.evaluate((element: HTMLTextAreaElement) => element.setSelectionRange(4, 4));
    await box.press("ArrowRight");
    await chat.page.getByRole("article", { name: "grep" }).getByRole("button").click();
    await chat.page.locator(".scroller").hover();
    await chat.page.mouse.wheel(0, -400);
    await chat.page.waitForTimeout(400);
    const place = () =>
      chat.page.evaluate(() => {
        const row = document.elementFromPoint(200, 200)!.closest(".row")!;
        return [row.textContent!.slice(0, 30), Math.round(row.getBoundingClientRect().top)];
      });
    const before = await place();
    await box.press("ArrowRight");
    await box.press("x");
    await box.press("Backspace");
    await chat.page.waitForTimeout(300);
    await chat.page.reload();
    await chat.snapshot(emptyChat({ items }));
    await chat.drawn();
    expect(await box.inputValue()).toBe("half a thought");
    expect(await box.evaluate((element: HTMLTextAreaElement) => element.selectionStart)).toBe(6);
    const [text, top] = await place();
    expect(text).toBe(before[0]);
    // Scrolling knows whole pixels only.
    expect(Math.abs(Number(top) - Number(before[1]))).toBeLessThanOrEqual(1);
    expect(
      await chat.page.getByRole("article", { name: "grep" }).getByRole("button").first().getAttribute("aria-expanded"),
    ).toBe("true");
    await chat.close();
  });

  it("shows every other item where one is malformed or of an unknown kind", async () => {
    const chat = await ChatDriver.open(browser, server);
    const broken = [
      { ...user("b1", ""), text: undefined },
      { id: "b2", saved: true, timestamp: 0, kind: "hologram" },
      { ...reply("b3", ""), blocks: null },
    ] as unknown as TranscriptItem[];
    await chat.snapshot(emptyChat({ items: [user("u1", "before"), ...broken, user("u2", "after")] }));
    expect(await chat.page.getByText("This entry cannot be shown.").count()).toBe(3);
    expect(await chat.page.getByText("before").isVisible()).toBe(true);
    expect(await chat.page.getByText("after", { exact: true }).isVisible()).toBe(true);
    await chat.close();
  });

  it("keeps a megabyte of output from the page's nodes", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(
      emptyChat({
        items: [tool("t1", "bash", "yes", { output: "line of output\n".repeat(70_000), outputTruncated: true })],
      }),
    );
    await chat.page.getByRole("article", { name: "bash" }).getByRole("button").click();
    expect(
      await chat.page.locator(".tool .fold-body pre").evaluate((element) => element.textContent!.length),
    ).toBeLessThan(30_000);
    await chat.page.getByRole("button", { name: "Open the whole output" }).click();
    expect(await chat.sent("output.open")).toEqual([{ type: "output.open", callId: "call-t1" }]);
    await chat.close();
  });
});
