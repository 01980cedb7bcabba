// The two native trees as a person uses them: rows by the names that a screen reader hears.

export class Trees {
  constructor(window) {
    this.window = window;
    this.page = window.page;
  }
  get rows() {
    return this.page.locator(".pane-body .monaco-list-row[role=treeitem]");
  }
  /** A row by text in its spoken name. */
  row(text) {
    return this.rows
      .filter({ has: this.page.locator(`.monaco-tl-contents:has-text(${JSON.stringify(text)})`) })
      .first();
  }
  async spoken() {
    return await this.rows.evaluateAll((rows) => rows.map((row) => row.getAttribute("aria-label")));
  }
  /** Waits until the rows stand still: they refresh up to half a second after the conversation did. */
  async settled() {
    let before = "";
    for (let quiet = 0; quiet < 4; ) {
      const now = (await this.spoken()).join("\n");
      quiet = now === before ? quiet + 1 : 0;
      before = now;
      await this.page.waitForTimeout(250);
    }
  }
  /** Clicks a row once nothing moves under the pointer, and waits until what it shows is there. */
  async click(text) {
    await this.settled();
    await this.row(text).click();
    await this.settled();
  }
  /** Opens the menu of a row and chooses from it. */
  async choose(text, item) {
    await this.settled();
    await this.chooseFrom(this.row(text), item);
  }
  async chooseFrom(row, item) {
    await this.window.choose(() => row.click({ button: "right" }), item);
  }
}

/** The frame of an editor tab's page, by a heading. */
export async function pageWith(window, heading, until) {
  return await until(async () => {
    for (const frame of window.page.frames()) {
      if (frame === window.page.mainFrame() || frame.isDetached()) continue;
      const found = await frame
        .getByRole("heading", { name: heading, exact: true })
        .isVisible()
        .catch(() => false);
      if (found) return frame;
    }
    return undefined;
  }, `a page with the heading “${heading}”`);
}
