// Lines that are read, written or copied together give what each of them gives alone.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SessionEntry } from "../../../src/core/session/entries.ts";
import { jsonCopy } from "../../../src/core/session/json-copy.ts";
import { decodeLine, encodeLine, encodeLines } from "../../../src/core/session/jsonl-codec.ts";
import { joinBytes, textLines } from "../../../src/core/session/line-bytes.ts";
import { contextTexts, FILE, file, openText, userLine } from "../../support/session-files.ts";

const text = fc.oneof(
  fc.string({ maxLength: 200 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.constantFrom("→", "\ufeff", "\ufffd", "é", "🌳", "\u2028", ""),
);
const bytesOf = (value: string) => new TextEncoder().encode(value);

describe("bytes as lines of text", () => {
  it("are what the whole text has between its newlines, however long the lines are", () => {
    const unit = fc.oneof(fc.constantFrom("", "→", "é\r", "🌳", "x".repeat(4095), "→".repeat(12_000)), text);
    fc.assert(
      fc.property(fc.array(unit, { maxLength: 30 }), fc.boolean(), (parts, ends) => {
        const whole = parts.join("\n") + (ends ? "\n" : "");
        const wanted = whole.split("\n");
        if (wanted.at(-1) === "") wanted.pop();
        expect([...textLines(bytesOf(whole))]).toEqual(wanted);
      }),
    );
  });
});

describe("a session whose texts are of every kind", () => {
  it("reads the same lines one by one, together, from the end and from the index", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(text, { minLength: 1, maxLength: 40 }),
        fc.option(fc.record({ line: fc.nat(), at: fc.nat(), byte: fc.constantFrom(0x80, 0xff, 0xc3) }), {
          nil: undefined,
        }),
        async (texts, broken) => {
          const id = (i: number) => (i + 1).toString(16).padStart(8, "0");
          const lines = texts.map((one, i) => bytesOf(userLine(id(i), i === 0 ? null : id(i - 1), `<${one}>`)));
          if (broken !== undefined) {
            const line = lines[broken.line % lines.length]!;
            // Inside the message's text: behind its mark, before the end.
            const from = line.indexOf(0x3c);
            line[from + 1 + (broken.at % (line.lastIndexOf(0x3e) - from))] = broken.byte;
          }
          const alone = lines.map((line) => decodeLine(line));
          if (alone.some((one) => one.kind !== "entry")) return;
          const wanted = alone.map((one) => (one as { entry: SessionEntry }).entry);
          const content = joinBytes([bytesOf(file()), ...lines.flatMap((line) => [line, Uint8Array.of(0x0a)])]);

          const early = await openText(content);
          const shown = await early.session.buildTailContext();
          expect(shown.items.map((item) => item.entry)).toEqual(wanted);

          const { session } = await openText(content);
          await session.ready();
          expect(await session.getEntries(texts.map((_, i) => id(i)))).toEqual(wanted);
          // With gaps between the lines that are asked for.
          const odd = texts.map((_, i) => i).filter((i) => i % 2 === 1);
          expect(await session.getEntries(odd.map(id))).toEqual(odd.map((i) => wanted[i]));
          expect(await contextTexts(session)).toHaveLength(texts.length);
        },
      ),
      { numRuns: 150 },
    );
  });
});

describe("a copy of an entry", () => {
  it("is what JSON gives back", () => {
    fc.assert(
      fc.property(fc.anything({ withNullPrototype: true, withDate: true, withSparseArray: true }), (value) => {
        const json = JSON.stringify({ value });
        expect(JSON.stringify(jsonCopy({ value }, json))).toBe(json);
        expect(jsonCopy({ value }, json)).toStrictEqual(JSON.parse(json));
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ["a negative zero", { a: -0 }],
    ["no number", { a: [Number.NaN, Number.POSITIVE_INFINITY] }],
    ["nothing in a list", { a: [undefined, () => 1, Symbol("s")] }],
    ["what writes itself", { a: { toJSON: () => "itself" }, b: new Date(0) }],
    ["objects of classes", { a: new Map([[1, 2]]), b: Object("boxed"), c: new Uint8Array(2) }],
    ["a prototype's name", JSON.parse('{"a":{"__proto__":{"b":1},"constructor":2}}')],
    ["a lone surrogate", { a: "\ud800" }],
    ["levels", JSON.parse(`${'{"a":'.repeat(90)}1${"}".repeat(90)}`)],
  ])("is what JSON gives back for %s", (_, value) => {
    const json = JSON.stringify(value);
    const copy = jsonCopy(value, json);
    expect(copy).toStrictEqual(JSON.parse(json));
    expect(Object.is(copy.a, JSON.parse(json).a) || typeof copy.a === "object").toBe(true);
  });
});

describe("lines that are written together", () => {
  it("are the bytes of each", () => {
    fc.assert(
      fc.property(fc.array(text, { minLength: 1, maxLength: 8 }), fc.boolean(), (texts, isLong) => {
        const entries = texts.map((one, i) => ({
          type: "session_info" as const,
          id: `${i}`,
          parentId: null,
          timestamp: "",
          name: isLong ? one + "é".repeat(70_000) : one,
        }));
        const together = encodeLines(entries.map((entry) => ({ entry, json: JSON.stringify(entry) })));
        const alone = entries.map((entry) => encodeLine(entry));
        const decoded = (lines: Uint8Array[]) => lines.map((line) => new TextDecoder().decode(line));
        expect(decoded(together)).toEqual(decoded(alone));
        expect(new TextDecoder().decode(joinBytes(together))).toBe(decoded(alone).join(""));
      }),
      { numRuns: 20 },
    );
  });

  it("are those of the call, whatever the caller does to the objects afterwards", async () => {
    const { session, fs } = await openText(file(userLine("0000000a", null)));
    const message = { role: "user" as const, content: [{ type: "text" as const, text: "as given" }], timestamp: 1 };
    const saved = session.appendMessage(message);
    message.content[0]!.text = "changed";
    message.content.push({ type: "text", text: "more" });
    await saved;
    expect((await contextTexts(session)).at(-1)).toBe("as given");
    expect(new TextDecoder().decode(fs.files.get(FILE)!.bytes)).not.toContain("changed");
  });
});
