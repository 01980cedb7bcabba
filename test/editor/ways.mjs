// Each action in both ways, by mouse and by keyboard: counts them, and knows the keys that reach rows, menus and buttons.

export class Ways {
  #tools;
  #keys;
  #done = new Set();
  /** @param {{ run: any, step: any, expect: any }} tools of the suite @param {Keys} keys of its window */
  constructor(tools, keys) {
    this.#tools = tools;
    this.#keys = keys;
  }

  /** A failure of one action does not keep the others from being tried. */
  async #way(action, way, act) {
    const { run, step } = this.#tools;
    const done = `${action}, by ${way}`;
    await run.chain(async () => {
      await step(done, act);
      this.#done.add(done);
    });
    // A menu or a box that a failure left open would be in the way of the next.
    if (!this.#done.has(done)) await this.#keys.press("Escape", "Escape");
  }
  async mouse(action, act) {
    await this.#way(action, "mouse", act);
  }
  async keyboard(action, act) {
    await this.#way(action, "keyboard", act);
  }

  /** The last step of a suite: nothing was forgotten. */
  async complete(actions) {
    await this.#tools.step("each action was done by mouse and by keyboard", async () => {
      const missing = actions
        .flatMap((action) => [`${action}, by mouse`, `${action}, by keyboard`])
        .filter((way) => !this.#done.has(way));
      this.#tools.expect(missing.length === 0, `all ways, but these are missing: ${missing.join("; ")}`);
    });
  }
}

/** Hands on the keyboard of one window. */
export class Keys {
  constructor(window, until) {
    this.window = window;
    this.page = window.page;
    this.until = until;
  }
  async press(...keys) {
    for (const key of keys) await this.page.keyboard.press(key);
  }
  async type(text) {
    await this.page.keyboard.type(text);
  }
  async command(title) {
    await this.window.command(title, { byKey: true });
  }

  /** Goes to the row of a view whose spoken name is like this, with the arrow keys. */
  async toRow(view, pattern) {
    await this.command(`Coppice: Focus on ${view} View`);
    const list = this.page.locator(`.monaco-list[aria-label='${view}']`);
    await list.and(this.page.locator(":focus-within, :focus")).waitFor({ timeout: 10_000 });
    await this.press("Home");
    await this.until(
      async () => {
        const name = await list.locator(".monaco-list-row.focused").first().getAttribute("aria-label");
        if (pattern.test(name ?? "")) return true;
        await this.press("ArrowDown");
        return false;
      },
      `the row ${pattern}`,
      15_000,
    );
  }

  /** Opens the menu of what has the focus, and takes an item with the arrow keys. */
  async menu(item) {
    await this.press("Shift+F10");
    const menu = this.page.locator(".monaco-menu");
    await menu.waitFor({ timeout: 5000 });
    await this.until(
      async () => {
        const text = await menu
          .locator(".action-item.focused")
          .innerText({ timeout: 500 })
          .catch(() => "");
        if (text.trim().startsWith(item)) return true;
        await this.press("ArrowDown");
        return false;
      },
      `the item “${item}”`,
      10_000,
    );
    await this.press("Enter");
  }

  /** Goes on with Tab until an element of a page has the focus. */
  async tabTo(locator) {
    for (let at = 0; at < 120; at++) {
      const there = await locator.evaluate((element) => element === document.activeElement).catch(() => false);
      if (there) return;
      await this.press("Tab");
    }
    throw new Error("Tab did not reach the element");
  }

  /** Waits for the box with this title to take keys. */
  async #box(title) {
    const field = await this.window.quickInput(title);
    await this.until(() => field.evaluate((element) => element === document.activeElement), `“${title}” to take keys`);
  }

  /** Types into a box, and confirms. */
  async answer(title, text) {
    await this.#box(title);
    await this.type(text);
    await this.press("Enter");
  }

  /** Takes an item of a quick pick by typing a part of it. */
  async pick(title, text) {
    await this.#box(title);
    await this.type(text);
    const row = this.page.locator(".quick-input-widget:visible .monaco-list-row.focused").filter({ hasText: text });
    await row.first().waitFor({ timeout: 10_000 });
    await this.press("Enter");
  }

  /** Answers the question that is open with a button that Tab reaches. */
  async dialog(button) {
    const element = this.page.getByRole("button", { name: button, exact: true }).last();
    await element.waitFor({ timeout: 10_000 });
    await this.until(
      async () => {
        if (await element.evaluate((one) => one === document.activeElement)) return true;
        await this.press("Tab");
        return false;
      },
      `the button “${button}” to have the focus`,
      10_000,
    );
    await this.press("Enter");
  }
}
