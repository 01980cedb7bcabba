import { chmodSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { applyEdits } from "../../../src/core/tools/edit.ts";
import { type ToolWorld, toolWorld } from "../../support/tool-world.ts";

const edit = (text: string, ...edits: [string, string][]) =>
  applyEdits(
    text,
    edits.map(([oldText, newText]) => ({ oldText, newText })),
    "f",
  );

describe("an edit of a text", () => {
  it("replaces exactly once, or not at all", () => {
    expect(edit("one two three", ["two", "2"])).toBe("one 2 three");
    expect(() => edit("one two two", ["two", "2"])).toThrow("more than once");
    expect(() => edit("aaa", ["aa", "b"])).toThrow("more than once");
    expect(() => edit("one", ["two", "2"])).toThrow("not found");
    expect(() => edit("one", ["", "2"])).toThrow("empty");
    expect(() => edit("one", ["one", "one"])).toThrow("change nothing");
  });

  it("takes quotes, dashes and no-break spaces for the plain ones where that is unique, and leaves all else as it is", () => {
    const text = "a “quoted” word — and\u00a0more ‘here’\n“untouched”";
    expect(edit(text, ['"quoted" word - and more', "plain"])).toBe("a plain ‘here’\n“untouched”");
    expect(() => edit("“a” x “a”", ['"a"', "b"])).toThrow("more than once");
    // An exact place wins over places that are only alike.
    expect(edit('“a” "a"', ['"a"', "b"])).toBe("“a” b");
  });

  it("applies several edits against the original, in any order, and refuses overlaps", () => {
    expect(edit("a b c", ["c", "b"], ["a", "c"])).toBe("c b b");
    expect(() => edit("abcdef", ["abc", "x"], ["cde", "y"])).toThrow("same text");
    expect(() => edit("a b", ["a", "1"], ["zzz", "2"])).toThrow("not found");
  });

  it("matches across CRLF lines and writes CRLF into a CRLF file", () => {
    expect(edit("a\r\nb\r\nc\r\n", ["a\nb", "1\n2\n3"])).toBe("1\r\n2\r\n3\r\nc\r\n");
    expect(edit("a\nb\n", ["a\r\nb", "x\r\ny"])).toBe("x\ny\n");
  });

  it("keeps the endings of untouched lines in a file of mixed endings", () => {
    const mixed = "one\r\ntwo\nthree\r\nfour\nfive";
    expect(edit(mixed, ["three", "3"])).toBe("one\r\ntwo\n3\r\nfour\nfive");
    expect(edit(mixed, ["two\nthree", "2\n3"])).toBe("one\r\n2\n3\r\nfour\nfive");
    expect(edit(mixed, ["four", "4a\n4b"])).toBe("one\r\ntwo\nthree\r\n4a\r\n4b\nfive");
    expect(edit(mixed, ["\nfive", ""])).toBe("one\r\ntwo\nthree\r\nfour");
  });

  it("never changes a byte outside the replaced text", () => {
    const piece = fc.constantFrom("a", "b", "\n", "\r\n", "\r", "“", "\u00a0", "é", "😀", " ");
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(piece, { maxLength: 30 }),
        fc.string(),
        (before, after, replacement) => {
          const [head, tail] = [before.join(""), after.join("")];
          if (replacement.replaceAll("\r\n", "\n") === "MARK") return;
          const result = edit(`${head}MARK${tail}`, ["MARK", replacement]);
          expect(result.startsWith(head)).toBe(true);
          expect(result.endsWith(tail)).toBe(true);
          const middle = result.slice(head.length, result.length - tail.length);
          expect(middle.replaceAll("\r\n", "\n")).toBe(replacement.replaceAll("\r\n", "\n"));
        },
      ),
      { numRuns: 500, seed: 7 },
    );
  });
});

describe("the tool edit", () => {
  let world: ToolWorld;
  beforeEach(() => {
    world = toolWorld();
  });
  afterEach(() => world.dispose());
  const put = (name: string, content: string | Buffer) => writeFileSync(join(world.root, name), content);
  const get = (name: string) => readFileSync(join(world.root, name), "utf8");

  it("shows the whole change before it makes it", async () => {
    put("a.ts", "const a = 1;\n");
    const params = { path: "a.ts", edits: [{ oldText: "1", newText: "2" }] };
    expect(await world.propose("edit", params)).toMatchObject({
      kind: "edit",
      path: join(world.root, "a.ts"),
      before: "const a = 1;\n",
      after: "const a = 2;\n",
      warnings: [],
    });
    expect(get("a.ts")).toBe("const a = 1;\n");
    await world.run("edit", params);
    expect(get("a.ts")).toBe("const a = 2;\n");
  });

  it("keeps byte-order mark, line endings and file mode", async () => {
    put("a.sh", "\ufeffone\r\ntwo\n");
    chmodSync(join(world.root, "a.sh"), 0o755);
    await world.run("edit", { path: "a.sh", edits: [{ oldText: "one", newText: "1" }] });
    expect(readFileSync(join(world.root, "a.sh"))).toEqual(Buffer.from("\ufeff1\r\ntwo\n"));
    expect(statSync(join(world.root, "a.sh")).mode & 0o777).toBe(0o755);
  });

  it("leaves the file untouched where one edit of several fails", async () => {
    put("a.txt", "one two");
    const edits = [
      { oldText: "one", newText: "1" },
      { oldText: "three", newText: "3" },
    ];
    await expect(world.run("edit", { path: "a.txt", edits })).rejects.toThrow("not found");
    expect(get("a.txt")).toBe("one two");
  });

  it("takes a single edit without a list, as some models send it", async () => {
    put("a.txt", "one");
    await world.run("edit", { path: "a.txt", oldText: "one", newText: "1" });
    expect(get("a.txt")).toBe("1");
  });

  it("refuses a file that changed after it was approved", async () => {
    put("a.txt", "one two");
    const between = () => put("a.txt", "one two three");
    const params = { path: "a.txt", edits: [{ oldText: "one", newText: "1" }] };
    await expect(world.run("edit", params, { between })).rejects.toThrow("not what was approved");
    expect(get("a.txt")).toBe("one two three");
  });

  it("refuses binary, missing, unsaved and special files", async () => {
    put("b.bin", Buffer.from([1, 0, 2]));
    put("d.txt", "x");
    world.dirty.add(join(world.root, "d.txt"));
    const edits = [{ oldText: "x", newText: "y" }];
    await expect(world.run("edit", { path: "b.bin", edits })).rejects.toThrow("not a text file");
    await expect(world.run("edit", { path: "none.txt", edits })).rejects.toThrow("no file");
    await expect(world.run("edit", { path: "d.txt", edits })).rejects.toThrow("unsaved changes");
    await expect(world.run("edit", { path: ".", edits })).rejects.toThrow("not a regular file");
  });

  it("warns where a link leads elsewhere, inside or outside", async () => {
    put("real.txt", "x");
    writeFileSync(join(world.outside, "o.txt"), "x");
    symlinkSync(join(world.root, "real.txt"), join(world.root, "in.txt"));
    symlinkSync(join(world.outside, "o.txt"), join(world.root, "out.txt"));
    const edits = [{ oldText: "x", newText: "y" }];
    expect((await world.propose("edit", { path: "in.txt", edits }))?.warnings[0]).toContain("A link leads to");
    expect((await world.propose("edit", { path: "out.txt", edits }))?.warnings[0]).toContain("Outside the workspace");
  });
});
