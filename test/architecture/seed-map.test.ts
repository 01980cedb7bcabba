import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "..", "..");
const HEADING = "## The seeds, in code";

interface Row {
  behaviour: string;
  name: string;
  file: string;
  test: string;
  title: string;
}

/** The rows of the table in the README. */
function rows(): Row[] {
  const page = readFileSync(join(root, "README.md"), "utf8");
  if (!page.includes(HEADING)) throw new Error(`the README has no section "${HEADING}"`);
  const section = page.slice(page.indexOf(HEADING) + HEADING.length).split(/^## /m)[0]!;
  return section
    .split("\n")
    .filter((line) => /^\| [^|-]/.test(line))
    .slice(1)
    .map((line) => {
      const [behaviour, name, file, test] = line
        .split("|")
        .slice(1, -1)
        .map((cell) => cell.trim()) as [string, string, string, string];
      const [, path, title] = /^`([^`]+)`: (.+)$/.exec(test) ?? [undefined, "", ""];
      return { behaviour, name: name.replaceAll("`", ""), file: file.replaceAll("`", ""), test: path!, title: title! };
    });
}

describe("the README's table of the seeds", () => {
  const table = rows();

  it("has a row for each of their behaviours", () => {
    expect(table.length).toBeGreaterThan(30);
    expect(new Set(table.map(({ behaviour }) => behaviour)).size).toBe(table.length);
  });

  it.each(table)("finds $name, which holds “$behaviour”, exported by $file", ({ name, file }) => {
    const text = readFileSync(join(root, file), "utf8");
    expect(text).toMatch(new RegExp(`^export (async )?(function\\*?|class|const) ${name}\\b`, "m"));
  });

  it.each(table)("finds the test of “$behaviour”", ({ test, title }) => {
    const text = readFileSync(join(root, test), "utf8");
    expect(text).toContain(title);
  });
});
