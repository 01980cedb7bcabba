import { readFile } from "node:fs/promises";
import { describe, expect, it } from "vitest";

const css = await readFile(new URL("../../media/chat.css", import.meta.url), "utf8");
const rules = css.replace(/\/\*.*?\*\//gs, "");

describe("the look", () => {
  it("takes every colour from the theme", () => {
    expect(rules.match(/#[0-9a-f]{3,8}\b|\b(?:rgb|hsl|hwb|lab|lch|oklab|oklch)a?\(/gi)).toBeNull();
    const names =
      /(?:color|background|border|outline|stroke|fill|shadow)[\w-]*:[^;]*\b(?:white|black|red|green|blue|yellow|orange|gray|grey)\b[^-;]*;/gi;
    expect((rules.match(names) ?? []).filter((line) => !/--vscode-[\w-]*(?:green|red|yellow)/.test(line))).toEqual([]);
  });

  it("loads nothing", () => {
    expect(rules).not.toMatch(/url\(|@import|@font-face/i);
  });

  it("uses only the editor's variables and its own", () => {
    const own = new Set([...rules.matchAll(/(--[\w-]+)\s*:/g)].map((match) => match[1]));
    const used = [...rules.matchAll(/var\((--[\w-]+)/g)].map((match) => match[1]!);
    expect(used.filter((name) => !name.startsWith("--vscode-") && !own.has(name))).toEqual([]);
  });
});
