import { describe, expect, it } from "vitest";
import { tellingWords, withoutMarks } from "../../src/vscode/telling-words.ts";

describe("the title of a text in Markdown", () => {
  it.each([
    ["- Due dates on todos, what is overdue\n- Templates", "Due dates on todos, what is overdue"],
    ["1. Every message hangs on the one before", "Every message hangs on the one before"],
    ["> *Quoted* words of another one", "Quoted words of another one"],
    ["- [x] Mend the parser of dates", "Mend the parser of dates"],
    ["---\n\nA rule says nothing by itself", "A rule says nothing by itself"],
    ["See [the **guide**](https://example.com/a_(b)) and ![a picture](x.png)", "See the guide and a picture"],
    ["| File | State |\n|---|---|\n| a.ts | new |", "File · State: a.ts · new"],
    ["Nothing is \\*marked\\* in here", "Nothing is *marked* in here"],
    ["~~Not this~~ but that one", "Not this but that one"],
  ])("leaves the marks of %j out", (markdown, title) => {
    expect(tellingWords(markdown)).toBe(title);
  });

  it.each([
    ["**Done**\n\nThe retry is in place.", "Done: The retry is in place."],
    ["In `.`:\n\n```\nREADME.md\nsrc/greeting.ts\n```", "In .: README.md src/greeting.ts"],
    ["## Result\n- All tests pass now", "Result: All tests pass now"],
    ["Done.\n\nIt is written.", "Done. It is written."],
  ])("joins what follows to words that say too little: %j", (markdown, title) => {
    expect(tellingWords(markdown)).toBe(title);
  });

  it("takes short words where nothing follows, and code where there is nothing else", () => {
    expect(tellingWords("**Done**")).toBe("Done");
    expect(tellingWords("Here it is:")).toBe("Here it is");
    expect(tellingWords("```ts\nconst a = 1;\n```")).toBe("const a = 1;");
    expect(tellingWords("Here is all of the code:\n```ts\nconst a = 1;\n```")).toBe("Here is all of the code");
    expect(tellingWords("***")).toBe("***");
    expect(tellingWords("")).toBe("");
  });

  it("lets names with underscores, products and code be what they are", () => {
    expect(withoutMarks("a * b and snake_case_name and `*.test_*.ts`")).toBe(
      "a * b and snake_case_name and *.test_*.ts",
    );
    expect(withoutMarks("``a ` b`` and *this*")).toBe("a ` b and this");
  });

  it("passes over the headings and tags of a summary", () => {
    expect(tellingWords("<summary>\n## Goal\n\nMend the parser of dates\n", false)).toBe("Mend the parser of dates");
    expect(tellingWords("## Goal", false)).toBe("## Goal");
  });

  it("is one line of whole characters, whatever stands in it", () => {
    const title = tellingWords(`a\u202eb ${"x".repeat(154)}😀😀 more\u0007`);
    expect(title.isWellFormed()).toBe(true);
    expect(title).not.toContain("\u202e");
    expect(title.endsWith("…")).toBe(true);
  });

  it("comes to an end with any nesting of marks", () => {
    for (const evil of ["[".repeat(9000), "`".repeat(9000), "*a".repeat(9000), "> ".repeat(9000), "(".repeat(9000)]) {
      expect(tellingWords(evil).length).toBeLessThanOrEqual(161);
    }
  });
});
