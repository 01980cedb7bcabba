import { describe, expect, it } from "vitest";
import { itemsOf, rowIdsOf, rowOf } from "../../src/vscode/transcript-items.ts";
import { testHarness } from "../support/scripted-model.ts";

describe("the row of an entry", () => {
  it("is that of its first call where a reply says nothing but calls, so that a cut before it finds its place", async () => {
    const { harness, session, model } = testHarness();
    model.replies = [
      { calls: [{ id: "c1", name: "nothing", arguments: {} }] },
      { text: "words", calls: [{ id: "c2", name: "nothing", arguments: {} }] },
      { text: "done" },
    ];
    await harness.prompt("go");
    const path = await session.getBranch();
    const entries = path.filter((entry) => entry.type === "message");
    const context = {
      session,
      modelName: () => "m",
      readable: (summary: string) => summary,
      undoableCompaction: undefined,
    };
    const rows = itemsOf(entries, context).map((item) => item.id);
    for (const entry of entries) expect(rows).toContain(await rowOf(entry.id, session));
    const replies = entries.filter((entry) => entry.message.role === "assistant");
    expect(await rowOf(replies[0]!.id, session)).toBe("tool:c1");
    expect(await rowOf(replies[1]!.id, session)).toBe(replies[1]!.id);
    for (const reply of replies) expect(rowIdsOf(reply).some((id) => rows.includes(id))).toBe(true);
  });
});
