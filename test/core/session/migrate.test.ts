import { describe, expect, it } from "vitest";
import { user } from "../../support/session-builder.ts";
import { contextTexts, FILE, openText } from "../../support/session-files.ts";

const header = (version?: number) =>
  JSON.stringify({
    type: "session",
    ...(version === undefined ? {} : { version }),
    id: "old",
    timestamp: "t",
    cwd: "/w",
  });
const v1 = [
  header(),
  '{"type":"message","timestamp":"t","message":{"role":"user","content":"one","timestamp":1}}',
  '{"type":"message","timestamp":"t","message":{"role":"assistant","content":[{"type":"text","text":"two"}],"timestamp":2}}',
  '{"type":"message","timestamp":"t","message":{"role":"user","content":"three","timestamp":3}}',
  '{"type":"compaction","timestamp":"t","summary":"S","firstKeptEntryIndex":3,"tokensBefore":9}',
  '{"type":"message","timestamp":"t","message":{"role":"user","content":"four","timestamp":4}}',
];
const v2 = [
  header(2),
  '{"type":"message","id":"a1","parentId":null,"timestamp":"t","message":{"role":"hookMessage","customType":"x","content":"hook","display":true,"timestamp":1}}',
  '{"type":"message","id":"a2","parentId":"a1","timestamp":"t","message":{"role":"user","content":"two","timestamp":2}}',
];

describe("a session of version 1", () => {
  it("becomes a chain whose compaction keeps from the line that its index counts", async () => {
    const { session } = await openText(`${v1.join("\n")}\n`);
    expect(await contextTexts(session)).toEqual(["<S>", "three", "four"]);
    expect((await session.getBranch()).length).toBe(5);
    expect(session.header.version).toBe(3);
  });

  it("stays as it is until something is appended, and then has a backup beside it", async () => {
    const content = `${v1.join("\n")}\n`;
    const { session, fs, repo } = await openText(content);
    await session.buildContext();
    expect(fs.text(FILE)).toBe(content);
    await session.appendMessage(user("five"));
    expect(fs.text(`${FILE}.v1.bak`)).toBe(content);
    const again = await repo.open(FILE);
    expect(await contextTexts(again)).toEqual(["<S>", "three", "four", "five"]);
    expect(again.header.version).toBe(3);
    expect((await again.getBranch()).map((entry) => entry.id)).toEqual(
      (await session.getBranch()).map((entry) => entry.id),
    );
  });

  it("shows what can be read of a damaged one and keeps the rest in the backup", async () => {
    const content = `${[v1[0], v1[1], "%%%", v1[3]].join("\n")}\n`;
    const { session, fs } = await openText(content);
    expect(await contextTexts(session)).toEqual(["one", "three"]);
    expect(session.badLines()).toEqual([{ line: 3, reason: "not valid JSON" }]);
    await session.appendMessage(user("x"));
    expect(fs.text(`${FILE}.v1.bak`)).toBe(content);
  });
});

describe("a session of version 2", () => {
  it("calls hook messages custom", async () => {
    const { session, fs, repo } = await openText(`${v2.join("\n")}\n`);
    const context = await session.buildContext();
    expect(context.messages.map((message) => message.role)).toEqual(["custom", "user"]);
    await session.appendMessage(user("three"));
    expect(await contextTexts(await repo.open(FILE))).toEqual(["hook", "two", "three"]);
    expect(fs.text(`${FILE}.v2.bak`)).toBe(`${v2.join("\n")}\n`);
  });
});
