import { describe, expect, it } from "vitest";
import type { ToWebview } from "../../src/protocol/to-webview.ts";
import { emptyChat, reply, user, viewing } from "./support/chat-samples.ts";
import { eachInChat } from "./support/in-chat.ts";

const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg";
const { chat, box, summary, button, focused } = eachInChat();

describe("the composer", () => {
  it("sends with Enter, keeps the draft until it is accepted, and the focus with it", async () => {
    await chat().snapshot(emptyChat());
    await box().fill("Hello");
    await box().press("Enter");
    const [sent] = await chat().sent("prompt.submit");
    expect(sent).toMatchObject({ text: "Hello", mode: "steer", images: [] });
    expect(await box().inputValue()).toBe("Hello");
    await chat().say({ type: "prompt.accepted", submitId: sent!.submitId });
    expect(await box().inputValue()).toBe("");
    expect(await focused()).toBe("Message Coppice");
  });

  it("does not send the same text twice while it waits for the answer", async () => {
    await chat().snapshot(emptyChat());
    await box().fill("Once");
    await box().press("Enter");
    await box().press("Enter");
    expect(await chat().sent("prompt.submit")).toHaveLength(1);
  });

  it("asks again after a long wait for the same message, not for another one", async () => {
    await chat().snapshot(emptyChat());
    await box().fill("Once");
    await box().press("Enter");
    await chat().page.evaluate(() => {
      const now = Date.now;
      Date.now = () => now() + 60_000;
    });
    await box().press("Enter");
    await box().pressSequentially("!");
    await box().press("Enter");
    const ids = (await chat().sent("prompt.submit")).map((sent) => sent.submitId);
    expect(ids).toHaveLength(3);
    expect(ids[1]).toBe(ids[0]);
    expect(ids[2]).not.toBe(ids[0]);
  });

  it("keeps what was typed after sending", async () => {
    await chat().snapshot(emptyChat());
    await box().fill("Hello");
    await box().press("Enter");
    await box().pressSequentially(" and more");
    const [sent] = await chat().sent("prompt.submit");
    await chat().say({ type: "prompt.accepted", submitId: sent!.submitId });
    expect(await box().inputValue()).toBe("and more");
  });

  it("keeps the text and says why when the prompt is refused", async () => {
    await chat().snapshot(emptyChat());
    await box().fill("Hello");
    await button("Send").click();
    const [sent] = await chat().sent("prompt.submit");
    await chat().say({ type: "prompt.refused", submitId: sent!.submitId, reason: "The key was not accepted." });
    expect(await box().inputValue()).toBe("Hello");
    expect(await chat().page.getByRole("alert").filter({ hasText: "The key was not accepted." }).isVisible()).toBe(
      true,
    );
    await button("Send").click();
    expect(await chat().sent("prompt.submit")).toHaveLength(2);
  });

  it("breaks the line with Shift+Enter and grows with it", async () => {
    await chat().snapshot(emptyChat());
    const height = async () => (await box().boundingBox())!.height;
    const before = await height();
    await box().pressSequentially("a");
    await box().press("Shift+Enter");
    await box().press("Shift+Enter");
    await box().pressSequentially("b");
    expect(await box().inputValue()).toBe("a\n\nb");
    expect(await height()).toBeGreaterThan(before + 20);
    expect(await chat().sent("prompt.submit")).toEqual([]);
  });

  it("does not send while an input method composes", async () => {
    await chat().snapshot(emptyChat());
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
    expect(await chat().sent("prompt.submit")).toEqual([]);
  });

  it("steers a run with Enter, waits for its end with Alt+Enter, and stops it with Esc", async () => {
    await chat().snapshot(emptyChat({ phase: "turn" }));
    expect(await button("Stop").isVisible()).toBe(true);
    await box().fill("Look here");
    await box().press("Enter");
    await box().fill("Afterwards");
    await box().press("Alt+Enter");
    expect((await chat().sent("prompt.submit")).map((one) => one.mode)).toEqual(["steer", "followUp"]);
    await box().press("Escape");
    expect(await chat().sent("run.stop")).toHaveLength(1);
    await button("Stop").click();
    expect(await chat().sent("run.stop")).toHaveLength(2);
  });

  it("offers the follow-up by mouse too", async () => {
    await chat().snapshot(emptyChat({ phase: "turn" }));
    await box().fill("Afterwards");
    await button("Send options").click();
    await chat()
      .page.getByRole("menuitem", { name: /After this run/ })
      .click();
    expect((await chat().sent("prompt.submit"))[0]).toMatchObject({ text: "Afterwards", mode: "followUp" });
  });

  it("does not stop anything with Esc when nothing runs", async () => {
    await chat().snapshot(emptyChat());
    await box().press("Escape");
    expect(await chat().sent("run.stop")).toEqual([]);
  });

  it("lists what is queued and lets it be removed", async () => {
    await chat().snapshot(emptyChat({ phase: "turn", queue: [{ id: "q1", text: "Later", mode: "followUp" }] }));
    const list = chat().page.getByRole("list", { name: "Queued messages" });
    expect(await list.textContent()).toContain("Later");
    await list.getByRole("button", { name: "Remove from queue" }).click();
    expect(await chat().sent("queue.remove")).toEqual([{ type: "queue.remove", id: "q1" }]);
  });

  it("recalls what was said with Up in an empty box, and comes back with Down", async () => {
    await chat().snapshot(emptyChat({ items: [user("u1", "first"), reply("a1", "x"), user("u2", "second")] }));
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
    await chat().snapshot(emptyChat());
    await box().pressSequentially("/");
    expect(await chat().page.getByRole("option").count()).toBe(3);
    await box().press("ArrowDown");
    await box().press("Tab");
    expect(await box().inputValue()).toBe("/tree ");
    await box().fill("/compact");
    await box().press("Enter");
    expect((await chat().sent("prompt.submit"))[0]).toMatchObject({ text: "/compact" });
  });

  it("closes the list of commands with Esc before it stops a run", async () => {
    await chat().snapshot(emptyChat({ phase: "turn" }));
    await box().pressSequentially("/");
    await box().press("Escape");
    expect(await chat().page.getByRole("option").count()).toBe(0);
    expect(await chat().sent("run.stop")).toEqual([]);
  });

  it("takes pasted pictures, shows them, sends them, and refuses other files in words", async () => {
    await chat().snapshot(emptyChat());
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
    const chips = chat().page.getByRole("list", { name: "Attachments" });
    await expect.poll(() => chips.locator("img").count()).toBe(1);
    await paste("notes.pdf", "application/pdf");
    await expect.poll(() => chat().page.getByText("notes.pdf is not a picture").count()).toBe(1);
    await button("Send").click();
    const [sent] = await chat().sent("prompt.submit");
    expect(sent!.images).toEqual([{ mimeType: "image/png", data: "iVBORw==" }]);
    await chat().say({ type: "prompt.accepted", submitId: sent!.submitId });
    expect(await chips.count()).toBe(0);
  });

  it("hands dropped files to the host by their address", async () => {
    await chat().snapshot(emptyChat());
    await chat().page.evaluate(() => {
      const data = new DataTransfer();
      data.setData("application/vnd.code.uri-list", "vscode-remote://wsl/home/a.ts\r\nfile:///home/b.ts");
      document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    });
    expect(await chat().sent("files.dropped")).toEqual([
      { type: "files.dropped", uris: ["vscode-remote://wsl/home/a.ts", "file:///home/b.ts"] },
    ]);
  });

  it("lets the host put text in without losing a draft", async () => {
    await chat().snapshot(emptyChat());
    await chat().say({ type: "composer.add", id: "w1", text: "edit me", images: [], focus: true });
    expect(await box().inputValue()).toBe("edit me");
    await box().fill("my draft");
    await chat().say({ type: "composer.add", id: "w2", text: "from the host", images: [], focus: false });
    expect(await box().inputValue()).toContain("my draft");
    expect(await box().inputValue()).toContain("from the host");
  });

  it("takes words that come back once, also after a new start, and says when they have left the composer", async () => {
    await chat().snapshot(emptyChat());
    const add: ToWebview = { type: "composer.add", id: "once", text: "was queued", images: [], focus: false };
    await chat().say(add);
    await chat().say(add);
    expect(await box().inputValue()).toBe("was queued");
    await chat().page.reload();
    await chat().snapshot(emptyChat());
    await chat().say(add);
    expect(await box().inputValue()).toBe("was queued");
    expect(await chat().sent("composer.done")).toEqual([]);
    await box().fill("");
    await expect.poll(() => chat().sent("composer.done")).toEqual([{ type: "composer.done", id: "once" }]);
    await chat().say(add);
    expect(await box().inputValue()).toBe("");
    await expect.poll(async () => (await chat().sent("composer.done")).length).toBe(2);
  });

  it("has pictures that are too large to be kept once more from the host, once", async () => {
    const pictures = () =>
      chat()
        .page.getByRole("button", { name: /^Remove .*(picture|image)/i })
        .count();
    await chat().snapshot(emptyChat());
    const images = [{ mimeType: "image/png", data: PIXEL + "A".repeat(1_600_000) }];
    const add: ToWebview = { type: "composer.add", id: "large", text: "look at this", images, focus: false };
    await chat().say(add);
    expect(await pictures()).toBe(1);
    await chat().page.reload();
    await chat().snapshot(emptyChat());
    expect([await box().inputValue(), await pictures()]).toEqual(["look at this", 0]);
    await chat().say(add);
    await chat().say(add);
    expect([await box().inputValue(), await pictures()]).toEqual(["look at this", 1]);
    await box().fill("");
    await box().focus();
  });

  it("keeps a draft over a new start whose session comes later than the page", async () => {
    await chat().snapshot(emptyChat());
    await chat().say({ type: "composer.add", id: "late", text: "was queued", images: [], focus: false });
    await chat().page.reload();
    await chat().snapshot(emptyChat({ session: null }));
    expect(await box().inputValue()).toBe("");
    await box().fill("typed early");
    await chat().snapshot(emptyChat());
    expect(await box().inputValue()).toBe("was queued\n\ntyped early");
    await chat().say({ type: "composer.add", id: "late", text: "was queued", images: [], focus: false });
    expect(await box().inputValue()).toBe("was queued\n\ntyped early");
    expect(await chat().sent("composer.done")).toEqual([]);
  });

  it("asks for a summary to edit only where one is wanted, by button and by sending", async () => {
    await chat().snapshot(emptyChat({ viewing: { ...viewing, abandonedEntries: 3 } }));
    const edit = chat().page.getByRole("checkbox", { name: "Edit the summary before it is attached" });
    const go = chat().page.getByRole("button", { name: "Continue from here" });
    const last = async () => (await chat().sent("branch.continue")).at(-1);
    expect(await edit.isVisible()).toBe(false);
    await summary().selectOption({ label: "Summarise" });
    await go.click();
    expect(await last()).toEqual({ type: "branch.continue", summary: "standard", instructions: "" });
    await edit.check();
    await go.click();
    expect(await last()).toEqual({ type: "branch.continue", summary: "standard", instructions: "", edit: true });
    await box().fill("on");
    await box().press("Enter");
    expect((await chat().sent("prompt.submit")).at(-1)?.leaving?.edit).toBe(true);
    await summary().selectOption({ label: "No summary" });
    await go.click();
    expect(await last()).toEqual({ type: "branch.continue", summary: "none", instructions: "" });
  });

  it("keeps a draft per session, and carries one into the session that it begins", async () => {
    await chat().snapshot(emptyChat({ session: null }));
    await box().fill("a new start");
    await chat().snapshot(emptyChat());
    expect(await box().inputValue()).toBe("a new start");
    const other = emptyChat({ session: { id: "s2", title: "Other", file: "/s2.jsonl", fromPi: false } });
    await chat().snapshot(other);
    expect(await box().inputValue()).toBe("");
    await box().fill("for the other");
    await chat().snapshot(emptyChat());
    expect(await box().inputValue()).toBe("a new start");
    await chat().snapshot(other);
    expect(await box().inputValue()).toBe("for the other");
  });

  it("cannot send without trust, and says so", async () => {
    await chat().snapshot(emptyChat({ trusted: false }));
    await box().fill("Hello");
    expect(await button("Send").isDisabled()).toBe(true);
    await box().press("Enter");
    expect(await chat().sent("prompt.submit")).toEqual([]);
    expect(await chat().page.getByText("Trust this workspace").isVisible()).toBe(true);
    expect(await box().inputValue()).toBe("Hello");
  });

  it("picks the model, the thinking level and the approvals", async () => {
    await chat().snapshot(emptyChat());
    await button("Model").click();
    await button("Thinking").click();
    await button("Approvals").click();
    await chat()
      .page.getByRole("menuitemradio", { name: /Allow edits/ })
      .press("Enter");
    expect(await focused()).toBe("Approvals");
    expect(await chat().sent("model.pick")).toHaveLength(1);
    expect(await chat().sent("thinking.pick")).toHaveLength(1);
    expect(await chat().sent("approvals.setMode")).toEqual([{ type: "approvals.setMode", mode: "edits" }]);
  });
});
