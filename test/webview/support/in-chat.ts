// A fresh chat page for each test of a file, in one browser, with the names by which a person finds its parts.
import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect } from "vitest";
import { fromWebviewSchema } from "../../../src/protocol/from-webview.ts";
import { ChatDriver, launchBrowser } from "./chat-driver.ts";
import { type PageServer, startPageServer } from "./page-server.ts";

/** To be called once at the top of a file. */
export function eachInChat() {
  let server: PageServer;
  let browser: Browser;
  let chat: ChatDriver;
  beforeAll(async () => {
    [server, browser] = await Promise.all([startPageServer(), launchBrowser()]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });
  beforeEach(async () => {
    chat = await ChatDriver.open(browser, server);
  });
  afterEach(async () => {
    // Whatever a test made the page say must be what the host accepts.
    for (const message of await chat.page.evaluate(() => window.sent)) fromWebviewSchema.parse(message);
    expect(chat.errors).toEqual([]);
    await chat.close();
  });
  return {
    chat: () => chat,
    box: () => chat.page.getByRole("textbox", { name: "Message Coppice" }),
    summary: () => chat.page.getByRole("combobox", { name: "Summary of the branch being left" }),
    button: (name: string) => chat.page.getByRole("button", { name, exact: true }),
    focused: () => chat.page.evaluate(() => document.activeElement?.getAttribute("aria-label")),
  };
}
