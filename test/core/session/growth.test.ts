import { describe, expect, it } from "vitest";
import { systemError } from "../../support/memory-file-system.ts";
import { checkGrowth, numbersFrom } from "../../support/odd-session.ts";
import { contextTexts, FILE, file, openText, userLine } from "../../support/session-files.ts";

/** Seeds of `npm run fuzz -- --only growth` that this many runs begin with. */
const RUNS = 300;

describe("a session whose file grows", () => {
  it("ends as one that opens the finished file, whatever stands in it and wherever it was cut", async () => {
    const failed: string[] = [];
    for (let seed = 1; seed <= RUNS; seed++) {
      await checkGrowth(numbersFrom(seed)).catch((error: Error) => failed.push(`seed ${seed}: ${error.message}`));
    }
    expect(failed).toEqual([]);
  });

  it("takes what follows lines that nothing can be read of for their child, also where they were seen before", async () => {
    const { fs, session } = await openText(file(userLine("aaaaaaaa", null, "A"), "%%%"));
    await session.ready();
    fs.appendForeign(FILE, `${userLine("cccccccc", "bbbbbbbb", "C")}\n`);
    await session.refresh();
    expect(await contextTexts(session, "cccccccc")).toEqual(["A", "C"]);
  });

  it("reads its last line anew where more follows on it", async () => {
    const { fs, session } = await openText(
      `${file(userLine("aaaaaaaa", null, "A"))}${userLine("bbbbbbbb", null, "B")}`,
    );
    await session.ready();
    expect(session.node("bbbbbbbb")).toBeDefined();
    fs.appendForeign(FILE, `${userLine("cccccccc", "aaaaaaaa", "C")}\n`);
    await session.refresh();
    expect(await contextTexts(session, "cccccccc")).toEqual(["A", "C"]);
    expect(await contextTexts(session, "bbbbbbbb")).toEqual(["B"]);
    expect(session.badLines().map(({ line }) => line)).toEqual([3]);
  });

  it("reads on where the disk failed in the middle of it", async () => {
    const long = (i: number) =>
      userLine(
        i.toString(16).padStart(8, "0"),
        i === 1 ? null : (i - 1).toString(16).padStart(8, "0"),
        `${i} ${"x".repeat(90_000)}`,
      );
    const { fs, session } = await openText(file(long(1)));
    await session.ready();
    fs.appendForeign(FILE, Array.from({ length: 20 }, (_, i) => `${long(i + 2)}\n`).join(""));
    const whole = await openText(fs.files.get(FILE)!.bytes.slice());
    await whole.session.ready();
    let failures = 0;
    for (let nth = 1; ; nth++) {
      let left = nth;
      fs.fault = (operation) => (operation === "read" && --left === 0 ? systemError("EIO") : undefined);
      const ended = await session.refresh().then(
        () => true,
        () => false,
      );
      fs.fault = () => undefined;
      if (ended) break;
      failures++;
    }
    expect(failures).toBeGreaterThan(2);
    expect([...session.allIds()]).toEqual([...whole.session.allIds()]);
    expect(session.badLines()).toEqual([]);
    const last = whole.session.getLeafId();
    expect(await contextTexts(session, last)).toEqual(await contextTexts(whole.session));
  });

  it("tells of no circle that what came later opened, and walks none that it closed", async () => {
    const A = userLine("aaaaaaaa", "cccccccc", "A");
    const { fs, session } = await openText(file(A, userLine("bbbbbbbb", "aaaaaaaa", "B")));
    await session.ready();
    fs.appendForeign(FILE, `${userLine("cccccccc", null, "C")}\n${userLine("cccccccc", "aaaaaaaa", "C")}\n`);
    await session.refresh();
    expect(session.badLines()).toHaveLength(1);
    expect(await contextTexts(session, "bbbbbbbb")).toEqual(["A", "B"]);
    fs.appendForeign(FILE, `${userLine("cccccccc", null, "C2")}\n`);
    await session.refresh();
    expect(session.badLines()).toEqual([]);
    expect(await contextTexts(session, "bbbbbbbb")).toEqual(["C2", "A", "B"]);
  });

  it("does not lose an entry to a broken line of the same id", async () => {
    const B = userLine("bbbbbbbb", "aaaaaaaa", "B");
    const { session } = await openText(file(userLine("aaaaaaaa", null, "A"), B, `${B.slice(0, -3)}\u0001}}`));
    expect(await contextTexts(session, "bbbbbbbb")).toEqual(["A", "B"]);
  });
});
