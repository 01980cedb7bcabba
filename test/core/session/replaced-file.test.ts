import { describe, expect, it } from "vitest";
import { newestCompaction, undoCompaction } from "../../../src/core/harness/undo-compaction.ts";
import type { NewEntry } from "../../../src/core/session/entries.ts";
import { systemError } from "../../support/memory-file-system.ts";
import { testHarness } from "../../support/scripted-model.ts";
import { assistant, user } from "../../support/session-builder.ts";
import { CWD, contextTexts, FILE, file, line, openText, testRepo, userLine } from "../../support/session-files.ts";

const A = userLine("aaaaaaaa", null, "A");
const B = userLine("bbbbbbbb", "aaaaaaaa", "B");
const OTHER = file(userLine("11111111", null, "other"), userLine("22222222", "11111111", "than before"));
const turn: NewEntry[] = [
  { type: "message", message: user("question") },
  { type: "message", message: assistant("answer") },
];
const KEPT = { summary: "s", firstKeptEntryId: "bbbbbbbb", tokensBefore: 1 };

describe("a file that another program replaces", () => {
  it("at any moment of an append holds what was acknowledged, connected to what it holds", async () => {
    let calls = 1;
    for (let at = 0; at < calls; at++) {
      const { fs, repo, session } = await openText(file(A, B));
      await session.ready();
      const from = fs.calls.length;
      let isReplaced = false;
      fs.fault = (_operation, _path, call) => {
        if (!isReplaced && call === from + at) {
          isReplaced = true;
          fs.replace(FILE, OTHER);
        }
        return undefined;
      };
      const ids = await session.appendEntries(turn).catch(() => undefined);
      calls = Math.max(calls, fs.calls.length - from);
      fs.fault = () => undefined;
      // Refused is fair: then nothing may be told as saved, and the same entries can be given again.
      const saved = ids ?? (await session.appendEntries(turn));
      const isLast = (await fs.stat(FILE))!.size === OTHER.length;
      const again = await repo.open(FILE);
      await again.ready();
      // Replaced after the last look, nobody can know yet; the next look tells.
      if (isLast) {
        await session.refresh();
        expect(
          saved.some((id) => session.node(id) !== undefined),
          `call ${at}`,
        ).toBe(false);
        continue;
      }
      expect(
        saved.map((id) => again.node(id)?.type),
        `call ${at}`,
      ).toEqual(["message", "message"]);
      const texts = await contextTexts(again, saved[1]!);
      expect(texts.slice(-2)).toEqual(["question", "answer"]);
      if (isReplaced && again.node("11111111") !== undefined) expect(texts[0]).toBe("other");
    }
    expect(calls).toBeGreaterThan(3);
  });

  it("is not told to hold lines that were found in the one before", async () => {
    const { fs, repo, session } = await openText(file(A));
    await session.ready();
    let appends = 0;
    fs.fault = (operation) => {
      if (operation !== "append") return undefined;
      // The first line whole, the second torn; then the disk fails.
      return ++appends === 1 ? { take: 330 } : systemError("EIO");
    };
    await expect(session.appendEntries(turn)).rejects.toMatchObject({ code: "storage" });
    fs.fault = () => undefined;
    await session.refresh();
    fs.replace(FILE, file(A, userLine("99999999", "aaaaaaaa", "theirs")));
    const ids = await session.appendEntries(turn);
    const again = await repo.open(FILE);
    await again.ready();
    expect(ids.map((id) => again.node(id)?.type)).toEqual(["message", "message"]);
  });

  it("between two turns of the agent gets the next turn whole", async () => {
    const { fs, repo } = testRepo();
    const session = repo.create({ cwd: CWD });
    const { harness } = testHarness({ session });
    await harness.prompt("one");
    fs.replace(session.file!, OTHER);
    await harness.prompt("two");
    await harness.prompt("three");
    const again = await repo.open(session.file!);
    const texts = await contextTexts(again);
    expect(texts.slice(0, 3)).toEqual(["other", "than before", "two"]);
    expect(texts).toContain("three");
    expect(await contextTexts(session)).toEqual(texts);
  });

  it("by what is no session leaves what was known as it was", async () => {
    const { fs, session } = await openText(file(A, B));
    await session.ready();
    fs.replace(FILE, "not a session\n");
    await expect(session.appendMessage(user("C"))).rejects.toMatchObject({ code: "not_a_session" });
    expect(fs.text(FILE)).toBe("not a session\n");
    expect(await contextTexts(session)).toEqual(["A", "B"]);
    fs.replace(FILE, OTHER);
    await session.appendMessage(user("C"));
    expect(await contextTexts(session)).toEqual(["other", "than before", "C"]);
  });

  it("has its own newest compaction, not that of the one before", async () => {
    const { fs, session } = await openText(file(A, B, line("compaction", "cccccccc", "bbbbbbbb", KEPT)));
    await session.ready();
    expect(newestCompaction(session, "cccccccc")).toBe("cccccccc");
    fs.replace(FILE, file(A, B, userLine("cccccccc", "bbbbbbbb", "C"), userLine("dddddddd", "cccccccc", "D")));
    await session.refresh();
    expect(newestCompaction(session, "cccccccc")).toBeUndefined();
    expect(newestCompaction(session, "dddddddd")).toBeUndefined();
  });

  it("while a compaction is undone gets no copies of what it never held", async () => {
    const { fs, session } = await openText(
      file(
        line("compaction", "cccccccc", null, { summary: "s", tokensBefore: 1 }),
        userLine("dddddddd", "cccccccc", "D"),
      ),
    );
    await session.ready();
    const undone = undoCompaction(session, "cccccccc");
    fs.replace(FILE, OTHER);
    await expect(undone).rejects.toMatchObject({ code: "invalid_argument" });
    expect(fs.text(FILE)).toBe(OTHER);
  });
});

describe("a branch summary", () => {
  it("is written also where the position is where it is to be attached", async () => {
    const { session, repo } = await openText(file(A, B));
    for (const target of ["bbbbbbbb", await session.appendLabel("bbbbbbbb", "a marker is no other place")]) {
      const id = await session.moveTo(target, { fromId: "aaaaaaaa", summary: `paid ${target}` });
      expect(await session.getEntry(id!)).toMatchObject({ type: "branch_summary", summary: `paid ${target}` });
      await session.moveTo("bbbbbbbb");
    }
    expect((await repo.open(FILE)).getLeafId()).toBe(session.getLeafId());
  });

  it("of a person's words is attached at the position, too", async () => {
    const { harness, session } = testHarness();
    await harness.prompt("one");
    const result = await harness.navigateTree(session.getLeafId(), { summarize: true, summary: "my words" });
    expect(await session.getEntry(result.summaryEntryId!)).toMatchObject({ summary: "my words" });
  });
});

describe("a compaction that keeps from a line that cannot be read", () => {
  it("keeps what can be read behind it", async () => {
    const torn = `${B.slice(0, -4)}\u0001}}`;
    const C = userLine("cccccccc", "bbbbbbbb", "C");
    const { session } = await openText(file(A, torn, C, line("compaction", "dddddddd", "cccccccc", KEPT)));
    expect(await contextTexts(session)).toEqual(["<s>", "C"]);
    const branch = await session.getBranch();
    expect(branch.map(({ id, type }) => [id, type])).toEqual([
      ["aaaaaaaa", "message"],
      ["bbbbbbbb", "unknown"],
      ["cccccccc", "message"],
      ["dddddddd", "compaction"],
    ]);
  });
});
