import { expect, it, vi } from "vitest";

vi.mock("vscode", () => import("../support/fake-vscode.ts"));

import { createMemorySession } from "../../src/core/session/stored-session.ts";
import { inspectorItems } from "../../src/vscode/inspector-state.ts";
import { assistant, countingClock, countingIds, user } from "../support/session-builder.ts";

it("says of what is in the context and never sent that it is not, and counts nothing for it", async () => {
  const session = createMemorySession({ clock: countingClock(), ids: countingIds(), cwd: "/w" });
  await session.appendEntries([
    { type: "message", message: user("Hello") },
    { type: "message", message: assistant("Half a reply that", { stopReason: "error", errorMessage: "cut off" }) },
    { type: "message", message: assistant("", { content: [{ type: "thinking", thinking: "hm" }] }) },
    { type: "message", message: assistant("Half, and stopped", { stopReason: "aborted" }) },
    { type: "message", message: assistant("Whole") },
  ]);
  const items = await inspectorItems(session, await session.buildContext());
  expect(items.map((item) => item.unsent === true)).toEqual([false, true, true, false, false]);
  expect(items.filter((item) => item.unsent).every((item) => item.size.tokens === 0)).toBe(true);
});
