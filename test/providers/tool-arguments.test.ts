// Argument texts as models write them.
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseToolArguments } from "../../src/providers/tool-arguments.ts";

describe("parseToolArguments", () => {
  it("takes nothing for an empty object", () => {
    expect(parseToolArguments("  ")).toEqual({ arguments: {} });
  });

  it("repairs control characters and unknown escapes inside strings", () => {
    expect(parseToolArguments('{"a":"tab\there\nand \\d+ \\u12 \\u00e9"}').arguments).toEqual({
      a: "tab\there\nand \\d+ \\u12 é",
    });
  });

  it("reads whatever JSON writes", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
        const text = JSON.stringify(value);
        expect(parseToolArguments(text)).toEqual({ arguments: JSON.parse(text) });
      }),
    );
  });

  it("never completes what was cut, at any character", () => {
    const whole = JSON.stringify({ command: 'rm -rf "./scratch" \\ \n', list: [1, { a: null }] });
    for (let end = 1; end < whole.length; end++) {
      const cut = parseToolArguments(whole.slice(0, end));
      expect(cut.arguments).toEqual({});
      expect(cut.error).toBeDefined();
    }
  });

  it.each(["[1]", "null", '"text"', "7"])("refuses %s, which is no object", (text) => {
    expect(parseToolArguments(text).error).toContain("not a JSON object");
  });
});
