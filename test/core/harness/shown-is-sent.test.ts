import fc from "fast-check";
import { describe, expect, it } from "vitest";
import * as z from "zod/mini";
import type { AgentTool } from "../../../src/core/agent/agent-tool.ts";
import { CompactionError, HarnessError, SessionError } from "../../../src/core/errors.ts";
import { newestCompaction } from "../../../src/core/harness/undo-compaction.ts";
import type { Session } from "../../../src/core/session/session.ts";
import { isVisible, leafAt, leafThrough, visibleParent } from "../../../src/core/session/siblings.ts";
import { RawSession, spoken } from "../../support/raw-context.ts";
import { ScriptedModel, TEST_MODEL, testHarness } from "../../support/scripted-model.ts";
import { CWD, testRepo } from "../../support/session-files.ts";

const READ: AgentTool = {
  name: "look",
  label: "look",
  description: "look",
  schema: z.object({ n: z.number() }),
  execute: async ({ params }) => ({ content: [{ type: "text", text: `seen ${(params as { n: number }).n}` }] }),
};
const KINDS = [
  "send",
  "send",
  "tools",
  "showAt",
  "showThrough",
  "back",
  "move",
  "moveWithSummary",
  "edit",
  "compact",
  "compact",
  "compactBefore",
  "undo",
  "undo",
  "redo",
  "fork",
  "label",
  "drop",
  "takeBack",
  "pin",
  "reload",
  "otherWindow",
] as const;
type Step = { kind: (typeof KINDS)[number]; pick: number };
const STEP: fc.Arbitrary<Step> = fc.record({
  kind: fc.constantFrom(...KINDS),
  pick: fc.double({ min: 0, max: 0.999, noNaN: true }),
});
const REFUSALS = new Set(["nothing_to_compact", "invalid_argument"]);

/** A window on the session: its own copy of the tree, its own agent, and what of it is looked at. */
interface Window {
  session: Session;
  setup: ReturnType<typeof testHarness>;
  /** Another leaf than the position, while one is looked at. */
  shown: string | null | undefined;
}

class Walk {
  readonly #disk = testRepo();
  #windows: Window[] = [];
  #at = 0;
  #bytes = "";
  #words = 0;
  #said: string[] = [];

  get #window(): Window {
    return this.#windows[this.#at]!;
  }
  get #text(): string {
    const { file } = this.#window.session;
    return this.#disk.fs.files.has(file!) ? this.#disk.fs.text(file!) : "";
  }
  get #raw(): RawSession {
    return new RawSession(this.#text);
  }

  async begin(): Promise<void> {
    this.#windows = [await this.#open(this.#disk.repo.create({ cwd: CWD }))];
    await this.#send(false);
    await this.#send(true);
  }

  async #open(session: Session): Promise<Window> {
    const scripted = new ScriptedModel();
    scripted.summary = () => ({ text: `## Goal\n${this.#word("summary")}\n\n## Critical Context\n- (none)` });
    const setup = testHarness({ model: TEST_MODEL, session, scripted, tools: [READ] });
    await setup.harness.restore();
    return { session, setup, shown: undefined };
  }

  #word(kind: string): string {
    return `${kind} ${++this.#words}`;
  }

  /** Sends from what is shown; each request must carry that, and the prompt, and what the run added. */
  async #send(withTool: boolean, summarize = false): Promise<void> {
    const { session, setup, shown } = this.#window;
    const from = shown === undefined ? session.getLeafId() : shown;
    const before = this.#text === "" ? [] : this.#raw.context(from);
    if (shown !== undefined) await setup.harness.navigateTree(shown, { summarize });
    this.#window.shown = undefined;
    const text = this.#word("prompt");
    const call = { id: `call${this.#words}`, name: "look", arguments: { n: this.#words } };
    setup.model.replies = [
      ...(withTool ? [{ text: this.#word("calls"), calls: [call] }] : []),
      { text: this.#word("answer") },
    ];
    const asked = setup.model.requests.length;
    await setup.harness.prompt(text);
    this.#said.push(text);
    const raw = this.#raw;
    const path = raw.path(session.getLeafId());
    const end = (role: string) => path.findLast((entry) => entry.message?.role === role)!.id;
    const ends = withTool ? [end("user"), end("toolResult")] : [end("user")];
    const sent = setup.model.requests.slice(asked).map(({ context }) => spoken(context.messages));
    expect(sent).toEqual(ends.map((id) => raw.context(id)));
    if (!summarize) expect(sent[0]).toEqual([...before, `user: ${text}`]);
  }

  async play({ kind, pick }: Step): Promise<void> {
    const { session, setup, shown } = this.#window;
    const { harness } = setup;
    const among = <T>(list: readonly T[]): T | undefined => list[Math.floor(pick * list.length)];
    const visible = [...session.allIds()].filter((id) => isVisible(session.node(id)!));
    const path = session.pathTo(session.getLeafId()).filter((id) => isVisible(session.node(id)!));
    const onPath = among(path)!;
    switch (kind) {
      case "send":
      case "tools":
        return await this.#send(kind === "tools", pick < 0.3);
      case "showAt":
        this.#window.shown = leafAt(session, among(visible)!);
        return expect(this.#text).toBe(this.#bytes);
      case "showThrough":
        this.#window.shown = leafThrough(session, among(visible)!);
        return expect(this.#text).toBe(this.#bytes);
      case "back":
        this.#window.shown = undefined;
        return;
      case "move":
      case "moveWithSummary": {
        const target = shown === undefined ? leafAt(session, among(visible)!) : shown;
        await harness.navigateTree(target, { summarize: kind === "moveWithSummary" });
        this.#window.shown = undefined;
        return;
      }
      case "edit": {
        const own = among(visible.filter((id) => session.node(id)?.role === "user"))!;
        this.#window.shown = visibleParent(session, own);
        return await this.#send(false, pick < 0.3);
      }
      case "compact":
        await harness.compact({ cut: { kind: "lastTurn" } });
        return;
      case "compactBefore":
        await harness.compact({ cut: { kind: "entry", id: onPath } });
        return;
      case "undo": {
        const newest = newestCompaction(session, session.getLeafId());
        if (newest === undefined) return;
        const pins = this.#raw.pins(session.getLeafId()).filter((text) => text !== "");
        await harness.undoCompaction(newest);
        const kept = this.#raw.pins(session.getLeafId());
        return expect(kept).toEqual(expect.arrayContaining(pins));
      }
      case "redo": {
        const undone = this.#raw.undone(session.getLeafId());
        if (undone !== undefined) await harness.navigateTree(leafThrough(session, undone), { summarize: false });
        return;
      }
      case "label":
        await session.appendLabel(onPath, pick < 0.8 ? this.#word("label") : undefined);
        return;
      case "drop":
      case "takeBack": {
        const entry = await session.getEntry(onPath);
        if (entry?.type !== "message" || !("content" in entry.message)) return;
        const { content } = entry.message as { content: string | { type: string }[] };
        await session.appendContextEdit(onPath, kind === "drop" ? null : { content });
        return;
      }
      case "pin":
        await session.appendCustomEntry("coppice.pin", { targetId: onPath, pinned: pick < 0.7 });
        return;
      case "fork": {
        const at = leafAt(session, onPath);
        const before = this.#raw.context(at);
        const fork = await this.#disk.repo.fork(session, { kind: "at", entryId: at });
        this.#windows = [await this.#open(fork)];
        this.#at = 0;
        this.#bytes = "";
        this.#said = [];
        return expect(this.#raw.context(fork.getLeafId())).toEqual(before);
      }
      case "reload":
        this.#windows[this.#at] = await this.#open(await this.#disk.repo.open(session.file!));
        return;
      case "otherWindow":
        if (this.#windows.length === 1) this.#windows.push(await this.#open(await this.#disk.repo.open(session.file!)));
        this.#at = 1 - this.#at;
        return;
    }
  }

  /** What must hold after every step: the file only grew, nothing was lost, and every window stands where it stood. */
  async check(): Promise<void> {
    const text = this.#text;
    expect(text.startsWith(this.#bytes)).toBe(true);
    expect(text.endsWith("\n")).toBe(true);
    for (const said of this.#said) expect(text).toContain(said);
    for (const [index, { session }] of this.#windows.entries()) {
      const stood = session.getLeafId();
      await session.refresh();
      if (index !== this.#at) expect(session.getLeafId()).toBe(stood);
      expect(session.badLines()).toEqual([]);
      const { messages } = await session.buildContext();
      const words = messages.map((message) => ("summary" in message ? message.summary : ""));
      for (const summary of words) if (summary !== "") expect(text).toContain(JSON.stringify(summary).slice(1, -1));
    }
    this.#bytes = text;
  }
}

async function walk(steps: readonly Step[]): Promise<void> {
  const world = new Walk();
  await world.begin();
  await world.check();
  for (const step of steps) {
    try {
      await world.play(step);
    } catch (error) {
      const known = error instanceof HarnessError || error instanceof CompactionError || error instanceof SessionError;
      if (!known || !REFUSALS.has(error.code)) throw error;
    }
    await world.check();
  }
}

describe("whatever was done before", () => {
  it("a request carries the branch that is shown: after looking, moving, compacting, undoing, leaving out, in any window", async () => {
    await fc.assert(fc.asyncProperty(fc.array(STEP, { minLength: 5, maxLength: 40 }), walk), {
      numRuns: Number(process.env.LONG_LIFE_RUNS ?? 80),
      seed: Number(process.env.LONG_LIFE_SEED ?? 20260102),
    });
  }, 600_000);
});

describe("an undo", () => {
  it("keeps pinned what was pinned since, and left out what was left out", async () => {
    const disk = testRepo();
    const { harness, session, settings } = testHarness({ session: disk.repo.create({ cwd: CWD }) });
    settings.compaction.enabled = false;
    for (const text of ["old one", "old two", "kept"]) await harness.prompt(text);
    const id = await harness.compact({ cut: { kind: "lastTurn" } });
    for (const text of ["pinned later", "left out later"]) await harness.prompt(text);
    const idOf = (text: string) =>
      new RawSession(disk.fs.text(session.file!)).entries.find((entry) => entry.message?.content === text)!.id;
    for (const text of ["pinned later", "kept"]) {
      await session.appendCustomEntry("coppice.pin", { targetId: idOf(text), pinned: true });
    }
    await session.appendContextEdit(idOf("left out later"), null);
    await harness.undoCompaction(id);
    const raw = new RawSession(disk.fs.text(session.file!));
    expect(raw.pins(session.getLeafId()).sort()).toEqual(["kept", "pinned later"]);
    const said = raw.context(session.getLeafId()).filter((line) => line.startsWith("user"));
    expect(said).toEqual(["user: old one", "user: old two", "user: kept", "user: pinned later"]);
    const path = raw.path(session.getLeafId()).map((entry) => entry.id);
    expect(path).not.toContain(idOf("left out later"));
  });
});
