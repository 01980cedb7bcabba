import { describe, expect, it } from "vitest";
import { createMemorySession } from "../../src/core/session/stored-session.ts";
import { viewedPoint } from "../../src/vscode/viewed-point.ts";
import { assistant, countingClock, countingIds, toolCall, toolResult, user } from "../support/session-builder.ts";

/** Two branches behind one exchange; the position is at the end of the second. */
async function world() {
  const session = createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });
  const say = (message: Parameters<typeof session.appendMessage>[0]) => session.appendMessage(message);
  const ids = {
    question: await say(user("What shall we build?")),
    reply: await say(assistant("- A **list** of things to do")),
    firstPrompt: await say(user("Try it with a database")),
    call: await say(toolCall("1", "read", { path: "src/a.ts" })),
    result: await say(toolResult("1", "text")),
    first: await say(assistant("A database it is, then")),
    second: "",
  };
  await session.moveTo(ids.reply);
  await say(user("Try it with a file"));
  ids.second = await say(assistant("A file it is"));
  return { session, ids };
}

describe("the point that is shown instead of the position", () => {
  it("is an earlier point of the position's branch, by the words that stand last there", async () => {
    const { session, ids } = await world();
    expect(await viewedPoint(session, ids.reply)).toEqual({
      leafId: ids.reply,
      kind: "earlier",
      title: "A list of things to do",
      labelled: false,
      abandonedEntries: 2,
    });
    expect(await viewedPoint(session, null)).toMatchObject({ kind: "earlier", title: "", abandonedEntries: 4 });
  });

  it("is another branch where that ends, by its label or what was said first on it", async () => {
    const { session, ids } = await world();
    expect(await viewedPoint(session, ids.first)).toMatchObject({
      kind: "otherBranch",
      title: "Try it with a database",
      labelled: false,
      abandonedEntries: 2,
    });
    await session.appendLabel(ids.call, "database");
    expect(await viewedPoint(session, ids.first)).toMatchObject({ title: "database", labelled: true });
  });

  it("is a point of another branch before its end, by its own words and not by a result", async () => {
    const { session, ids } = await world();
    expect(await viewedPoint(session, ids.result)).toMatchObject({
      kind: "otherBranchPoint",
      title: "read src/a.ts",
      abandonedEntries: 2,
    });
  });

  it("is a later point where the position stands above it: nothing is left behind", async () => {
    const { session, ids } = await world();
    await session.moveTo(ids.firstPrompt);
    expect(await viewedPoint(session, ids.first)).toMatchObject({ kind: "later", abandonedEntries: 0 });
  });
});
