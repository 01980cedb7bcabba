import { describe, expect, it } from "vitest";
import type { Session } from "../../src/core/session/session.ts";
import type { ToWebview } from "../../src/protocol/to-webview.ts";
import { KeptWords, type WordsHost } from "../../src/vscode/kept-words.ts";
import type { OpenSession } from "../../src/vscode/open-session.ts";
import { testHarness } from "../support/scripted-model.ts";

type Added = Extract<ToWebview, { type: "composer.add" }>;

class Page implements WordsHost {
  isReady = true;
  readonly got: Added[] = [];
  readonly open: OpenSession | undefined;
  constructor(open: OpenSession | undefined) {
    this.open = open;
  }
  post(message: ToWebview): void {
    if (message.type === "composer.add") this.got.push(message);
  }
}

/** The workspace state, as a window leaves it behind. */
function memento(values = new Map<string, string>()) {
  return {
    values,
    get: <T>(key: string) => (values.has(key) ? (JSON.parse(values.get(key)!) as T) : undefined),
    update: async (key: string, value: unknown) => void values.set(key, JSON.stringify(value)),
  };
}

/** A window with one session at work; `stored` is what an earlier one left behind. */
function window(stored?: Map<string, string>, session?: Session) {
  const setup = testHarness(session === undefined ? {} : { session });
  const open = { session: setup.session, harness: setup.harness } as unknown as OpenSession;
  const pages: Page[] = [];
  const state = memento(stored);
  let ids = 0;
  let revealed = 0;
  const words = new KeptWords({
    state,
    newId: () => `w${stored?.size ?? 0}-${ids++}`,
    hosts: () => pages,
    reveal: async () => void revealed++,
    current: () => open,
  });
  let heard = Promise.resolve();
  setup.harness.subscribe((event) => {
    heard = heard.then(() => words.hear(open, event));
  });
  const kept = async () => {
    await heard;
    return Object.values(state.get<Record<string, { text: string }[]>>("coppice.keptWords") ?? {}).flatMap((items) =>
      items.map((item) => item.text),
    );
  };
  return { ...setup, open, words, pages, state, kept, revealed: () => revealed };
}

/** Begins a run that does not end, with two messages queued behind it. */
async function queued(at: ReturnType<typeof window>) {
  let release = () => {};
  at.model.replies = [{ text: "half", until: new Promise((resolve) => (release = resolve)) }];
  const run = at.harness.prompt("go");
  await expect.poll(() => at.model.requests.length).toBe(1);
  at.harness.steer("one", [{ type: "image", mimeType: "image/png", data: "AA==" }]);
  at.harness.followUp("two");
  return { run, release };
}

describe("queued messages", () => {
  it("are kept with the workspace state until they are saved in the session", async () => {
    const at = window();
    const { run, release } = await queued(at);
    expect(await at.kept()).toEqual(["one", "two"]);
    release();
    await run;
    expect(await at.kept()).toEqual([]);
    expect(JSON.stringify((await at.session.buildContext()).messages)).toContain("two");
  });

  it("come back into the composer when the session is opened again, and nothing is sent", async () => {
    const before = window();
    await queued(before);
    await before.kept();
    const after = window(before.state.values, before.session);
    const page = new Page(after.open);
    after.pages.push(page);
    expect(await after.words.restore(after.open)).toBe(2);
    expect(page.got.map(({ text, images, focus }) => [text, images.length, focus])).toEqual([
      ["one", 1, false],
      ["two", 0, false],
    ]);
    expect(after.model.requests.length).toBe(0);
    expect(await after.kept()).toEqual(["one", "two"]);
    for (const { id } of page.got) await after.words.done(after.open, id);
    expect(await after.kept()).toEqual([]);
    const third = window(after.state.values, before.session);
    expect(await third.words.restore(third.open)).toBe(0);
  });

  it("do not come back where they were sent and only the note of that was lost", async () => {
    const before = window();
    const { run, release } = await queued(before);
    await before.kept();
    const stale = new Map(before.state.values);
    release();
    await run;
    const after = window(stale, before.session);
    const page = new Page(after.open);
    after.pages.push(page);
    expect(await after.words.restore(after.open)).toBe(0);
    expect([page.got, await after.kept()]).toEqual([[], []]);
  });

  it("wait for a page that can hear, and go to one page only, with one id however often it starts", async () => {
    const before = window();
    await queued(before);
    await before.kept();
    const after = window(before.state.values, before.session);
    await after.words.restore(after.open);
    const [elsewhere, deaf, tab] = [new Page(undefined), new Page(after.open), new Page(after.open)];
    deaf.isReady = false;
    after.pages.push(elsewhere, deaf);
    after.words.deliver(after.open);
    expect([elsewhere.got, deaf.got]).toEqual([[], []]);
    deaf.isReady = true;
    after.pages.push(tab);
    after.words.deliver(after.open);
    after.words.deliver(after.open);
    expect(tab.got).toEqual([]);
    expect(deaf.got.length).toBe(4);
    expect(new Set(deaf.got.map(({ id }) => id)).size).toBe(2);
    after.pages.splice(0, 2);
    after.words.deliver(after.open);
    expect(tab.got.map(({ text }) => text)).toEqual(["one", "two"]);
  });

  it("that a stop takes out are the person's at once, in one composer, and kept until it has them", async () => {
    const at = window();
    const page = new Page(at.open);
    at.pages.push(page);
    const { run } = await queued(at);
    at.harness.abort();
    await run;
    expect(await at.kept()).toEqual(["one", "two"]);
    expect(page.got.map(({ text }) => text)).toEqual(["one", "two"]);
    for (const { id } of page.got) await at.words.done(at.open, id);
    expect(await at.kept()).toEqual([]);
  });

  it("that the person removes are gone for good", async () => {
    const at = window();
    const { run, release } = await queued(at);
    await at.kept();
    await at.words.removeQueued(at.open, at.harness.queues.followUp[0]!.id);
    expect(await at.kept()).toEqual(["one"]);
    release();
    await run;
    expect(at.model.requests.length).toBe(2);
    expect(await at.kept()).toEqual([]);
  });

  it("of a session whose state is of another shape are passed over", async () => {
    const at = window();
    await at.state.update("coppice.keptWords", { [at.session.id]: [null, 3, { text: "no id" }] });
    expect(await at.words.restore(at.open)).toBe(0);
  });
});

describe("words that are offered", () => {
  it("bring the chat into view where no page shows the session", async () => {
    const at = window();
    await at.words.offer(at.open, "edit me");
    expect([at.revealed(), await at.kept()]).toEqual([1, ["edit me"]]);
    const page = new Page(at.open);
    at.pages.push(page);
    at.words.deliver(at.open);
    expect(page.got).toMatchObject([{ text: "edit me", focus: true }]);
  });
});
