import { describe, expect, it } from "vitest";
import { cleanText, revealText } from "../../src/webview/clean-text.ts";

describe("text that is shown", () => {
  it("loses terminal colours, titles and clipboard writes", () => {
    expect(cleanText("\u001b[31mred\u001b[0m")).toBe("red");
    expect(cleanText("\u001b]0;title\u0007text")).toBe("text");
    expect(cleanText("\u001b]52;c;ZXZpbA==\u001b\\text")).toBe("text");
    expect(cleanText("\u001b]8;;https://evil.example\u001b\\link\u001b]8;;\u001b\\")).toBe("link");
  });

  it("holds no byte below space but tab and newline", () => {
    const all = Array.from({ length: 0x20 }, (_, i) => String.fromCharCode(i)).join("x");
    expect([...cleanText(all)].filter((c) => c < " " && c !== "\t" && c !== "\n")).toEqual([]);
  });

  it("keeps lines where they end in a return", () => {
    expect(cleanText("a\r\nb\rc")).toBe("a\nb\nc");
  });

  it("keeps ordinary text the same", () => {
    const text = "Grüße, мир 🌳\n\tcode";
    expect(cleanText(text)).toBe(text);
  });
});

describe("a command to be approved", () => {
  it("is plain where it is ASCII", () => {
    expect(revealText("ls -la\n\tpwd")).toEqual([{ text: "ls -la\n\tpwd", kind: "plain" }]);
  });

  it("marks letters that only look like ASCII", () => {
    expect(revealText("curl еxample.com")).toEqual([
      { text: "curl ", kind: "plain" },
      { text: "е", kind: "foreign" },
      { text: "xample.com", kind: "plain" },
    ]);
  });

  it.each([
    ["a direction override", "\u202e", "U+202E"],
    ["a zero-width space", "\u200b", "U+200B"],
    ["a no-break space", "\u00a0", "U+00A0"],
    ["a soft hyphen", "\u00ad", "U+00AD"],
    ["an escape", "\u001b", "U+001B"],
    ["a carriage return", "\r", "U+000D"],
    ["a tag character", "\u{e0041}", "U+E0041"],
    ["a variation selector", "\ufe0f", "U+FE0F"],
    ["a Hangul filler", "\u3164", "U+3164"],
    ["a braille blank", "\u2800", "U+2800"],
    ["a combining mark", "\u0301", "U+0301"],
    ["a lone surrogate", "\ud800", "U+D800"],
  ])("names %s by its code point", (_what, character, name) => {
    expect(revealText(`a${character}b`)).toEqual([
      { text: "a", kind: "plain" },
      { text: name, kind: "hidden" },
      { text: "b", kind: "plain" },
    ]);
  });
});
