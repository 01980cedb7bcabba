import { describe, expect, it } from "vitest";
import type { ToWebview } from "../../src/protocol/to-webview.ts";
import { emptyChat } from "./support/chat-samples.ts";
import { eachInChat } from "./support/in-chat.ts";

const { chat, box } = eachInChat();

describe("a draft that the host has kept", () => {
  const kept = (text: string, revision: number, given: string[] = []): ToWebview => ({
    ...{ type: "draft.kept", sessionId: emptyChat().session!.id, text, revision, given },
  });
  const told = async () => (await chat().sent("draft.changed")).map(({ text, given }) => [text, given]);

  it("tells the host of each change, once it has said what it has", async () => {
    await chat().snapshot(emptyChat());
    await box().fill("too early");
    await chat().page.waitForTimeout(400);
    expect(await told()).toEqual([]);
    await chat().say(kept("", 0));
    await box().fill("in time");
    await expect.poll(told).toEqual([["in time", []]]);
    await chat().say({ type: "composer.add", id: "g", text: "given", images: [], focus: false });
    await expect.poll(async () => (await told()).at(-1)).toEqual(["in time\n\ngiven", ["g"]]);
  });

  it("shows it where the page came back with less, and what it holds is not given again", async () => {
    await chat().snapshot(emptyChat());
    await chat().say(kept("typed before the window died", 7, ["g"]));
    expect(await box().inputValue()).toBe("typed before the window died");
    await chat().say({ type: "composer.add", id: "g", text: "typed before", images: [], focus: false });
    await chat().say(kept("typed before the window died", 7, ["g"]));
    expect(await box().inputValue()).toBe("typed before the window died");
  });

  it("goes with the session that its first message makes", async () => {
    await chat().snapshot(emptyChat({ session: null }));
    await chat().say({ type: "draft.kept", sessionId: "", text: "", revision: 0, given: [] });
    await box().fill("the first message");
    await expect.poll(told).toEqual([["the first message", []]]);
    await chat().snapshot(emptyChat());
    expect(await box().inputValue()).toBe("the first message");
    expect((await chat().sent("draft.changed")).at(-1)).toMatchObject({ sessionId: "", text: "" });
  });

  describe("of a session without a message", () => {
    const blank = (id: string) => emptyChat({ session: { id, title: "New session", fromPi: false } });

    it("is in the next one after a reload, for that one is gone", async () => {
      await chat().snapshot(blank("b1"));
      await box().fill("not sent yet");
      await chat().page.waitForTimeout(400);
      await chat().page.reload();
      await chat().snapshot(emptyChat({ session: null }));
      expect(await box().inputValue()).toBe("not sent yet");
      await chat().snapshot(blank("b2"));
      expect(await box().inputValue()).toBe("not sent yet");
    });

    it("is there again when one is begun, after another session was looked at", async () => {
      await chat().snapshot(blank("b1"));
      await chat().say({ type: "draft.kept", sessionId: "", text: "", revision: 0, given: [] });
      await box().fill("not sent yet");
      await chat().snapshot(emptyChat());
      expect(await box().inputValue()).toBe("");
      expect((await chat().sent("draft.changed")).at(-1)).toMatchObject({ sessionId: "", text: "not sent yet" });
      await chat().snapshot(blank("b2"));
      expect(await box().inputValue()).toBe("not sent yet");
    });

    it("is the session's with its first message, and the next new one begins empty", async () => {
      await chat().snapshot(blank("s1"));
      await chat().say({ type: "draft.kept", sessionId: "", text: "", revision: 0, given: [] });
      await box().fill("the next thought");
      await expect.poll(told).toEqual([["the next thought", []]]);
      await chat().snapshot(emptyChat());
      expect(await box().inputValue()).toBe("the next thought");
      const sent = async () => (await chat().sent("draft.changed")).map(({ sessionId, text }) => [sessionId, text]);
      await expect
        .poll(async () => (await sent()).slice(1))
        .toEqual([
          ["", ""],
          ["s1", "the next thought"],
        ]);
      await chat().snapshot(blank("b2"));
      expect(await box().inputValue()).toBe("");
    });
  });

  it("puts it before what was typed meanwhile", async () => {
    await chat().snapshot(emptyChat());
    await box().fill("typed early");
    await chat().say(kept("from before", 3));
    expect(await box().inputValue()).toBe("from before\n\ntyped early");
  });

  it("takes nothing of what was typed before the session came", async () => {
    await chat().snapshot(emptyChat({ session: null }));
    await box().fill("typed early");
    await chat().snapshot(emptyChat());
    await chat().say(kept("", 3));
    expect(await box().inputValue()).toBe("typed early");
  });

  it("leaves a page alone that came back with all of it, and one that shows another session", async () => {
    await chat().snapshot(emptyChat());
    await chat().say(kept("", 0));
    await box().fill("first");
    await expect.poll(told).toEqual([["first", []]]);
    await box().fill("second");
    await expect.poll(async () => (await told()).length).toBe(2);
    await chat().page.reload();
    await chat().snapshot(emptyChat());
    await chat().say(kept("first", 1));
    expect(await box().inputValue()).toBe("second");
    await chat().say({ ...kept("another's", 99), sessionId: "another" } as ToWebview);
    expect(await box().inputValue()).toBe("second");
  });

  it("takes a text away that the page came back with and that was sent since", async () => {
    await chat().snapshot(emptyChat());
    await box().fill("sent meanwhile");
    await chat().page.waitForTimeout(400);
    await chat().page.reload();
    await chat().snapshot(emptyChat());
    expect(await box().inputValue()).toBe("sent meanwhile");
    await chat().say(kept("", 5));
    expect(await box().inputValue()).toBe("");
  });
});
