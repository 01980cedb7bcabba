// The chat as a person uses it: composer, buttons and articles by the names that the product promises.
import { entriesOf, isAnswered, sessionFiles } from "./session-files.mjs";

const PATIENCE_MS = 45_000;

/** Polls until the condition holds and returns what it gave. @param {string} what named in the error */
export async function until(condition, what, timeoutMs = PATIENCE_MS) {
  const end = Date.now() + timeoutMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (Date.now() > end) throw new Error(`waited ${timeoutMs / 1000} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

export class Chat {
  /** @param {string} home of the editor, where the session files are */
  constructor(frame, home) {
    this.frame = frame;
    this.home = home;
  }

  get composer() {
    return this.frame.getByRole("textbox", { name: "Message Coppice" });
  }
  button(name) {
    return this.frame.getByRole("button", { name, exact: true });
  }
  articles(name) {
    return this.frame.getByRole("article", { name, exact: true });
  }
  /** The message of the person with this text. */
  said(text) {
    return this.articles("You").filter({ hasText: text }).last();
  }
  get approval() {
    return this.frame.getByRole("group", { name: "Approval" });
  }

  /** The session file with the newest name, or the one that the suite follows. */
  get file() {
    return this.followed ?? sessionFiles(this.home).at(-1);
  }
  entries() {
    return this.file === undefined ? [] : entriesOf(this.file);
  }

  /** Types the text, sends it and waits until it was taken. */
  async send(text) {
    await this.composer.fill(text);
    await this.button("Send").click();
    await until(async () => (await this.composer.inputValue()) === "", `“${text}” to be taken`);
  }

  /** Waits until the answer to a prompt is on disk and the chat is at rest. */
  async answered(prompt) {
    await until(() => isAnswered(this.entries(), prompt), `the answer to “${prompt}” to be saved`);
    await this.idle();
  }

  async idle() {
    await this.button("Stop").waitFor({ state: "hidden", timeout: PATIENCE_MS });
  }

  /** Answers the question that is shown; its buttons are dead for a moment so that no double click answers it. */
  async answer(name = "Allow") {
    await this.approval.waitFor({ timeout: PATIENCE_MS });
    const nonce = await this.approval.getAttribute("data-nonce");
    await this.approval.getByRole("button", { name, exact: true }).click({ timeout: 15_000 });
    await until(
      async () => (await this.approval.getAttribute("data-nonce", { timeout: 1000 }).catch(() => null)) !== nonce,
      "the question to be gone",
    );
  }

  /** Scrolls up until a row is made: rows out of sight are not in the page. */
  async scrollTo(locator) {
    await until(
      async () => {
        if (await locator.isVisible()) return true;
        await this.frame.evaluate(() => {
          for (const element of document.querySelectorAll("*")) {
            if (element.scrollTop > 0 && element.tagName !== "TEXTAREA") element.scrollTop = 0;
          }
        });
        return false;
      },
      "an older row to appear",
      15_000,
    );
  }

  /** Goes to the newest row, as a person would who has scrolled up. */
  async toEnd() {
    const jump = this.button("Jump to latest");
    if (await jump.isVisible()) await jump.click();
  }

  /** Presses a button that a message shows when the pointer is over it. */
  async act(article, name) {
    await this.scrollTo(article);
    await article.hover();
    await article.getByRole("button", { name, exact: true }).click();
  }
}
