import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";

const root = join(import.meta.dirname, "..", "..");
const bundle = (name: string) => JSON.parse(readFileSync(join(root, "l10n", name), "utf8")) as Record<string, string>;

const LITERAL = /"(?:[^"\\]|\\.)*"/g;
/** A text, or one of two by a condition: `t(count === 1 ? "{0} turn" : "{0} turns", count)`. */
const FIRST_ARGUMENT =
  /(?:l10n\.t|\bt)\(\s*(?:[^"(),;]*(?:"[^"]*"[^"(),;]*)?\?\s*)?("(?:[^"\\]|\\.)*"(?:\s*:\s*"(?:[^"\\]|\\.)*")?)/g;

/** Every text that the code hands to `l10n.t` or to the page's `t`. */
function used(): Set<string> {
  const found = new Set<string>();
  for (const folder of ["src/vscode", "src/webview"]) {
    for (const name of readdirSync(join(root, folder), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts")) continue;
      const text = readFileSync(join(root, folder, name), "utf8");
      for (const [, first] of text.matchAll(FIRST_ARGUMENT))
        for (const [literal] of first!.matchAll(LITERAL)) found.add(JSON.parse(literal));
    }
  }
  return found;
}

/** All code, for texts that are handed on before they are translated. */
function code(): string {
  return readdirSync(join(root, "src"), { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".ts"))
    .map((name) => readFileSync(join(root, "src", name), "utf8"))
    .join("\n");
}

describe("the texts that people read", () => {
  const texts = used();
  const german = bundle("bundle.l10n.de.json");

  it("are all in German too", () => {
    expect([...texts].filter((text) => german[text] === undefined)).toEqual([]);
  });
  it("are said somewhere: none is left that nobody reads", () => {
    const all = code();
    expect(Object.keys(german).filter((text) => !all.includes(JSON.stringify(text)))).toEqual([]);
    expect(bundle("bundle.l10n.json")).toEqual(Object.fromEntries(Object.keys(german).map((text) => [text, text])));
  });
  it("keep their placeholders in German", () => {
    const places = (text: string) => [...new Set(text.match(/\{\d\}/g) ?? [])].sort().join();
    expect(Object.entries(german).filter(([text, other]) => places(text) !== places(other))).toEqual([]);
  });
});

describe("the boxes that people write in", () => {
  it("stay when the focus goes elsewhere: what was typed is not lost", () => {
    const boxes: string[] = [];
    for (const name of readdirSync(join(root, "src/vscode"), { recursive: true, encoding: "utf8" })) {
      if (!name.endsWith(".ts")) continue;
      const [, ...calls] = readFileSync(join(root, "src/vscode", name), "utf8").split("showInputBox(");
      for (const call of calls) boxes.push(`${name}: ${call.split(/\n\s*\}\);/)[0]}`);
    }
    expect(boxes.length).toBeGreaterThan(5);
    expect(boxes.filter((box) => !box.includes("ignoreFocusOut: true"))).toEqual([]);
  });
});
