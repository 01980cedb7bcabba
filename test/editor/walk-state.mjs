// Where a random walk stands: its windows, the file as it should be, what was asked of the model; and what must hold.
import { existsSync, readFileSync } from "node:fs";
import { chainProblems, entriesOf, textOf } from "./session-files.mjs";
import { FileTree, requestProblems, tokensIn } from "./walk-oracle.mjs";
import { randomFrom } from "./walk-random.mjs";
import { WalkWindow } from "./walk-window.mjs";
import { askedIn, stepOf } from "./wires.mjs";

/** How often each step is taken, where it is possible. */
const WEIGHTS = {
  send: 6,
  lookInTree: 5,
  lookByPicker: 2,
  lookAtSibling: 4,
  backToCurrent: 2,
  continueHere: 4,
  continueFromRow: 2,
  edit: 3,
  compact: 2,
  compactBefore: 2,
  undo: 2,
  redo: 2,
  fork: 1,
  label: 2,
  drop: 2,
  takeBack: 2,
  pin: 1,
  reload: 1,
  secondWindow: 2,
};

export class Walk {
  log = [];
  windows = [];
  /** The window that acts. */
  at;
  /** Everything that was ever said in this session file. */
  said = new Set();
  counts = { Q: 0, A: 0, S: 0, L: 0, F: 0 };
  /** What the lists call the session: its first prompt, or the name that it was given. */
  sessionName = "Q1z";
  /** Requests of the model since the last check. */
  requests = [];

  constructor(seed, { run, until, expect }) {
    this.random = randomFrom(seed);
    this.run = run;
    this.until = until;
    this.expect = expect;
  }

  async begin(editor) {
    this.editor = editor;
    await this.#openWindow();
    await this.at.window.command("Coppice: New Session");
    await this.at.openChat();
    await this.at.window.command("Coppice: Focus on Session Tree View");
  }

  async #openWindow() {
    // High enough for every row of the chat to be in the page.
    const window = await this.run.window(this.editor, { width: 1500, height: 2600 });
    this.at = new WalkWindow(window, this.editor, this.until);
    this.windows.push(this.at);
  }

  /** Another window on the same session; it stands where the file says. */
  async openSecond() {
    await this.#openWindow();
    await this.at.window.command("Coppice: Open Session…");
    await this.at.window.quickInput("Open Session");
    await this.at.window.pick(this.sessionName).click();
    await this.at.openChat();
    await this.at.window.command("Coppice: Focus on Session Tree View");
    this.at.position = this.tree.position;
  }

  word(kind) {
    this.counts[kind] += 1;
    return `${kind}${this.counts[kind]}z`;
  }

  /** What the model says: a word of its own each time, a file where the prompt names one. */
  reply(request) {
    this.requests.push(request);
    if (request.tools.length === 0) {
      const { parts } = this.run.defaultReply(request);
      return { parts: [{ text: `${parts[0].text}\n- ${this.word("S")}` }] };
    }
    const asked = tokensIn(askedIn(request)).at(-1);
    if (/read the file/.test(askedIn(request)) && stepOf(request) === 0) {
      const call = { name: "read", arguments: { path: "src/greeting.ts" } };
      return { parts: [{ text: `${this.word("A")} reads for ${asked}` }, { call }] };
    }
    return { parts: [{ text: `${this.word("A")} answers ${asked}` }] };
  }

  /** The file as it is now. */
  get tree() {
    return new FileTree(entriesOf(this.file));
  }

  /** Raw id of what the acting window shows the conversation up to. */
  get shownId() {
    return this.at.shown === undefined ? this.at.position : this.at.shown;
  }
  get looking() {
    return this.at.shown !== undefined;
  }

  /** A step that is possible now. */
  next() {
    const { tree } = this;
    const path = tree.path(this.at.position);
    const compaction = tree.compaction(path);
    const since = compaction === undefined ? path : path.slice(path.indexOf(compaction) + 1);
    // What was left out by hand is nothing that a compaction could take.
    const dropped = this.dropped(path);
    const turns = since.filter((entry) => entry.message?.role === "user" && !dropped.includes(entry.id)).length;
    const can = {
      backToCurrent: this.looking,
      continueHere: this.looking,
      lookAtSibling: tree.entries.some((entry) => entry.type === "leaf"),
      edit: tree.rows(this.shownId).some((entry) => entry.message?.role === "user"),
      compact: turns > 1,
      compactBefore: turns > 1,
      undo: compaction !== undefined,
      redo: tree.undone(this.at.position) !== undefined,
      takeBack: dropped.length > 0,
      fork: this.windows.length === 1,
      secondWindow: true,
    };
    const weights = Object.entries(WEIGHTS).filter(([kind]) => can[kind] ?? true);
    return this.random.weighted(Object.fromEntries(weights));
  }

  /** Entries that are left out of the context on a path. */
  dropped(path) {
    const edits = new Map();
    for (const entry of path) if (entry.type === "context_edit") edits.set(entry.targetId, entry.replacement);
    return [...edits].filter(([, replacement]) => replacement === null).map(([id]) => id);
  }

  /** Calls on the path to an entry whose results are not on it. */
  openCalls(id) {
    const path = this.tree.path(id);
    const results = new Set(path.map((entry) => entry.message?.toolCallId));
    const calls = path.flatMap((entry) => (entry.message?.role === "assistant" ? entry.message.content : []));
    return calls.filter((part) => part.type === "toolCall" && !results.has(part.id)).length;
  }

  /** Remembers the file before something is done. */
  before() {
    this.bytes = existsSync(this.file ?? "") ? readFileSync(this.file, "utf8") : "";
    this.requests = [];
    return this.bytes === "" ? undefined : this.tree;
  }

  /** The file did not change: looking writes nothing. */
  unchanged() {
    this.expect(readFileSync(this.file, "utf8") === this.bytes, "nothing to be written by looking");
  }

  /** Waits until the run that answers a prompt is over. */
  async answered(prompt) {
    if (this.file === undefined) {
      await this.until(() => this.at.chat.file !== undefined, "a file");
      this.follow(this.at.chat.file);
    }
    await this.at.chat.answered(prompt);
    this.moved();
  }

  follow(file) {
    this.file = file;
    for (const window of this.windows) window.chat.followed = file;
  }

  /** The acting window stands at the end of the file and shows that. */
  moved() {
    this.at.position = this.tree.position;
    this.at.shown = undefined;
  }

  /** After a prompt: where it hangs, and what each request of its run carried. */
  sent(prompt, before, from) {
    const { tree } = this;
    const entry = tree.entries.findLast((one) => one.message?.role === "user" && textOf(one.message) === prompt);
    this.expect(entry !== undefined, `“${prompt}” in the file`);
    if (before !== undefined) {
      const hangs = tree.path(entry.parentId).findLast((one) => before.byId.has(one.id))?.id ?? null;
      const at = tree.rows(entry.parentId).filter((one) => one.type !== "branch_summary" || before.byId.has(one.id));
      const wanted = before.rowAt(from);
      this.expect(
        (at.at(-1)?.id ?? null) === wanted,
        `“${prompt}” to follow what was shown (${wanted}), not ${at.at(-1)?.id} (${hangs})`,
      );
    }
    this.expect(this.openCalls(entry.id) === 0, "every call of the path with its result");
    this.checkRequests(entry.id);
  }

  /**
   * The requests of a run carried the context of the path to the message of the person, then of its steps. `before`: what
   * stood below that message already, where it is asked again.
   */
  checkRequests(id, before = undefined) {
    const { tree } = this;
    const runs = this.requests.filter((request) => request.tools.length > 0);
    this.expect(runs.length > 0, "a request");
    const made = tree.below(id).filter((entry) => before?.byId.get(entry.id) === undefined);
    const steps = made.filter((entry) => entry.message?.role === "toolResult");
    const ends = [id, ...steps.map((entry) => entry.id)];
    this.expect(runs.length === ends.length, `${ends.length} requests, not ${runs.length}`);
    for (const [index, request] of runs.entries()) {
      const problems = requestProblems(request.messages, tree.pieces(ends[index]));
      this.expect(problems.length === 0, `a request of what is shown, but: ${problems.join("; ")}`);
    }
  }

  /** Summaries that were asked for speak of these entries and no others. */
  checkSummaries(entries) {
    const known = new Set(this.tree.tokens(entries));
    for (const request of this.requests.filter(({ tools }) => tools.length === 0)) {
      const strange = tokensIn(JSON.stringify(request.messages)).filter((word) => !known.has(word));
      this.expect(strange.length === 0, `a summary of its own entries only, not of ${strange.join()}`);
    }
  }

  /** What must hold after every step, whatever it was. */
  async check() {
    const { tree } = this;
    const text = readFileSync(this.file, "utf8");
    this.expect(text.startsWith(this.bytes) && text.endsWith("\n"), "the file to grow by whole lines only");
    const problems = chainProblems(entriesOf(this.file));
    this.expect(problems.length === 0, problems.join("; "));
    for (const word of this.said) this.expect(text.includes(word), `“${word}” still in the file`);
    const wanted = tree.rowIds(this.shownId);
    let shown;
    await this.until(
      async () => {
        shown = await this.at.rowIds();
        return shown.join() === wanted.join();
      },
      "the chat to show the branch",
      8000,
    ).catch(() => this.expect(false, `the rows ${wanted.join()}, not ${shown.join()}`));
    const bar = this.at.chat.button("Back to current");
    await this.until(
      async () => (await bar.isVisible()) === this.looking,
      this.looking ? "the bar of an earlier point" : "no bar of an earlier point",
      5000,
    );
    let marked;
    await this.until(
      async () => {
        marked = (await this.at.treeRows()).filter((row) => /, position(,|$)/.test(row));
        return marked.length === (tree.rowAt(this.at.position) === null ? 0 : 1) && this.#isPosition(tree, marked[0]);
      },
      "one position in the tree",
      8000,
    ).catch(() => this.expect(false, `one row as the position, not ${JSON.stringify(marked)}`));
  }

  #isPosition(tree, row) {
    const entry = tree.rows(this.at.position).at(-1);
    if (entry?.type === "compaction") return row.startsWith("Compaction");
    if (entry?.type === "branch_summary") return row.startsWith("Summary of a branch");
    return entry === undefined || row.includes(tokensIn(textOf(entry.message))[0]);
  }
}
