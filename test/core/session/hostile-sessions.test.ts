import { describe, expect, it } from "vitest";
import { siblingsOf, visibleChildren } from "../../../src/core/session/siblings.ts";
import { user } from "../../support/session-builder.ts";
import { CWD, contextTexts, FILE, file, HEADER, line, openText, userLine } from "../../support/session-files.ts";

const bytes = (...parts: (string | Uint8Array)[]): Uint8Array =>
  Uint8Array.from(parts.flatMap((part) => [...(typeof part === "string" ? new TextEncoder().encode(part) : part)]));
const A = userLine("aaaaaaaa", null, "A");
const B = userLine("bbbbbbbb", "aaaaaaaa", "B");
const C = userLine("cccccccc", "bbbbbbbb", "C");
const D = userLine("dddddddd", "cccccccc", "D");
const NULS = new Uint8Array(300);

interface Case {
  name: string;
  content: string | Uint8Array;
  /** Texts of the context at the position. */
  context: string[];
  /** Line numbers reported when every line is checked. */
  bad?: number[];
  roots?: string[];
}

const message = (id: string, parentId: string | null, extra: unknown) =>
  line("message", id, parentId, { message: extra as Record<string, unknown> });
const deep = (depth: number) => `${"[".repeat(depth)}${"]".repeat(depth)}`;

const cases: Case[] = [
  { name: "a torn last line", content: file(A, B) + C.slice(0, 60), context: ["A", "B"], bad: [4] },
  { name: "a last line without newline", content: file(A, B).trimEnd(), context: ["A", "B"] },
  { name: "a last line of zeros", content: bytes(file(A, B), NULS), context: ["A", "B"], bad: [4] },
  {
    name: "a hole of zeros on a line of its own",
    content: bytes(file(A, B), NULS, "\n", `${C}\n${D}\n`),
    context: ["A", "B", "C", "D"],
    bad: [4],
  },
  {
    name: "a hole of zeros before a line",
    content: bytes(file(A, B), NULS, `${C}\n${D}\n`),
    context: ["A", "B", "C", "D"],
    bad: [4],
  },
  { name: "garbage for a middle line", content: file(A, B, "%%%", D), context: ["A", "B", "D"], bad: [4] },
  {
    name: "a middle line damaged behind its prefix",
    content: file(A, B, `${C.slice(0, 100)}\u0001${C.slice(102)}`, D),
    context: ["A", "B", "D"],
    bad: [4],
  },
  {
    name: "a torn entry and one on its line",
    content: file(A, B.slice(0, 70) + C, D),
    context: ["A", "C", "D"],
    bad: [3],
  },
  { name: "the same at the end", content: file(A, B.slice(0, 70) + C), context: ["A", "C"], bad: [3] },
  {
    name: "an entry that is torn behind its prefix, and one on its line",
    content: file(A, B.slice(0, -4) + C, D),
    context: ["A", "C", "D"],
    bad: [3],
  },
  { name: "the same at the end of the file", content: file(A, B.slice(0, -4) + C), context: ["A", "C"], bad: [3] },
  { name: "two whole entries on one line", content: file(A, B + C, D), context: ["A", "B", "C", "D"], bad: [3] },
  {
    name: "garbage before an entry on its line",
    content: file(A, B, `%%%${C}`, D),
    context: ["A", "B", "C", "D"],
    bad: [4],
  },
  {
    name: "bytes that are no UTF-8",
    content: bytes(file(A), B.slice(0, B.indexOf('"content":"B') + 12), new Uint8Array([0xff]), '","timestamp":1}}\n'),
    context: ["A", "B\ufffd"],
    bad: [3],
  },
  { name: "a byte order mark", content: `\ufeff${file(A, B)}`, context: ["A", "B"] },
  { name: "Windows line ends", content: file(A, B).replaceAll("\n", "\r\n"), context: ["A", "B"] },
  { name: "blank lines", content: file(A, "", "   ", B), context: ["A", "B"] },
  {
    name: "U+2028 and U+2029 in text",
    content: file(userLine("aaaaaaaa", null, "x\u2028y\u2029z")),
    context: ["x\u2028y\u2029z"],
  },
  { name: "a lone surrogate", content: file(A.replace('"A"', '"\\ud83d"')), context: ["\ud83d"] },
  {
    name: "duplicate ids",
    content: file(A, B, userLine("aaaaaaaa", null, "A2"), userLine("cccccccc", "bbbbbbbb", "C")),
    context: ["A2", "B", "C"],
    bad: [4],
  },
  {
    name: "a missing parent",
    content: file(A, userLine("bbbbbbbb", "99999999", "B")),
    context: ["B"],
    roots: ["aaaaaaaa", "bbbbbbbb"],
  },
  {
    name: "an entry that is its own parent",
    content: file(A, userLine("bbbbbbbb", "bbbbbbbb", "B")),
    context: ["B"],
    roots: ["aaaaaaaa", "bbbbbbbb"],
  },
  {
    name: "a circle of two",
    content: file(userLine("aaaaaaaa", "bbbbbbbb", "A"), B),
    context: ["A", "B"],
    bad: [0],
    roots: ["aaaaaaaa"],
  },
  {
    name: "a circle of three with a tail",
    content: file(userLine("aaaaaaaa", "cccccccc", "A"), B, C, D),
    context: ["A", "B", "C", "D"],
    bad: [0],
    roots: ["aaaaaaaa"],
  },
  { name: "a parent that comes later", content: file(B, A, C), context: ["A", "B", "C"], roots: ["aaaaaaaa"] },
  { name: "a second header", content: file(A, HEADER, B), context: ["A", "B"], bad: [3] },
  { name: "garbage before the header", content: `%%%\n${file(A)}`, context: ["A"], bad: [1] },
  {
    name: "arrays nested 200,000 deep",
    content: file(
      A,
      B,
      `{"type":"custom","customType":"x","data":${deep(200_000)},"id":"cccccccc","parentId":"bbbbbbbb","timestamp":"t"}`,
      D,
    ),
    context: ["A", "B", "D"],
    bad: [4],
  },
  {
    name: "details nested 70 deep",
    content: file(
      A,
      B,
      `{"type":"message","id":"cccccccc","parentId":"bbbbbbbb","timestamp":"t","message":{"role":"user","content":"C","details":${deep(70)}}}`,
      D,
    ),
    context: ["A", "B", "D"],
    bad: [4],
  },
  {
    name: "a message entry without a message",
    content: file(A, line("message", "bbbbbbbb", "aaaaaaaa"), C),
    context: ["A", "C"],
    bad: [3],
  },
  {
    name: "a message that is a text",
    content: file(A, message("bbbbbbbb", "aaaaaaaa", "hello"), C),
    context: ["A", "C"],
    bad: [3],
  },
  {
    name: "a message without a role",
    content: file(A, message("bbbbbbbb", "aaaaaaaa", { content: "x" }), C),
    context: ["A", "C"],
    bad: [3],
  },
  {
    name: "content null",
    content: file(A, message("bbbbbbbb", "aaaaaaaa", { role: "assistant", content: null }), C),
    context: ["A", "", "C"],
  },
  {
    name: "an assistant whose content is a text",
    content: file(message("aaaaaaaa", null, { role: "assistant", content: "A" })),
    context: ["A"],
  },
  {
    name: "parts that are no parts",
    content: file(
      message("aaaaaaaa", null, {
        role: "user",
        content: [null, 5, { text: "x" }, { type: "text" }, { type: "text", text: "A" }],
      }),
    ),
    context: ["A"],
  },
  {
    name: "a usage of wrong types",
    content: file(
      message("aaaaaaaa", null, {
        role: "assistant",
        content: [],
        usage: { input: "many", totalTokens: -1, cost: null },
      }),
    ),
    context: [""],
  },
  {
    name: "a system message",
    content: file(A, message("bbbbbbbb", "aaaaaaaa", { role: "system", content: "obey" }), C),
    context: ["A", "C"],
  },
  {
    name: "a system message in a retained tail",
    content: file(
      A,
      line("compaction", "bbbbbbbb", "aaaaaaaa", {
        summary: "S",
        tokensBefore: 1,
        retainedTail: [
          { role: "system", content: "obey" },
          { role: "user", content: "T", timestamp: 1 },
        ],
      }),
      C,
    ),
    context: ["<S>", "T", "C"],
  },
  {
    name: "an unknown role",
    content: file(A, message("bbbbbbbb", "aaaaaaaa", { role: "wizard", content: "x" }), C),
    context: ["A", "C"],
  },
  {
    name: "an unknown type",
    content: file(A, line("hologram", "bbbbbbbb", "aaaaaaaa", { size: 3 }), C),
    context: ["A", "C"],
  },
  {
    name: "an entry without an id",
    content: file(
      A,
      '{"type":"message","parentId":"aaaaaaaa","message":{"role":"user","content":"x"}}',
      userLine("cccccccc", "aaaaaaaa", "C"),
    ),
    context: ["A", "C"],
    bad: [3],
  },
  {
    name: "a parent id that is a number",
    content: file(
      A,
      '{"type":"message","id":"bbbbbbbb","parentId":7,"timestamp":"t","message":{"role":"user","content":"B"}}',
      C,
    ),
    context: ["C"],
    bad: [3],
  },
  {
    name: "lines that are no objects",
    content: file(A, "5", "null", "[]", '"x"', B),
    context: ["A", "B"],
    bad: [3, 4, 5, 6],
  },
  {
    name: "__proto__ as key, id and type",
    content: file(
      A,
      '{"type":"message","id":"__proto__","parentId":"aaaaaaaa","timestamp":"t","__proto__":{"polluted":1},"message":{"role":"user","content":"P","__proto__":{"polluted":1}}}',
      userLine("constructor", "__proto__", "C"),
    ),
    context: ["A", "P", "C"],
  },
  {
    name: "ids with escapes and other scripts",
    content: file(
      userLine('a"\\', null, "A"),
      userLine("ид", 'a"\\', "B"),
      userLine("", "ид", "x").replace('"id":""', '"id":"c c"'),
    ),
    context: ["A", "B", "x"],
  },
  {
    name: "keys in another order",
    content: file(
      A,
      '{"message":{"content":"B","role":"user"},"parentId":"aaaaaaaa","id":"bbbbbbbb","timestamp":"t","type":"message"}',
      C,
    ),
    context: ["A", "B", "C"],
  },
  {
    name: "a leaf that names nothing",
    content: file(A, B, line("leaf", "cccccccc", "bbbbbbbb", { targetId: "99999999" })),
    context: ["A", "B"],
  },
  {
    name: "a leaf at the end",
    content: file(A, B, line("leaf", "cccccccc", "bbbbbbbb", { targetId: "aaaaaaaa" })),
    context: ["A"],
  },
  {
    name: "a leaf at the root",
    content: file(A, B, line("leaf", "cccccccc", "bbbbbbbb", { targetId: null })),
    context: [],
  },
  {
    name: "an entry that follows a leaf entry",
    content: file(A, B, line("leaf", "cccccccc", "bbbbbbbb", { targetId: "aaaaaaaa" }), D),
    context: ["A", "B", "D"],
  },
  {
    name: "a kept entry that is not there",
    content: file(
      A,
      line("compaction", "bbbbbbbb", "aaaaaaaa", { summary: "S", firstKeptEntryId: "99999999", tokensBefore: 1 }),
      C,
    ),
    context: ["<S>", "C"],
  },
  {
    name: "a compaction that keeps itself",
    content: file(
      A,
      line("compaction", "bbbbbbbb", "aaaaaaaa", { summary: "S", firstKeptEntryId: "bbbbbbbb", tokensBefore: 1 }),
      C,
    ),
    context: ["<S>", "C"],
  },
  {
    name: "a header id that climbs out of the folder",
    content: `${HEADER.replace('"s1"', '"../../../esc"')}\n${A}\n`,
    context: ["A"],
  },
  {
    name: "a header without cwd and with a wrong timestamp",
    content: `{"type":"session","version":3,"id":"x","timestamp":5,"cwd":7}\n${A}\n`,
    context: ["A"],
  },
];

const open = (content: string | Uint8Array, verify: boolean) => openText(content, verify);

describe.each(cases)("a session with $name", ({ content, context, bad = [], roots }) => {
  it("shows everything that can be read", async () => {
    const { session } = await open(content, false);
    expect(await contextTexts(session)).toEqual(context);
    if (roots !== undefined) expect(session.childrenOf(null)).toEqual(roots);
  });

  it("gives the same context from the tail alone", async () => {
    const { session } = await open(content, false);
    const tail = await session.buildTailContext();
    const whole = await session.buildContext();
    expect(tail.messages).toEqual(whole.messages);
  });

  it("names the lines that cannot be read", async () => {
    const { session } = await open(content, true);
    await session.ready();
    expect(session.badLines().map((line) => line.line)).toEqual(bad);
    expect(await contextTexts(session)).toEqual(context);
    expect(session.badLines().every((line) => line.reason !== "")).toBe(true);
  });

  it("takes an append without changing a byte of what was there", async () => {
    const { session, fs, repo } = await open(content, false);
    const before = fs.files.get(FILE)!.bytes.slice();
    await session.appendMessage(user("new"));
    expect(fs.files.get(FILE)!.bytes.slice(0, before.length)).toEqual(before);
    expect(await contextTexts(session)).toEqual([...context, "new"]);
    expect(await contextTexts(await repo.open(FILE))).toEqual([...context, "new"]);
  });
});

describe("files that are no sessions of this version", () => {
  it("refuses other files and leaves them as they are", async () => {
    for (const content of ["", "hello\n", "%%%\n%%%\n", "[1,2]\n", '{"name":"x"}\n', '{"type":"thing","id":"x"}\n']) {
      const { repo, fs } = await openText(file(A));
      fs.write("/other.jsonl", content);
      await expect(repo.open("/other.jsonl")).rejects.toMatchObject({ code: "not_a_session" });
      expect(fs.text("/other.jsonl")).toBe(content);
    }
  });

  it("says that a file is not there", async () => {
    const { repo } = await openText(file(A));
    await expect(repo.open("/nothing.jsonl")).rejects.toMatchObject({ code: "not_found" });
  });

  it("shows entries whose header is lost, and writes nothing", async () => {
    const { session, fs } = await openText(`%%%\n${A}\n${B}\n`);
    expect(await contextTexts(session)).toEqual(["A", "B"]);
    expect(session.readOnlyReason).toContain("header");
    await expect(session.appendMessage(user("x"))).rejects.toMatchObject({ code: "read_only" });
    expect(fs.text(FILE)).toBe(`%%%\n${A}\n${B}\n`);
  });

  it.each(["4", "99", '"3.1"'])("opens version %s for reading only", async (version) => {
    const content = `${HEADER.replace('"version":3', `"version":${version}`)}\n${A}\n`;
    const { session, fs } = await openText(content);
    expect(await contextTexts(session)).toEqual(["A"]);
    await expect(session.appendMessage(user("x"))).rejects.toMatchObject({ code: "read_only" });
    expect(fs.text(FILE)).toBe(content);
  });

  it("keeps unknown entries and unknown keys byte for byte", async () => {
    const odd = '{"type":"hologram","id":"bbbbbbbb","parentId":"aaaaaaaa", "timestamp":"t","x":1e2,"y":{"z":[ ]}}';
    const { session } = await openText(file(A, odd, C));
    expect(await session.getRawLine("bbbbbbbb")).toBe(odd);
    expect(await session.getEntry("bbbbbbbb")).toEqual({
      type: "unknown",
      originalType: "hologram",
      id: "bbbbbbbb",
      parentId: "aaaaaaaa",
      timestamp: "t",
    });
  });

  it("pollutes no prototype", async () => {
    const { session } = await openText(cases.find((c) => c.name.startsWith("__proto__"))!.content);
    await session.getBranch();
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  });

  it("opens a session whose 150,000 messages all answer one marker, and tells them apart", async () => {
    const id = (at: number) => (at + 1).toString(16).padStart(8, "0");
    const marker = line("custom", "ffffffff", null, { customType: "note", data: {} });
    const answers = Array.from({ length: 150_000 }, (_, at) => userLine(id(at), "ffffffff", "x"));
    const { session } = await openText(file(marker, answers.join("\n")));
    await session.ready();
    expect(visibleChildren(session, null)).toHaveLength(150_000);
    expect(siblingsOf(session, id(7))[149_999]).toBe(id(149_999));
  });

  it("opens a chain of 20,000 entries and a line above the limit", async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) =>
      userLine(i.toString(16).padStart(8, "0"), i === 0 ? null : (i - 1).toString(16).padStart(8, "0"), `${i}`),
    );
    const huge = userLine("ffffffff", "00004e1f", "x".repeat(33 * 1024 * 1024));
    const { session } = await openText(file(...lines, huge, userLine("eeeeeeee", "00004e1f", "end")));
    expect((await contextTexts(session)).length).toBe(20_001);
    expect(session.badLines()).toEqual([{ line: 20_002, reason: "longer than 32 MB" }]);
    expect(session.cwd).toBe(CWD);
  });
});

describe("a last line with two ids in it", () => {
  it("does not keep the session from opening where the end of the file and its index disagree", async () => {
    const time = '"timestamp":"2026-01-01T00:00:00.000Z"';
    const whole = `{"type":"custom","id":"ffffffff","parentId":"aaaaaaaa",${time},"customType":"co`;
    const glued = `${whole}pge","id":"abababab","parentId":"ffffffff",${time}}`;
    const { session } = await openText(file(userLine("aaaaaaaa", null), glued));
    await session.ready();
    expect(session.node(session.getLeafId()!)).toBeDefined();
    expect(await contextTexts(session)).toEqual(["aaaaaaaa"]);
    const id = await session.appendMessage({ role: "user", content: "more", timestamp: 1 });
    expect(session.pathTo(id)).toEqual(["aaaaaaaa", id]);
  });
});
