// Drives the editor in Chromium as a person would: by role and name.
import { mkdir } from "node:fs/promises";
import { dirname } from "node:path";
import { chromium } from "playwright-core";
import { ensureChromium } from "./runtime.mjs";

export async function launchBrowser(log) {
  const executablePath = await ensureChromium(log);
  const args = [
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
  ];
  if (process.getuid?.() === 0) args.push("--no-sandbox");
  return await chromium.launch({ executablePath, args, headless: true });
}

/** The editor in one page. */
export class EditorPage {
  constructor(page) {
    this.page = page;
  }

  static async open(browser, url, { width = 1440, height = 900 } = {}) {
    const context = await browser.newContext({
      viewport: { width, height },
      permissions: ["clipboard-read", "clipboard-write"],
    });
    const page = await context.newPage();
    const editor = new EditorPage(page);
    editor.problems = [];
    page.on("console", (message) => {
      if (/Content Security Policy|Refused to/.test(message.text())) editor.problems.push(message.text());
    });
    await page.goto(url);
    await editor.ready();
    return editor;
  }

  async ready() {
    await this.page.waitForSelector(".monaco-workbench .part.statusbar", { timeout: 60_000 });
    await this.page.waitForFunction(() => document.querySelectorAll(".statusbar-item").length > 2, undefined, {
      timeout: 60_000,
    });
  }

  /** Runs a command from the palette by its whole title. */
  async command(title) {
    const input = this.page.locator(".quick-input-widget:visible input").first();
    const row = this.page
      .locator(".quick-input-list .monaco-list-row")
      .filter({
        has: this.page.locator(".label-name", {
          hasText: new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}`),
        }),
      })
      .first();
    for (let attempt = 0; ; attempt++) {
      try {
        await this.page.keyboard.press("F1");
        await input.waitFor({ timeout: 3000 });
        await input.fill(`>${title}`);
        // The extension's commands arrive some time after the workbench.
        await row.waitFor({ timeout: 3000 });
        await row.click();
        return;
      } catch (error) {
        if (attempt >= 8) throw error;
        await this.page.keyboard.press("Escape");
      }
    }
  }

  /** The chat page's own frame, two nested frames deep. */
  async chat({ timeout = 30_000 } = {}) {
    const end = Date.now() + timeout;
    for (;;) {
      for (const frame of this.page.frames()) {
        if (frame.isDetached() || frame === this.page.mainFrame()) continue;
        const visible = await frame
          .getByRole("textbox", { name: "Message Coppice" })
          .isVisible()
          .catch(() => false);
        if (visible) return frame;
      }
      if (Date.now() > end) throw new Error("the chat did not appear");
      await this.page.waitForTimeout(100);
    }
  }

  async openChat() {
    await this.command("Chat: Focus on Chat View").catch(() => this.command("Coppice: Focus on Chat View"));
    return await this.chat();
  }

  async screenshot(path) {
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot({ path });
    return path;
  }

  async reload() {
    await this.page.reload();
    await this.ready();
  }

  async close() {
    await this.page.context().close();
  }
}
