import { describe, expect, it } from "vitest";
import { emptyChat, fullItems, viewing } from "./support/chat-samples.ts";
import { eachInChat } from "./support/in-chat.ts";

const { chat, box, summary, button } = eachInChat();

describe("looking at an earlier point", () => {
  it("moves only when asked to, with the summary that was chosen", async () => {
    await chat().snapshot(emptyChat({ items: fullItems(), viewing }));
    await summary().selectOption({ label: "Summarise with focus" });
    await chat().page.getByRole("textbox", { name: "Focus of the summary" }).fill("the tests");
    expect(await chat().sent("branch.continue")).toEqual([]);
    await button("Continue from here").click();
    expect(await chat().sent("branch.continue")).toEqual([
      { type: "branch.continue", summary: "custom", instructions: "the tests" },
    ]);
    await button("Back to current").click();
    expect(await chat().sent("branch.leave")).toHaveLength(1);
  });

  it("does not block: the default is taken when a message is sent from there", async () => {
    await chat().snapshot(emptyChat({ items: fullItems(), viewing }));
    await box().fill("Try it differently");
    await box().press("Enter");
    expect((await chat().sent("prompt.submit"))[0]).toMatchObject({ leaving: { summary: "none", instructions: "" } });
  });

  it.each([
    ["always", "standard"],
    ["never", "none"],
  ] as const)("does not ask where the setting says %s", async (ask, expected) => {
    await chat().snapshot(emptyChat({ items: fullItems(), viewing: { ...viewing, ask } }));
    expect(await summary().count()).toBe(0);
    await button("Continue from here").click();
    expect((await chat().sent("branch.continue"))[0]).toMatchObject({ summary: expected });
  });

  it.each([
    ["earlier", "Earlier point of this branch: Earlier", 0],
    ["later", "Later point of this branch: Earlier", 0],
    ["otherBranch", "Another branch: Earlier", 1],
    ["otherBranchPoint", "Earlier point of another branch: Earlier", 1],
  ] as const)("says what is shown (%s) and offers to compare only another branch", async (kind, name, compares) => {
    await chat().snapshot(emptyChat({ items: fullItems(), viewing: { ...viewing, kind } }));
    expect(await chat().page.getByRole("region", { name, exact: true }).isVisible()).toBe(true);
    const compare = button("Compare with the current branch");
    expect(await compare.count()).toBe(compares);
    if (compares === 0) return;
    await compare.click();
    expect(await chat().sent("branch.compare")).toEqual([{ type: "branch.compare" }]);
  });

  it("takes little of a narrow chat and one line of a wide one", async () => {
    const heights: number[] = [];
    for (const width of [290, 700]) {
      await chat().page.setViewportSize({ width, height: 720 });
      await chat().snapshot(emptyChat({ items: fullItems(), viewing: { ...viewing, title: "Words ".repeat(40) } }));
      heights.push((await chat().page.locator(".viewing").boundingBox())!.height);
    }
    expect(heights[0]).toBeLessThanOrEqual(84);
    expect(heights[1]).toBeLessThanOrEqual(40);
  });

  it("steps between siblings", async () => {
    await chat().snapshot(emptyChat({ items: fullItems() }));
    await button("Previous branch").click();
    await button("Next branch").click();
    expect((await chat().sent("branch.show")).map((one) => one.entryId)).toEqual(["u1a", "u1c"]);
    expect(await chat().page.getByText("2/3").isVisible()).toBe(true);
  });
});
