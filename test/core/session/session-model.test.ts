// Random histories against a tree of a few lines: whatever happens, both agree on every branch.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Session } from "../../../src/core/session/session.ts";
import { createMemorySession } from "../../../src/core/session/stored-session.ts";
import { assistant, countingClock, countingIds, user } from "../../support/session-builder.ts";
import { CWD, contextTexts, testRepo } from "../../support/session-files.ts";

type Step =
  | { kind: "append"; role: "user" | "assistant"; writer: 0 | 1 }
  | { kind: "batch"; count: number; writer: 0 | 1 }
  | { kind: "move"; pick: number; summary: boolean; writer: 0 | 1 }
  | { kind: "root"; writer: 0 | 1 }
  | { kind: "label"; pick: number; text: string; writer: 0 | 1 }
  | { kind: "name"; text: string; writer: 0 | 1 }
  | { kind: "compact"; pick: number; writer: 0 | 1 }
  | { kind: "reopen"; writer: 0 | 1 };

const writer = fc.constantFrom<0 | 1>(0, 1);
const pick = fc.nat(1000);
const word = fc.constantFrom("", "one", "two", " three ");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("append" as const),
      role: fc.constantFrom<"user" | "assistant">("user", "assistant"),
      writer,
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("batch" as const), count: fc.integer({ min: 2, max: 5 }), writer }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("move" as const), pick, summary: fc.boolean(), writer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("root" as const), writer }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("label" as const), pick, text: word, writer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("name" as const), text: word, writer }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("compact" as const), pick, writer }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("reopen" as const), writer }) },
);

interface Place {
  id: string;
  parent: Place | undefined;
  text: string;
  /** For a compaction: the place that stays first. */
  keeps?: Place;
}

class Model {
  places: Place[] = [];
  labels = new Map<string, string>();
  name: string | undefined;
  /** Where each writer stands; `undefined` before the first place. */
  at: (Place | undefined)[] = [undefined, undefined];
  /** Who wrote last: that position is what a fresh reader finds. */
  last: 0 | 1 = 0;

  add(writer: 0 | 1, id: string, text: string, keeps?: Place): void {
    const place: Place = { id, parent: this.at[writer], text, ...(keeps === undefined ? {} : { keeps }) };
    this.places.push(place);
    this.at[writer] = place;
    this.last = writer;
  }
  path(place: Place | undefined): Place[] {
    const path: Place[] = [];
    for (let at = place; at !== undefined; at = at.parent) path.unshift(at);
    return path;
  }
  texts(place: Place | undefined): string[] {
    const path = this.path(place);
    const cut = path.findLastIndex((at) => at.keeps !== undefined);
    if (cut < 0) return path.map((at) => at.text);
    const kept = path.slice(path.indexOf(path[cut]!.keeps!), cut).filter((at) => at.keeps === undefined);
    return [path[cut]!, ...kept, ...path.slice(cut + 1)].map((at) => at.text);
  }
}

async function play(steps: readonly Step[], writers: [Session, Session], reopen: (writer: 0 | 1) => Promise<Session>) {
  const model = new Model();
  let n = 0;
  model.add(0, await writers[0].appendMessage(user("0")), "0");
  if (writers[1] !== writers[0]) writers[1] = await reopen(1);
  model.at[1] = model.at[0];
  for (const step of steps) {
    const who = step.writer;
    const session = writers[who];
    const target = "pick" in step ? model.places[step.pick % model.places.length]! : undefined;
    await session.refresh();
    switch (step.kind) {
      case "append": {
        const text = String(++n);
        model.add(who, await session.appendMessage(step.role === "user" ? user(text) : assistant(text)), text);
        break;
      }
      case "batch": {
        const texts = Array.from({ length: step.count }, () => String(++n));
        const ids = await session.appendEntries(texts.map((text) => ({ type: "message", message: user(text) })));
        for (const [i, id] of ids.entries()) model.add(who, id, texts[i]!);
        break;
      }
      case "move": {
        if (model.at[who] === target) break;
        const summary = step.summary ? { fromId: "root", summary: `s${++n}` } : undefined;
        const leaf = await session.moveTo(target!.id, summary);
        model.at[who] = target;
        model.last = who;
        if (summary !== undefined) model.add(who, leaf!, `<${summary.summary}>`);
        break;
      }
      case "root":
        if (model.at[who] === undefined) break;
        await session.moveTo(null);
        model.at[who] = undefined;
        model.last = who;
        break;
      case "label":
        await session.appendLabel(target!.id, step.text);
        if (step.text.trim() === "") model.labels.delete(target!.id);
        else model.labels.set(target!.id, step.text.trim());
        model.last = who;
        break;
      case "name":
        await session.appendSessionName(step.text);
        model.name = step.text.trim() || undefined;
        model.last = who;
        break;
      case "compact": {
        const path = model.path(model.at[who]);
        const keeps = path[step.pick % Math.max(1, path.length)];
        if (keeps === undefined) break;
        const summary = `c${++n}`;
        const id = await session.appendCompaction({ summary, firstKeptEntryId: keeps.id, tokensBefore: 1 });
        model.add(who, id, `<${summary}>`, keeps);
        break;
      }
      case "reopen":
        await session.close();
        writers[who] = await reopen(who);
        model.at[who] = model.at[model.last];
        break;
    }
    expect(await contextTexts(writers[who])).toEqual(model.texts(model.at[who]));
  }
  return model;
}

async function agree(session: Session, model: Model): Promise<void> {
  await session.ready();
  expect(await contextTexts(session)).toEqual(model.texts(model.at[model.last]));
  expect(session.getName()).toBe(model.name);
  for (const place of model.places) {
    expect(await contextTexts(session, place.id)).toEqual(model.texts(place));
    expect(session.getLabel(place.id)).toBe(model.labels.get(place.id));
    const shown = session.pathTo(place.id).filter((id) => session.node(id)?.marker !== true);
    expect(shown).toEqual(model.path(place).map(({ id }) => id));
  }
  expect(session.badLines()).toEqual([]);
}

describe("a session under random work", () => {
  it("agrees with a simple tree, in memory", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const session = createMemorySession({ cwd: CWD, clock: countingClock(), ids: countingIds() });
        const alone = steps.map((one) => ({ ...one, writer: 0 as const })).filter((one) => one.kind !== "reopen");
        await agree(session, await play(alone, [session, session], async () => session));
      }),
      { numRuns: 150 },
    );
  });

  it("agrees with a simple tree in a file that is closed and opened again", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { repo } = testRepo();
        const session = repo.create({ cwd: CWD });
        const alone = steps.map((one) => ({ ...one, writer: 0 as const }));
        const model = await play(alone, [session, session], () => repo.open(session.file!));
        await agree(await repo.open(session.file!), model);
      }),
      { numRuns: 200 },
    );
  });

  it("agrees with a simple tree that two writers grow", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const { repo } = testRepo();
        const session = repo.create({ cwd: CWD });
        const reopen = () => repo.open(session.file!);
        const writers: [Session, Session] = [
          session,
          createMemorySession({ cwd: CWD, clock: countingClock(), ids: countingIds() }),
        ];
        const model = await play(steps, writers, reopen);
        await agree(await repo.open(session.file!), model);
      }),
      { numRuns: 200 },
    );
  });
});
