import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../src/protocol/view-state.ts";
import { FailedAttempts } from "../../src/webview/failed-attempts.ts";
import { reply, user } from "./support/chat-samples.ts";

const failed = (id: string, text = "") =>
  reply(id, text, { stopReason: "error", errorMessage: `error ${id}`, ...(text === "" ? { blocks: [] } : {}) });
const shape = (items: readonly TranscriptItem[]) =>
  items.map((item) =>
    item.kind === "assistant" && item.attempts !== undefined ? `${item.id}×${item.attempts}` : item.id,
  );

describe("attempts that failed one after the other", () => {
  it("are one row: the last of them, with their number", () => {
    const rows = new FailedAttempts();
    const items = [user("u", "go"), failed("a"), failed("b"), failed("c"), user("v", "on"), failed("d"), failed("e")];
    expect(shape(rows.join(items))).toEqual(["u", "c×3", "v", "e×2"]);
    expect(["a", "b", "c", "d", "u"].map((id) => rows.rowOf(id))).toEqual(["c", "c", "c", "e", "u"]);
  });

  it("are rows of their own where they said something, stand alone, or are still being written", () => {
    const rows = new FailedAttempts();
    const streaming = reply("s", "", { streaming: true, blocks: [] });
    const items = [failed("a"), failed("b", "half an answer"), failed("c"), user("u", "go"), failed("d"), streaming];
    expect(shape(rows.join(items))).toEqual(["a", "b", "c", "u", "d", "s"]);
    expect(rows.join(items)).toBe(items);
  });

  it("give the same row for the same items, so that it is not drawn anew", () => {
    const rows = new FailedAttempts();
    const items = [failed("a"), failed("b")];
    expect(rows.join([...items])[0]).toBe(rows.join(items)[0]);
    expect(shape(rows.join([...items, failed("c")]))).toEqual(["c×3"]);
  });
});
