import { describe, expect, it } from "vitest";
import { remainingText, sendRefusal, slashMatches } from "../../src/webview/composer-draft.ts";
import { draftsToKeep, readSavedPage } from "../../src/webview/saved-page.ts";
import { emptyChat } from "./support/chat-samples.ts";

describe("what stays in the composer", () => {
  it("is nothing when the text is what was sent", () => {
    expect(remainingText("hello", "hello")).toBe("");
  });

  it("is what was typed after it", () => {
    expect(remainingText("hello", "hello\nand more")).toBe("and more");
  });

  it("is everything when the text was rewritten meanwhile", () => {
    expect(remainingText("hello", "goodbye")).toBe("goodbye");
  });
});

describe("whether a message can be sent", () => {
  it("is refused with a reason without trust, without a model, and in a read-only session", () => {
    expect(sendRefusal(emptyChat())).toBe("");
    expect(sendRefusal(null)).not.toBe("");
    expect(sendRefusal(emptyChat({ trusted: false }))).toContain("Restricted Mode");
    expect(sendRefusal(emptyChat({ model: null }))).toContain("model");
    const session = { id: "s", title: "", fromPi: false, readOnlyReason: "Written by a newer version" };
    expect(sendRefusal(emptyChat({ session }))).toBe("Written by a newer version");
  });
});

describe("commands behind a slash", () => {
  const commands = emptyChat().slashCommands;

  it("are found by their beginning, with or without capitals", () => {
    expect(slashMatches("/", commands)).toHaveLength(3);
    expect(slashMatches("/CO", commands)?.map((one) => one.name)).toEqual(["compact"]);
  });

  it("are not looked for in text or behind arguments", () => {
    expect(slashMatches("a /co", commands)).toBeUndefined();
    expect(slashMatches("/compact the tests", commands)).toBeUndefined();
    expect(slashMatches("/zzz", commands)).toBeUndefined();
  });
});

describe("what outlives the page", () => {
  it("reads what is missing or misshapen as nothing", () => {
    for (const kept of [undefined, null, 3, "x", {}, { drafts: [["a", { text: 5 }], "b"], folds: 1, scroll: {} }]) {
      expect(readSavedPage(kept)).toEqual({
        sessionId: null,
        drafts: [],
        scroll: null,
        folds: [],
        given: [],
        revision: 0,
        bare: [],
      });
    }
  });

  it("keeps the text of a draft whose pictures are too large to keep", () => {
    const big = { mimeType: "image/png" as const, data: "A".repeat(2_000_000) };
    const kept = draftsToKeep(new Map([["s1", { text: "look", caret: [4, 4] as [number, number], images: [big] }]]));
    expect(kept).toEqual({ drafts: [["s1", { text: "look", caret: [4, 4], images: [] }]], bare: ["s1"] });
  });

  it("does not keep empty drafts, and of many the latest", () => {
    const drafts = new Map(
      Array.from({ length: 40 }, (_, i) => [
        `s${i}`,
        { text: i === 39 ? "" : "x", caret: [0, 0] as [number, number], images: [] },
      ]),
    );
    const { drafts: kept } = draftsToKeep(drafts);
    expect(kept).toHaveLength(20);
    expect(kept.at(-1)![0]).toBe("s38");
  });
});
