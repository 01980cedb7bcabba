import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";

const { answer } = vi.hoisted(() => ({ answer: { give: async (): Promise<string | undefined> => undefined } }));
vi.mock("vscode", async () => ({
  ...(await import("../support/fake-vscode.ts")),
  window: { showInformationMessage: () => answer.give() },
  workspace: {
    fs: {
      delete: async () => {
        throw new Error("this machine has no trash");
      },
    },
  },
  Uri: { file: (path: string) => path },
}));

import { nodeFileSystem } from "../../src/node/file-system.ts";
import { SessionTrash } from "../../src/vscode/session-trash.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }));
afterEach(() => void vi.useRealTimers());

/** Two sessions that were deleted at once, the question about it being open. */
async function deleted() {
  const folder = mkdtempSync(join(tmpdir(), "coppice-trash-"));
  const paths = ["a.jsonl", "b.jsonl"].map((name) => join(folder, name));
  for (const path of paths) writeFileSync(path, `words of ${path}`);
  const restored = vi.fn();
  const errors: unknown[] = [];
  let reply: (answer: string | undefined) => void = () => {};
  answer.give = () => new Promise((resolve) => (reply = resolve));
  const trash = new SessionTrash(nodeFileSystem, join(folder, "trash"), restored, (error) => errors.push(error));
  for (const path of paths) await trash.take(path);
  await vi.advanceTimersByTimeAsync(1000);
  const answered = async (text: string | undefined) => {
    reply(text);
    vi.useRealTimers();
    await expect.poll(() => restored.mock.calls.length > 0 || text === undefined).toBe(true);
  };
  const there = () => readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  return { folder, paths, errors, answered, there };
}

describe("sessions that were deleted", () => {
  it("are out of their folder at once, and back with one press", async () => {
    const { paths, there, answered } = await deleted();
    expect(there()).toEqual([]);
    await answered("Undo");
    expect(there()).toEqual(["a.jsonl", "b.jsonl"]);
    for (const path of paths) expect(readFileSync(path, "utf8")).toBe(`words of ${path}`);
  });

  it("come back but for the one whose place is taken, which is kept and told of", async () => {
    const { folder, paths, there, answered, errors } = await deleted();
    writeFileSync(paths[0]!, "another");
    await answered("Undo");
    expect(there()).toEqual(["a.jsonl", "b.jsonl"]);
    expect(readFileSync(paths[0]!, "utf8")).toBe("another");
    expect(String(errors)).toContain("exists again");
    const [kept] = readdirSync(join(folder, "trash"));
    expect(readFileSync(join(folder, "trash", kept!), "utf8")).toBe(`words of ${paths[0]}`);
  });

  it("stay where Coppice keeps them while the machine has no trash", async () => {
    const { folder, answered } = await deleted();
    await answered(undefined);
    expect(readdirSync(join(folder, "trash"))).toHaveLength(2);
  });
});
