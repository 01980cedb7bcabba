import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ChatState } from "../../src/protocol/view-state.ts";
import { ChatDriver, launchBrowser } from "./support/chat-driver.ts";
import {
  commandApproval,
  editApproval,
  emptyChat,
  fullItems,
  reply,
  tool,
  user,
  viewing,
} from "./support/chat-samples.ts";
import { type PageServer, startPageServer } from "./support/page-server.ts";
import type { ThemeName } from "./support/themes.ts";

const axe = await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

let server: PageServer;
let browser: Browser;
beforeAll(async () => {
  [server, browser] = await Promise.all([startPageServer(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});

const setup = [
  { id: "key", title: "Use an API key", detail: "Anthropic, OpenAI or a compatible server" },
  { id: "demo", title: "Try the demo", detail: "Scripted answers, no AI" },
];
const everything: Record<string, ChatState> = {
  conversation: emptyChat({ items: fullItems() }),
  setup: emptyChat({ session: null, model: null, context: null, setup }),
  welcome: emptyChat({
    session: null,
    model: { key: "demo", name: "Demo (scripted, not AI)", provider: "Coppice", isDemo: true },
  }),
  running: emptyChat({
    phase: "turn",
    context: { ...emptyChat().context!, tokens: 170_000 },
    items: [
      user("u1", "Go"),
      reply("a1", "Working on it", { streaming: true, saved: false }),
      tool("t1", "bash", "npm test", { status: "running", output: "one\ntwo" }),
      tool("t2", "edit", "a.ts", { status: "waiting" }),
      tool("t3", "bash", "rm -rf /", { status: "denied" }),
    ],
    queue: [{ id: "q1", text: "Later", mode: "followUp" }],
    approvals: [editApproval, commandApproval],
    progress: { text: "Retrying in 4 s (2 of 3)", cancellable: true },
  }),
  limits: emptyChat({
    session: { id: "s", title: "A session", fromPi: true, unsavedReason: "the disk is full" },
    trusted: false,
    hasWorkspace: false,
    viewing: { ...viewing, kind: "otherBranch" },
    attachments: [{ id: "f", title: "a.ts", detail: "src/a.ts" }],
    items: [
      user("u1", "Hello", { saved: false, label: "here" }),
      {
        kind: "notice",
        id: "n",
        saved: true,
        timestamp: 0,
        level: "warning",
        text: "Merged",
        actions: [{ id: "x", title: "Show" }],
      },
      { kind: "bash", id: "b", saved: true, timestamp: 0, command: "ls", output: "a", exitCode: 1 },
      { kind: "custom", id: "c", saved: true, timestamp: 0, title: "Extension", text: "Said *this*" },
      { kind: "branchSummary", id: "bs", saved: true, timestamp: 0, summary: "What was tried", fromId: "x" },
      reply("a2", "", { blocks: [], stopReason: "error", errorMessage: "overloaded" }),
    ],
  }),
};

async function violations(chat: ChatDriver): Promise<string[]> {
  // The page's policy forbids evaluated scripts to it; the test's own are exempt.
  await chat.page.evaluate(axe);
  return chat.page.evaluate(async () => {
    const { run } = (
      window as unknown as {
        axe: {
          run(): Promise<{
            violations: { id: string; impact: string; nodes: { html: string; failureSummary: string }[] }[];
          }>;
        };
      }
    ).axe;
    const { violations } = await run();
    return violations
      .filter((one) => one.impact === "serious" || one.impact === "critical")
      .map(
        (one) =>
          `${one.id}: ${one.nodes.map((node) => `${node.html.slice(0, 160)} ${node.failureSummary}`).join(" | ")}`,
      );
  });
}

describe("accessibility", () => {
  for (const theme of ["dark", "light", "hc"] as ThemeName[]) {
    it(`has no serious issue in the ${theme} theme, in any state`, async () => {
      const chat = await ChatDriver.open(browser, server, { theme, height: 1600, reducedMotion: true });
      const found: string[] = [];
      for (const [name, state] of Object.entries(everything)) {
        await chat.snapshot({ ...state, session: state.session && { ...state.session, id: name } });
        await chat.page.evaluate(() => {
          for (const fold of document.querySelectorAll<HTMLElement>(".fold[aria-expanded=false]")) fold.click();
        });
        await chat.page.waitForTimeout(100);
        found.push(...(await violations(chat)).map((one) => `${name}: ${one}`));
      }
      await chat.close();
      expect(found).toEqual([]);
    });
  }

  it("keeps the names that tests and assistive tools rely on", async () => {
    const chat = await ChatDriver.open(browser, server, { height: 1600 });
    await chat.snapshot(
      emptyChat({
        phase: "turn",
        items: fullItems(),
        approvals: [editApproval],
        viewing: { ...viewing, title: "", abandonedEntries: 1 },
      }),
    );
    const { page } = chat;
    await page.getByRole("textbox", { name: "Message Coppice", exact: true }).fill("x");
    for (const name of [
      "Send",
      "Stop",
      "New Session",
      "Compact",
      "Model",
      "Thinking",
      "Approvals",
      "Previous branch",
      "Next branch",
      "Continue from here",
      "Back to current",
    ]) {
      expect(await page.getByRole("button", { name, exact: true }).count(), name).toBe(1);
    }
    expect(
      await page.getByRole("meter", { name: "Context used", exact: true }).getAttribute("aria-valuetext"),
    ).toContain("45,210 of 200,000");
    const articles = await page
      .getByRole("article")
      .evaluateAll((all) => all.map((one) => one.getAttribute("aria-label")));
    expect(articles).toEqual([
      "You",
      "Coppice",
      "Compaction",
      "You",
      "Coppice",
      "read",
      "grep",
      "edit",
      "bash",
      "Coppice",
    ]);
    const approval = page.getByRole("group", { name: "Approval", exact: true });
    for (const name of ["Allow", "Deny", "Allow for session"]) {
      expect(await approval.getByRole("button", { name, exact: true }).count(), name).toBe(1);
    }
    await chat.close();
  });

  it("announces politely and seldom, and an approval at once", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(emptyChat());
    await chat.frame({ op: "state.patch", patch: { phase: "turn" } });
    expect(await chat.page.locator("[aria-live=polite]").textContent()).toBe("Coppice is working");
    await chat.frame({ op: "item.upsert", item: tool("t", "bash", "ls", { status: "running" }) });
    expect(await chat.page.locator("[aria-live=polite]").textContent()).toBe("Coppice is working");
    await chat.frame({ op: "state.patch", patch: { approvals: [commandApproval] } });
    expect(await chat.page.locator("[aria-live=assertive]").textContent()).toBe("Approval needed: Run a command");
    expect(await chat.page.getByRole("log").getAttribute("aria-live")).toBe("off");
    await chat.close();
  });

  it("is reached by Tab from the composer on and left again", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(emptyChat({ items: fullItems() }));
    await chat.page.getByRole("textbox", { name: "Message Coppice" }).fill("x");
    const names: (string | null)[] = [];
    for (let i = 0; i < 8; i++) {
      await chat.page.keyboard.press("Tab");
      names.push(await chat.page.evaluate(() => document.activeElement?.getAttribute("aria-label") ?? null));
    }
    expect(names.slice(0, 6)).toEqual(["Attach", "Model", "Thinking", "Approvals", "Inspect context", "Send"]);
    await chat.close();
  });

  it("moves between messages with the arrows and back to the composer with Esc", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.snapshot(emptyChat({ items: fullItems() }));
    const name = () => chat.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));
    await chat.page.getByRole("textbox", { name: "Message Coppice" }).press("Alt+ArrowUp");
    expect(await name()).toBe("Coppice");
    await chat.page.keyboard.press("ArrowUp");
    expect(await name()).toBe("bash");
    await chat.page.keyboard.press("Escape");
    expect(await name()).toBe("Message Coppice");
    await chat.close();
  });

  for (const width of [160, 200, 300]) {
    it(`is usable ${width} pixels wide`, async () => {
      const chat = await ChatDriver.open(browser, server, { width, height: 600 });
      for (const [name, state] of Object.entries(everything)) {
        await chat.snapshot({ ...state, session: state.session && { ...state.session, id: name } });
        await chat.page.getByRole("textbox", { name: "Message Coppice" }).fill("x");
        const wide = await chat.page.evaluate(() =>
          [...document.querySelectorAll<HTMLElement>("body *")]
            .filter((e) => {
              // What a parent cuts off or scrolls by itself does not widen the page.
              for (let at = e.parentElement; at && at !== document.body; at = at.parentElement) {
                const cuts = getComputedStyle(at).overflowX !== "visible" && !at.matches(".scroller, .dock-notes");
                if (cuts) return false;
              }
              return e.getBoundingClientRect().right > innerWidth + 1;
            })
            .map((e) => `${e.tagName}.${e.getAttribute("class")}`),
        );
        expect(wide, name).toEqual([]);
        const wanted = state.phase === "turn" ? "Stop" : "Send";
        expect(await chat.page.getByRole("button", { name: wanted, exact: true }).isVisible(), name).toBe(true);
        const box = (await chat.page.getByRole("textbox", { name: "Message Coppice" }).boundingBox())!;
        expect(box.y + box.height).toBeLessThanOrEqual(600);
        expect(box.width).toBeGreaterThan(width * 0.75);
      }
      await chat.close();
    });
  }

  it("limits the measure of the text on a wide page", async () => {
    const chat = await ChatDriver.open(browser, server, { width: 1220 });
    await chat.snapshot(emptyChat({ items: [reply("a", "word ".repeat(400))] }));
    expect((await chat.page.locator(".md p").boundingBox())!.width).toBeLessThanOrEqual(820);
    await chat.close();
  });

  it("does not move by itself where motion is unwanted", async () => {
    const chat = await ChatDriver.open(browser, server);
    await chat.page.evaluate(() => document.body.classList.add("vscode-reduce-motion"));
    await chat.snapshot(everything.running!);
    const moving = await chat.page.evaluate(() => document.getAnimations().length);
    expect(moving).toBe(0);
    await chat.close();
  });
});
