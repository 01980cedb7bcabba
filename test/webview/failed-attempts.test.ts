import { describe, expect, it } from "vitest";
import type { TranscriptItem } from "../../src/protocol/view-state.ts";
import { FailedAttempts, fateAtEnd } from "../../src/webview/failed-attempts.ts";
import { reply, user } from "./support/chat-samples.ts";

const failed = (id: string, text = "") =>
  reply(id, text, { stopReason: "error", errorMessage: `error ${id}`, ...(text === "" ? { blocks: [] } : {}) });
const shape = (items: readonly TranscriptItem[]) =>
  items.map((item) =>
    item.kind === "assistant" && item.attempts !== undefined ? `${item.id}×${item.attempts}` : item.id,
  );

const fates = (items: readonly TranscriptItem[]) =>
  items.map((item) => (item.kind === "assistant" ? (item.fate ?? "final") : item.kind));

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
  });

  it("give the same row for the same items, so that it is not drawn anew", () => {
    const rows = new FailedAttempts();
    const items = [failed("a"), failed("b")];
    expect(rows.join([...items])[0]).toBe(rows.join(items)[0]);
    expect(shape(rows.join([...items, failed("c")]))).toEqual(["c×3"]);
  });
});

describe("a failure", () => {
  const on = { phase: "turn", progress: null, viewing: null } as const;

  it("is final only where nothing follows it in its turn and nothing goes on", () => {
    const items = [user("u", "go"), failed("a"), user("v", "on"), failed("b")];
    const rows = new FailedAttempts();
    expect(rows.join(items, fateAtEnd({ ...on, phase: "idle" }))).toBe(items);
    expect(fates(rows.join(items, fateAtEnd(on)))).toEqual(["user", "final", "user", "pending"]);
    const progress = { text: "Trying again in 4 s (2 of 3).", cancellable: true, retry: true };
    expect(fates(rows.join(items, fateAtEnd({ ...on, progress })))).toEqual(["user", "final", "user", "retrying"]);
  });

  it("was tried again where a reply or a call follows, through a compaction too, and counts its attempts", () => {
    const rows = new FailedAttempts();
    const marker = { kind: "compaction", id: "m" } as TranscriptItem;
    const items = [user("u", "go"), failed("a"), failed("b"), marker, reply("r", "Done")];
    const joined = rows.join(items);
    expect(shape(joined)).toEqual(["u", "b×2", "m", "r"]);
    expect(fates(joined)).toEqual(["user", "retried", "compaction", "final"]);
    expect(rows.join([...items])[1]).toBe(joined[1]);
  });

  it("of another branch than that which goes on is final", () => {
    const viewing = {} as never;
    expect(fateAtEnd({ ...on, viewing })).toBeUndefined();
  });
});
