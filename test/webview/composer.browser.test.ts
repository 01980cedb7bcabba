import type { Browser } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { fromWebviewSchema } from "../../src/protocol/from-webview.ts";
import type { ToWebview } from "../../src/protocol/to-webview.ts";
import { ChatDriver, launchBrowser } from "./support/chat-driver.ts";
import { commandApproval, editApproval, emptyChat, fullItems, reply, user, viewing } from "./support/chat-samples.ts";
import { type PageServer, startPageServer } from "./support/page-server.ts";

let server: PageServer;
let browser: Browser;
let chat: ChatDriver;
beforeAll(async () => {
  [server, browser] = await Promise.all([startPageServer(), launchBrowser()]);
});
afterAll(async () => {
  await browser?.close();
  await server?.close();
});
beforeEach(async () => {
  chat = await ChatDriver.open(browser, server);
});
afterEach(async () => {
  // Whatever a test made the page say must be what the host accepts.
  for (const message of await chat.page.evaluate(() => window.sent)) fromWebviewSchema.parse(message);
  expect(chat.errors).toEqual([]);
  await chat.close();
});

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg";
const box = () => chat.page.getByRole("textbox", { name: "Message Coppice" });
const summary = () => chat.page.getByRole("combobox", { name: "Summary of the branch being left" });
const button = (name: string) => chat.page.getByRole("button", { name, exact: true });
const focused = () => chat.page.evaluate(() => document.activeElement?.getAttribute("aria-label"));

describe("the composer", () => {
  it("sends with Enter, keeps the draft until it is accepted, and the focus with it", async () => {
    await chat.snapshot(emptyChat());
    await box().fill("Hello");
    await box().press("Enter");
    const [sent] = await chat.sent("prompt.submit");
    expect(sent).toMatchObject({ text: "Hello", mode: "steer", images: [] });
    expect(await box().inputValue()).toBe("Hello");
    await chat.say({ type: "prompt.accepted", submitId: sent!.submitId });
    expect(await box().inputValue()).toBe("");
    expect(await focused()).toBe("Message Coppice");
  });

  it("does not send the same text twice while it waits for the answer", async () => {
    await chat.snapshot(emptyChat());
    await box().fill("Once");
    await box().press("Enter");
    await box().press("Enter");
    expect(await chat.sent("prompt.submit")).toHaveLength(1);
  });

  it("asks again after a long wait for the same message, not for another one", async () => {
    await chat.snapshot(emptyChat());
    await box().fill("Once");
    await box().press("Enter");
    await chat.page.evaluate(() => {
      const now = Date.now;
      Date.now = () => now() + 60_000;
    });
    await box().press("Enter");
    await box().pressSequentially("!");
    await box().press("Enter");
    const ids = (await chat.sent("prompt.submit")).map((sent) => sent.submitId);
    expect(ids).toHaveLength(3);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it("keeps what was typed after sending", async () => {
    await chat.snapshot(emptyChat());
    await box().fill("Hello");
    await box().press("Enter");
    await box().pressSequentially(" and more");
    const [sent] = await chat.sent("prompt.submit");
    await chat.say({ type: "prompt.accepted", submitId: sent!.submitId });
    expect(await box().inputValue()).toBe("and more");
  });

  it("keeps the text and says why when the prompt is refused", async () => {
    await chat.snapshot(emptyChat());
    await box().fill("Hello");
    await button("Send").click();
    const [sent] = await chat.sent("prompt.submit");
    await chat.say({ type: "prompt.refused", submitId: sent!.submitId, reason: "The key was not accepted." });
    expect(await box().inputValue()).toBe("Hello");
    expect(await chat.page.getByRole("alert").filter({ hasText: "The key was not accepted." }).isVisible()).toBe(true);
    await button("Send").click();
    expect(await chat.sent("prompt.submit")).toHaveLength(2);
  });

  it("breaks the line with Shift+Enter and grows with it", async () => {
    await chat.snapshot(emptyChat());
    const height = async () => (await box().boundingBox())!.height;
    const before = await height();
    await box().pressSequentially("a");
    await box().press("Shift+Enter");
    await box().press("Shift+Enter");
    await box().pressSequentially("b");
    expect(await box().inputValue()).toBe("a\n\nb");
    expect(await height()).toBeGreaterThan(before + 20);
    expect(await chat.sent("prompt.submit")).toEqual([]);
  });

  it("does not send while an input method composes", async () => {
    await chat.snapshot(emptyChat());
    await box().fill("にほん");
    await box().evaluate((element) => {
      element.dispatchEvent(
        new KeyboardEvent("keydown", { key: "Enter", isComposing: true, bubbles: true, cancelable: true }),
      );
      element.dispatchEvent(
        new KeyboardEvent("keydown", {
          key: "Enter",
          keyCode: 229,
          bubbles: true,
          cancelable: true,
        } as KeyboardEventInit),
      );
    });
    expect(await chat.sent("prompt.submit")).toEqual([]);
  });

  it("steers a run with Enter, waits for its end with Alt+Enter, and stops it with Esc", async () => {
    await chat.snapshot(emptyChat({ phase: "turn" }));
    expect(await button("Stop").isVisible()).toBe(true);
    await box().fill("Look here");
    await box().press("Enter");
    await box().fill("Afterwards");
    await box().press("Alt+Enter");
    expect((await chat.sent("prompt.submit")).map((one) => one.mode)).toEqual(["steer", "followUp"]);
    await box().press("Escape");
    expect(await chat.sent("run.stop")).toHaveLength(1);
    await button("Stop").click();
    expect(await chat.sent("run.stop")).toHaveLength(2);
  });

  it("offers the follow-up by mouse too", async () => {
    await chat.snapshot(emptyChat({ phase: "turn" }));
    await box().fill("Afterwards");
    await button("Send options").click();
    await chat.page.getByRole("menuitem", { name: /After this run/ }).click();
    expect((await chat.sent("prompt.submit"))[0]).toMatchObject({ text: "Afterwards", mode: "followUp" });
  });

  it("does not stop anything with Esc when nothing runs", async () => {
    await chat.snapshot(emptyChat());
    await box().press("Escape");
    expect(await chat.sent("run.stop")).toEqual([]);
  });

  it("lists what is queued and lets it be removed", async () => {
    await chat.snapshot(emptyChat({ phase: "turn", queue: [{ id: "q1", text: "Later", mode: "followUp" }] }));
    const list = chat.page.getByRole("list", { name: "Queued messages" });
    expect(await list.textContent()).toContain("Later");
    await list.getByRole("button", { name: "Remove from queue" }).click();
    expect(await chat.sent("queue.remove")).toEqual([{ type: "queue.remove", id: "q1" }]);
  });

  it("recalls what was said with Up in an empty box, and comes back with Down", async () => {
    await chat.snapshot(emptyChat({ items: [user("u1", "first"), reply("a1", "x"), user("u2", "second")] }));
    await box().press("ArrowUp");
    expect(await box().inputValue()).toBe("second");
    await box().press("ArrowUp");
    expect(await box().inputValue()).toBe("first");
    await box().press("ArrowDown");
    await box().press("ArrowDown");
    expect(await box().inputValue()).toBe("");
    await box().fill("my draft");
    await box().press("ArrowUp");
    expect(await box().inputValue()).toBe("my draft");
  });

  it("completes commands behind a slash, and sends one that is complete", async () => {
    await chat.snapshot(emptyChat());
    await box().pressSequentially("/");
    expect(await chat.page.getByRole("option").count()).toBe(3);
    await box().press("ArrowDown");
    await box().press("Tab");
    expect(await box().inputValue()).toBe("/tree ");
    await box().fill("/compact");
    await box().press("Enter");
    expect((await chat.sent("prompt.submit"))[0]).toMatchObject({ text: "/compact" });
  });

  it("closes the list of commands with Esc before it stops a run", async () => {
    await chat.snapshot(emptyChat({ phase: "turn" }));
    await box().pressSequentially("/");
    await box().press("Escape");
    expect(await chat.page.getByRole("option").count()).toBe(0);
    expect(await chat.sent("run.stop")).toEqual([]);
  });

  it("takes pasted pictures, shows them, sends them, and refuses other files in words", async () => {
    await chat.snapshot(emptyChat());
    const paste = (name: string, type: string) =>
      box().evaluate(
        (element, file) => {
          const data = new DataTransfer();
          data.items.add(new File([Uint8Array.from([137, 80, 78, 71])], file.name, { type: file.type }));
          element.dispatchEvent(new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true }));
        },
        { name, type },
      );
    await paste("shot.png", "image/png");
    const chips = chat.page.getByRole("list", { name: "Attachments" });
    await expect.poll(() => chips.locator("img").count()).toBe(1);
    await paste("notes.pdf", "application/pdf");
    await expect.poll(() => chat.page.getByText("notes.pdf is not a picture").count()).toBe(1);
    await button("Send").click();
    const [sent] = await chat.sent("prompt.submit");
    expect(sent!.images).toEqual([{ mimeType: "image/png", data: "iVBORw==" }]);
    await chat.say({ type: "prompt.accepted", submitId: sent!.submitId });
    expect(await chips.count()).toBe(0);
  });

  it("hands dropped files to the host by their address", async () => {
    await chat.snapshot(emptyChat());
    await chat.page.evaluate(() => {
      const data = new DataTransfer();
      data.setData("application/vnd.code.uri-list", "vscode-remote://wsl/home/a.ts\r\nfile:///home/b.ts");
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    expect(await chat.sent("files.dropped")).toEqual([
      { type: "files.dropped", uris: ["vscode-remote://wsl/home/a.ts", "file:///home/b.ts"] },
    ]);
  });

  it("lets the host put text in without losing a draft", async () => {
    await chat.snapshot(emptyChat());
    await chat.say({ type: "composer.add", id: "w1", text: "edit me", images: [], focus: true });
    expect(await box().inputValue()).toBe("edit me");
    await box().fill("my draft");
    await chat.say({ type: "composer.add", id: "w2", text: "from the host", images: [], focus: false });
    expect(await box().inputValue()).toContain("my draft");
    expect(await box().inputValue()).toContain("from the host");
  });

  it("takes words that come back once, also after a new start, and says when they have left the composer", async () => {
    await chat.snapshot(emptyChat());
    const add: ToWebview = { type: "composer.add", id: "once", text: "was queued", images: [], focus: false };
    await chat.say(add);
    await chat.say(add);
    expect(await box().inputValue()).toBe("was queued");
    await chat.page.reload();
    await chat.snapshot(emptyChat());
    await chat.say(add);
    expect(await box().inputValue()).toBe("was queued");
    expect(await chat.sent("composer.done")).toEqual([]);
    await box().fill("");
    await expect.poll(() => chat.sent("composer.done")).toEqual([{ type: "composer.done", id: "once" }]);
    await chat.say(add);
    expect(await box().inputValue()).toBe("");
    await expect.poll(async () => (await chat.sent("composer.done")).length).toBe(2);
  });

  it("has pictures that are too large to be kept once more from the host, once", async () => {
    const pictures = () => chat.page.getByRole("button", { name: /^Remove .*(picture|image)/i }).count();
    await chat.snapshot(emptyChat());
    const images = [{ mimeType: "image/png", data: PIXEL + "A".repeat(1_600_000) }];
    const add: ToWebview = { type: "composer.add", id: "large", text: "look at this", images, focus: false };
    await chat.say(add);
    expect(await pictures()).toBe(1);
    await chat.page.reload();
    await chat.snapshot(emptyChat());
    expect([await box().inputValue(), await pictures()]).toEqual(["look at this", 0]);
    await chat.say(add);
    await chat.say(add);
    expect([await box().inputValue(), await pictures()]).toEqual(["look at this", 1]);
    await box().fill("");
    await box().focus();
  });

  it("keeps a draft over a new start whose session comes later than the page", async () => {
    await chat.snapshot(emptyChat());
    await chat.say({ type: "composer.add", id: "late", text: "was queued", images: [], focus: false });
    await chat.page.reload();
    await chat.snapshot(emptyChat({ session: null }));
    expect(await box().inputValue()).toBe("");
    await box().fill("typed early");
    await chat.snapshot(emptyChat());
    expect(await box().inputValue()).toBe("was queued\n\ntyped early");
    await chat.say({ type: "composer.add", id: "late", text: "was queued", images: [], focus: false });
    expect(await box().inputValue()).toBe("was queued\n\ntyped early");
    expect(await chat.sent("composer.done")).toEqual([]);
  });

  describe("and a draft that the host has kept", () => {
    const kept = (text: string, revision: number, given: string[] = []): ToWebview => ({
      ...{ type: "draft.kept", sessionId: emptyChat().session!.id, text, revision, given },
    });
    const told = async () => (await chat.sent("draft.changed")).map(({ text, given }) => [text, given]);

    it("tells the host of each change, once it has said what it has", async () => {
      await chat.snapshot(emptyChat());
      await box().fill("too early");
      await chat.page.waitForTimeout(400);
      expect(await told()).toEqual([]);
      await chat.say(kept("", 0));
      await box().fill("in time");
      await expect.poll(told).toEqual([["in time", []]]);
      await chat.say({ type: "composer.add", id: "g", text: "given", images: [], focus: false });
      await expect.poll(async () => (await told()).at(-1)).toEqual(["in time\n\ngiven", ["g"]]);
    });

    it("shows it where the page came back with less, and what it holds is not given again", async () => {
      await chat.snapshot(emptyChat());
      await chat.say(kept("typed before the window died", 7, ["g"]));
      expect(await box().inputValue()).toBe("typed before the window died");
      await chat.say({ type: "composer.add", id: "g", text: "typed before", images: [], focus: false });
      await chat.say(kept("typed before the window died", 7, ["g"]));
      expect(await box().inputValue()).toBe("typed before the window died");
    });

    it("goes with the session that its first message makes", async () => {
      await chat.snapshot(emptyChat({ session: null }));
      await chat.say({ type: "draft.kept", sessionId: "", text: "", revision: 0, given: [] });
      await box().fill("the first message");
      await expect.poll(told).toEqual([["the first message", []]]);
      await chat.snapshot(emptyChat());
      expect(await box().inputValue()).toBe("the first message");
      expect((await chat.sent("draft.changed")).at(-1)).toMatchObject({ sessionId: "", text: "" });
    });

    it("puts it before what was typed meanwhile", async () => {
      await chat.snapshot(emptyChat());
      await box().fill("typed early");
      await chat.say(kept("from before", 3));
      expect(await box().inputValue()).toBe("from before\n\ntyped early");
    });

    it("takes nothing of what was typed before the session came", async () => {
      await chat.snapshot(emptyChat({ session: null }));
      await box().fill("typed early");
      await chat.snapshot(emptyChat());
      await chat.say(kept("", 3));
      expect(await box().inputValue()).toBe("typed early");
    });

    it("leaves a page alone that came back with all of it, and one that shows another session", async () => {
      await chat.snapshot(emptyChat());
      await chat.say(kept("", 0));
      await box().fill("first");
      await expect.poll(told).toEqual([["first", []]]);
      await box().fill("second");
      await expect.poll(async () => (await told()).length).toBe(2);
      await chat.page.reload();
      await chat.snapshot(emptyChat());
      await chat.say(kept("first", 1));
      expect(await box().inputValue()).toBe("second");
      await chat.say({ ...kept("another's", 99), sessionId: "another" } as ToWebview);
      expect(await box().inputValue()).toBe("second");
    });

    it("takes a text away that the page came back with and that was sent since", async () => {
      await chat.snapshot(emptyChat());
      await box().fill("sent meanwhile");
      await chat.page.waitForTimeout(400);
      await chat.page.reload();
      await chat.snapshot(emptyChat());
      expect(await box().inputValue()).toBe("sent meanwhile");
      await chat.say(kept("", 5));
      expect(await box().inputValue()).toBe("");
    });
  });

  it("asks for a summary to edit only where one is wanted, by button and by sending", async () => {
    await chat.snapshot(emptyChat({ viewing: { ...viewing, abandonedEntries: 3 } }));
    const edit = chat.page.getByRole("checkbox", { name: "Edit the summary before it is attached" });
    const go = chat.page.getByRole("button", { name: "Continue from here" });
    const last = async () => (await chat.sent("branch.continue")).at(-1);
    expect(await edit.isVisible()).toBe(false);
    await summary().selectOption({ label: "Summarise" });
    await go.click();
    expect(await last()).toEqual({ type: "branch.continue", summary: "standard", instructions: "" });
    await edit.check();
    await go.click();
    expect(await last()).toEqual({ type: "branch.continue", summary: "standard", instructions: "", edit: true });
    await box().fill("on");
    await box().press("Enter");
    expect((await chat.sent("prompt.submit")).at(-1)?.leaving?.edit).toBe(true);
    await summary().selectOption({ label: "No summary" });
    await go.click();
    expect(await last()).toEqual({ type: "branch.continue", summary: "none", instructions: "" });
  });

  it("keeps a draft per session, and carries one into the session that it begins", async () => {
    await chat.snapshot(emptyChat({ session: null }));
    await box().fill("a new start");
    await chat.snapshot(emptyChat());
    expect(await box().inputValue()).toBe("a new start");
    const other = emptyChat({ session: { id: "s2", title: "Other", fromPi: false } });
    await chat.snapshot(other);
    expect(await box().inputValue()).toBe("");
    await box().fill("for the other");
    await chat.snapshot(emptyChat());
    expect(await box().inputValue()).toBe("a new start");
    await chat.snapshot(other);
    expect(await box().inputValue()).toBe("for the other");
  });

  it("cannot send without trust, and says so", async () => {
    await chat.snapshot(emptyChat({ trusted: false }));
    await box().fill("Hello");
    expect(await button("Send").isDisabled()).toBe(true);
    await box().press("Enter");
    expect(await chat.sent("prompt.submit")).toEqual([]);
    expect(await chat.page.getByText("Trust this workspace").isVisible()).toBe(true);
    expect(await box().inputValue()).toBe("Hello");
  });

  it("picks the model, the thinking level and the approvals", async () => {
    await chat.snapshot(emptyChat());
    await button("Model").click();
    await button("Thinking").click();
    await button("Approvals").click();
    await chat.page.getByRole("menuitemradio", { name: /Allow edits/ }).press("Enter");
    expect(await focused()).toBe("Approvals");
    expect(await chat.sent("model.pick")).toHaveLength(1);
    expect(await chat.sent("thinking.pick")).toHaveLength(1);
    expect(await chat.sent("approvals.setMode")).toEqual([{ type: "approvals.setMode", mode: "edits" }]);
  });
});

describe("an approval", () => {
  it("takes the focus only from the composer, and Enter there approves nothing", async () => {
    await chat.snapshot(emptyChat({ phase: "turn" }));
    await box().focus();
    await chat.frame({ op: "state.patch", patch: { approvals: [editApproval] } });
    expect(await focused()).toBe("Approval");
    await chat.page.keyboard.press("Enter");
    await chat.page.keyboard.press("Space");
    expect(await chat.sent("approval.answer")).toEqual([]);
  });

  it("leaves the focus where it was when that was not the composer", async () => {
    await chat.snapshot(emptyChat({ phase: "turn", items: fullItems() }));
    await button("Model").focus();
    await chat.frame({ op: "state.patch", patch: { approvals: [editApproval] } });
    expect(await focused()).toBe("Model");
  });

  it("loses no letter of what is being typed", async () => {
    await chat.snapshot(emptyChat({ phase: "turn" }));
    await box().pressSequentially("I was ty");
    await chat.frame({ op: "state.patch", patch: { approvals: [commandApproval] } });
    await chat.page.keyboard.type("ping this");
    expect(await box().inputValue()).toBe("I was typing this");
    expect(await chat.sent("approval.answer")).toEqual([]);
  });

  it("answers with its own nonce and gives the focus back", async () => {
    await chat.snapshot(emptyChat({ phase: "turn" }));
    await box().focus();
    await chat.frame({ op: "state.patch", patch: { approvals: [editApproval, commandApproval] } });
    const group = chat.page.getByRole("group", { name: "Approval" });
    await group.getByRole("button", { name: "Allow for session" }).click();
    expect(await focused()).toBe("Message Coppice");
    expect(await chat.sent("approval.answer")).toEqual([
      { type: "approval.answer", nonce: "n-edit", decision: "allowForSession" },
    ]);
    await chat.frame({ op: "state.patch", patch: { approvals: [commandApproval] } });
    await group.getByRole("button", { name: "Deny", exact: true }).click();
    expect((await chat.sent("approval.answer")).at(-1)).toMatchObject({ nonce: "n-command", decision: "deny" });
    await chat.frame({ op: "state.patch", patch: { approvals: [] } });
    expect(await group.count()).toBe(0);
  });

  it("does not let a double click answer the next question as well", async () => {
    await chat.snapshot(
      emptyChat({ phase: "turn", approvals: [commandApproval, { ...commandApproval, nonce: "n-2" }] }),
    );
    await button("Allow").click();
    const spot = (await button("Allow").boundingBox())!;
    await chat.frame({ op: "state.patch", patch: { approvals: [{ ...commandApproval, nonce: "n-2" }] } });
    await chat.page.mouse.click(spot.x + 5, spot.y + 5);
    expect((await chat.sent("approval.answer")).map((one) => one.nonce)).toEqual(["n-command"]);
    await button("Allow").click();
    expect((await chat.sent("approval.answer")).map((one) => one.nonce)).toEqual(["n-command", "n-2"]);
  });

  it("shows the whole command with what cannot be seen or only looks like ASCII marked", async () => {
    await chat.snapshot(
      emptyChat({ phase: "turn", approvals: [{ ...commandApproval, command: `echo ${"a".repeat(3000)} \u202eend` }] }),
    );
    const command = chat.page.getByRole("group", { name: "Command" });
    expect(await command.evaluate((element) => element.textContent)).toBe(`echo ${"a".repeat(3000)} U+202Eend`);
    expect(await command.locator("mark").allInnerTexts()).toEqual(["U+202E"]);
    expect(await button("Allow for session").count()).toBe(0);
  });

  it("shows the change and opens it in the editor", async () => {
    await chat.snapshot(emptyChat({ phase: "turn", approvals: [editApproval] }));
    const group = chat.page.getByRole("group", { name: "Approval" });
    expect(await group.textContent()).toContain("-  return send(file);");
    await group.getByRole("button", { name: "Open diff" }).click();
    expect(await chat.sent("diff.open")).toEqual([{ type: "diff.open", callId: "call-t2" }]);
  });
});

describe("looking at an earlier point", () => {
  it("moves only when asked to, with the summary that was chosen", async () => {
    await chat.snapshot(emptyChat({ items: fullItems(), viewing }));
    await summary().selectOption({ label: "Summarise with focus" });
    await chat.page.getByRole("textbox", { name: "Focus of the summary" }).fill("the tests");
    expect(await chat.sent("branch.continue")).toEqual([]);
    await button("Continue from here").click();
    expect(await chat.sent("branch.continue")).toEqual([
      { type: "branch.continue", summary: "custom", instructions: "the tests" },
    ]);
    await button("Back to current").click();
    expect(await chat.sent("branch.leave")).toHaveLength(1);
  });

  it("does not block: the default is taken when a message is sent from there", async () => {
    await chat.snapshot(emptyChat({ items: fullItems(), viewing }));
    await box().fill("Try it differently");
    await box().press("Enter");
    expect((await chat.sent("prompt.submit"))[0]).toMatchObject({ leaving: { summary: "none", instructions: "" } });
  });

  it.each([
    ["always", "standard"],
    ["never", "none"],
  ] as const)("does not ask where the setting says %s", async (ask, expected) => {
    await chat.snapshot(emptyChat({ items: fullItems(), viewing: { ...viewing, ask } }));
    expect(await summary().count()).toBe(0);
    await button("Continue from here").click();
    expect((await chat.sent("branch.continue"))[0]).toMatchObject({ summary: expected });
  });

  it.each([
    ["earlier", "Earlier point of this branch: Earlier", 0],
    ["later", "Later point of this branch: Earlier", 0],
    ["otherBranch", "Another branch: Earlier", 1],
    ["otherBranchPoint", "Earlier point of another branch: Earlier", 1],
  ] as const)("says what is shown (%s) and offers to compare only another branch", async (kind, name, compares) => {
    await chat.snapshot(emptyChat({ items: fullItems(), viewing: { ...viewing, kind } }));
    expect(await chat.page.getByRole("region", { name, exact: true }).isVisible()).toBe(true);
    const compare = button("Compare with the current branch");
    expect(await compare.count()).toBe(compares);
    if (compares === 0) return;
    await compare.click();
    expect(await chat.sent("branch.compare")).toEqual([{ type: "branch.compare" }]);
  });

  it("takes little of a narrow chat and one line of a wide one", async () => {
    const heights: number[] = [];
    for (const width of [290, 700]) {
      await chat.page.setViewportSize({ width, height: 720 });
      await chat.snapshot(emptyChat({ items: fullItems(), viewing: { ...viewing, title: "Words ".repeat(40) } }));
      heights.push((await chat.page.locator(".viewing").boundingBox())!.height);
    }
    expect(heights[0]).toBeLessThanOrEqual(84);
    expect(heights[1]).toBeLessThanOrEqual(40);
  });

  it("steps between siblings", async () => {
    await chat.snapshot(emptyChat({ items: fullItems() }));
    await button("Previous branch").click();
    await button("Next branch").click();
    expect((await chat.sent("branch.show")).map((one) => one.entryId)).toEqual(["u1a", "u1c"]);
    expect(await chat.page.getByText("2/3").isVisible()).toBe(true);
  });
});
