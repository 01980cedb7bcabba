import { describe, expect, it, vi } from "vitest";

vi.mock("vscode", async () => await import("../support/fake-vscode.ts"));
const { rowTexts } = await import("../../src/vscode/tree-labels.ts");

describe("the texts of a row", () => {
  it("say the state before the words, which may be too long for the side bar", () => {
    expect(rowTexts(["position", "", "“release”"], "Written. The version is 0.2.0.", ["09:54", "2.6k"])).toEqual({
      label: "position · “release”",
      description: "Written. The version is 0.2.0. · 09:54 · 2.6k",
    });
  });

  it("are words and facts where there is no state to tell", () => {
    expect(rowTexts(["", ""], "Written.", ["09:54", ""])).toEqual({ label: "Written.", description: "09:54" });
  });
});
