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

  /** Runs a command from the palette by its whole title; `byKey` takes it with Enter instead of a click. */
  async command(title, { byKey = false } = {}) {
    const widget = this.page.locator(".quick-input-widget:visible");
    const input = widget.locator("input").first();
    const name = new RegExp(`^${title.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")}$`);
    const row = widget
      .locator(".monaco-list-row")
      .filter({ has: this.page.locator(".label-name", { hasText: name }) })
      .first();
    const end = Date.now() + 30_000;
    for (;;) {
      // A page in a frame that is still loading swallows keys.
      await this.page.evaluate(() => document.activeElement?.blur?.());
      await this.page.keyboard.press("F1");
      const shown = await input.waitFor({ timeout: 1000 }).then(
        () => true,
        () => false,
      );
      if (shown) {
        // Commands of extensions arrive some time after the workbench; a box that is just closing cannot be filled.
        const found = await input
          .fill(`>${title}`, { timeout: 1500 })
          .then(() => row.waitFor({ timeout: 1500 }))
          .then(
            () => true,
            () => false,
          );
        // A page that takes the focus closes the box again.
        const clicked =
          found &&
          (await this.#take(row, byKey).then(
            () => true,
            () => false,
          ));
        if (clicked) return;
        await this.page.keyboard.press("Escape");
      }
      if (Date.now() > end) throw new Error(`the palette did not offer “${title}”`);
    }
  }

  async #take(row, byKey) {
    if (!byKey) return await row.click({ timeout: 3000 });
    await row.and(this.page.locator(".focused")).waitFor({ timeout: 3000 });
    await this.page.keyboard.press("Enter");
  }

  /**
   * Opens a menu and chooses the item. A menu takes no click in its first moment, and the editor closes it when something
   * beneath it changes: then it is opened again, as a person would.
   * @param {() => Promise<void>} open @param {string} item its name, or a part of that
   */
  async choose(open, item, { exact = false } = {}) {
    const entry = this.page.getByRole("menuitem", { name: item, exact }).first();
    for (let tries = 1; ; tries++) {
      await open();
      try {
        await entry.hover({ timeout: 5000 });
        await this.page.waitForTimeout(400);
        return await entry.click({ timeout: 5000 });
      } catch (error) {
        if (tries === 4) throw error;
        if (await entry.isVisible()) await this.page.keyboard.press("Escape");
      }
    }
  }

  /** Waits for the quick pick or input box with this title and returns its field. */
  async quickInput(title) {
    const widget = this.page
      .locator(".quick-input-widget:visible")
      .filter({ has: this.page.locator(".quick-input-title", { hasText: title }) });
    await widget.waitFor({ timeout: 15_000 });
    return widget.locator("input").locator("visible=true").first();
  }

  /** A row of the quick pick that is open. */
  pick(text) {
    return this.page.locator(".quick-input-widget:visible .monaco-list-row").filter({ hasText: text }).first();
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
    await this.command("Coppice: Focus on Chat View");
    return await this.chat();
  }

  async screenshot(path) {
    await mkdir(dirname(path), { recursive: true });
    await this.page.screenshot(path.endsWith(".jpg") ? { path, type: "jpeg", quality: 78 } : { path });
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
