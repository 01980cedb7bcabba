import { expect, it } from "vitest";
import { contextTexts, file, line, openText, userLine } from "../../support/session-files.ts";

const TEXT = file(
  userLine("a", null),
  userLine("b", "a"),
  userLine("c", "b"),
  line("compaction", "k", "c", { summary: "sum", firstKeptEntryId: "c", tokensBefore: 10 }),
  userLine("d", "k"),
  userLine("e", "d"),
);

it("answers contexts that are asked for at the same time as if they had been asked for one by one", async () => {
  const { session } = await openText(TEXT);
  await session.ready();
  const [before, after, end] = await Promise.all([
    contextTexts(session, "c"),
    contextTexts(session, "k"),
    contextTexts(session, "e"),
  ]);
  expect(before).toEqual(["a", "b", "c"]);
  expect(after).toEqual(["<sum>", "c"]);
  expect(end).toEqual(["<sum>", "c", "d", "e"]);
});

it("extends a context once, however many ask for it at the same time", async () => {
  const { session } = await openText(TEXT);
  await session.ready();
  await contextTexts(session, "d");
  const both = await Promise.all([contextTexts(session, "e"), contextTexts(session, "e")]);
  for (const texts of both) expect(texts).toEqual(["<sum>", "c", "d", "e"]);
});

it("goes on after a context that is not to be had", async () => {
  const { session } = await openText(TEXT);
  await session.ready();
  const [missing, there] = await Promise.allSettled([contextTexts(session, "nowhere"), contextTexts(session, "b")]);
  expect(missing.status).toBe("rejected");
  expect(there).toMatchObject({ value: ["a", "b"] });
});
