// One window on the walk: what a person does in it, and what its chat and its tree say.
import { Chat } from "./chat-page.mjs";
import { pageWith, Trees } from "./tree-page.mjs";

export class WalkWindow {
  /** Raw id of the last entry of the conversation that this window stands at, as the file tells. */
  position = null;
  /** The row at whose end the chat shows the conversation, while that is not the position; null is the beginning. */
  shown;

  constructor(window, editor, until) {
    this.window = window;
    this.editor = editor;
    this.until = until;
    this.trees = new Trees(window);
  }

  get keys() {
    return this.window.page.keyboard;
  }

  async openChat() {
    this.chat = new Chat(await this.window.chat(), this.editor.home);
  }

  /** Ids of the entries that have a row in the chat, in order. */
  async rowIds() {
    return await this.chat.frame
      .locator("article")
      .evaluateAll((rows) =>
        rows
          .map((row) => JSON.parse(row.getAttribute("data-vscode-context") ?? "{}").entryId)
          .filter((id) => id !== undefined),
      );
  }

  /** The row of an entry in the chat. */
  article(id) {
    return this.chat.frame.locator(`article[data-vscode-context*='"entryId":"${id}"']`);
  }

  async act(id, name) {
    const article = this.article(id);
    await article.hover();
    await article.getByRole("button", { name, exact: true }).click();
  }

  /** Names of the tree's rows; those of the list of sessions are of another kind. */
  async treeRows() {
    return (await this.trees.spoken()).filter((name) =>
      /^(You|Reply|Tools|Compaction|Summary of a branch): /.test(name),
    );
  }

  /** The tree's row with this spoken name. */
  treeRow(name) {
    return this.window.page.locator(`.monaco-list-row[role=treeitem][aria-label=${JSON.stringify(name)}]`).first();
  }

  async send(text, byKey) {
    await this.chat.composer.fill(text);
    if (byKey) await this.chat.composer.press("Enter");
    else await this.chat.button("Send").click();
    await this.until(async () => (await this.chat.composer.inputValue()) === "", `“${text}” to be taken`, 15_000);
  }

  /** Answers the modal question of a compaction that everything is recent enough, where it comes. */
  async keepLastTurn(done) {
    const keep = this.window.page.getByRole("button", { name: "Keep Only the Last Turn" });
    await this.until(async () => {
      if (await keep.isVisible()) await keep.click().catch(() => {});
      return await done();
    }, "the compaction");
  }

  /** Fills the box that is open and confirms it. */
  async input(title, text) {
    const field = await this.window.quickInput(title);
    await field.fill(text);
    await field.press("Enter");
  }

  async inspector() {
    await this.window.command("Coppice: Inspect Context");
    return await pageWith(this.window, "Context", this.until);
  }
}
