import { describe, expect, it } from "vitest";
import { commandApproval, editApproval, emptyChat, fullItems } from "./support/chat-samples.ts";
import { eachInChat } from "./support/in-chat.ts";

const { chat, box, button, focused } = eachInChat();

describe("an approval", () => {
  it("takes the focus only from the composer, and Enter there approves nothing", async () => {
    await chat().snapshot(emptyChat({ phase: "turn" }));
    await box().focus();
    await chat().frame({ op: "state.patch", patch: { approvals: [editApproval] } });
    expect(await focused()).toBe("Approval");
    await chat().page.keyboard.press("Enter");
    await chat().page.keyboard.press("Space");
    expect(await chat().sent("approval.answer")).toEqual([]);
  });

  it("leaves the focus where it was when that was not the composer", async () => {
    await chat().snapshot(emptyChat({ phase: "turn", items: fullItems() }));
    await button("Model").focus();
    await chat().frame({ op: "state.patch", patch: { approvals: [editApproval] } });
    expect(await focused()).toBe("Model");
  });

  it("loses no letter of what is being typed", async () => {
    await chat().snapshot(emptyChat({ phase: "turn" }));
    await box().pressSequentially("I was ty");
    await chat().frame({ op: "state.patch", patch: { approvals: [commandApproval] } });
    await chat().page.keyboard.type("ping this");
    expect(await box().inputValue()).toBe("I was typing this");
    expect(await chat().sent("approval.answer")).toEqual([]);
  });

  it("answers with its own nonce and gives the focus back", async () => {
    await chat().snapshot(emptyChat({ phase: "turn" }));
    await box().focus();
    await chat().frame({ op: "state.patch", patch: { approvals: [editApproval, commandApproval] } });
    const group = chat().page.getByRole("group", { name: "Approval" });
    await group.getByRole("button", { name: "Allow for session" }).click();
    expect(await focused()).toBe("Message Coppice");
    expect(await chat().sent("approval.answer")).toEqual([
      { type: "approval.answer", nonce: "n-edit", decision: "allowForSession" },
    ]);
    await chat().frame({ op: "state.patch", patch: { approvals: [commandApproval] } });
    await group.getByRole("button", { name: "Deny", exact: true }).click();
    expect((await chat().sent("approval.answer")).at(-1)).toMatchObject({ nonce: "n-command", decision: "deny" });
    await chat().frame({ op: "state.patch", patch: { approvals: [] } });
    expect(await group.count()).toBe(0);
  });

  it("does not let a double click answer the next question as well", async () => {
    await chat().snapshot(
      emptyChat({ phase: "turn", approvals: [commandApproval, { ...commandApproval, nonce: "n-2" }] }),
    );
    await button("Allow").click();
    const spot = (await button("Allow").boundingBox())!;
    await chat().frame({ op: "state.patch", patch: { approvals: [{ ...commandApproval, nonce: "n-2" }] } });
    await chat().page.mouse.click(spot.x + 5, spot.y + 5);
    expect((await chat().sent("approval.answer")).map((one) => one.nonce)).toEqual(["n-command"]);
    await button("Allow").click();
    expect((await chat().sent("approval.answer")).map((one) => one.nonce)).toEqual(["n-command", "n-2"]);
  });

  it("shows the whole command with what cannot be seen or only looks like ASCII marked", async () => {
    await chat().snapshot(
      emptyChat({ phase: "turn", approvals: [{ ...commandApproval, command: `echo ${"a".repeat(3000)} \u202eend` }] }),
    );
    const command = chat().page.getByRole("group", { name: "Command" });
    expect(await command.evaluate((element) => element.textContent)).toBe(`echo ${"a".repeat(3000)} U+202Eend`);
    expect(await command.locator("mark").allInnerTexts()).toEqual(["U+202E"]);
    expect(await button("Allow for session").count()).toBe(0);
  });

  it("shows the change and opens it in the editor", async () => {
    await chat().snapshot(emptyChat({ phase: "turn", approvals: [editApproval] }));
    const group = chat().page.getByRole("group", { name: "Approval" });
    expect(await group.textContent()).toContain("-  return send(file);");
    await group.getByRole("button", { name: "Open diff" }).click();
    expect(await chat().sent("diff.open")).toEqual([{ type: "diff.open", callId: "call-t2" }]);
  });
});
