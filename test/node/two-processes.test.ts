import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { JsonlSessionRepo } from "../../src/core/session/jsonl-repo.ts";
import { nodeFileSystem } from "../../src/node/file-system.ts";
import { createIds, systemClock } from "../../src/node/ids.ts";
import { user } from "../support/session-builder.ts";

const COUNT = 150;
let folder: string;
let core: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "coppice-two-"));
  core = join(folder, "core.mjs");
  await build({
    entryPoints: ["test/reference/core-entry.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: core,
    logLevel: "warning",
  });
});
afterAll(() => rmSync(folder, { recursive: true }));

function run(...args: string[]): Promise<{ code: number | null; output: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ["test/support/append-many.mjs", core, ...args]);
    let output = "";
    child.stderr.on("data", (data) => {
      output += data;
    });
    child.on("close", (code) => resolve({ code, output }));
  });
}

describe("two processes that write one session", () => {
  it("lose nothing, hide nothing and damage nothing", async () => {
    const options = { fs: nodeFileSystem, clock: systemClock, ids: createIds(systemClock) };
    const repo = new JsonlSessionRepo({ ...options, root: folder, trash: async () => {}, verify: true });
    const session = repo.create({ cwd: "/x" });
    await session.appendMessage(user("first"));
    const file = session.file!;
    await session.close();
    const results = await Promise.all([run(file, "a", String(COUNT)), run(file, "b", String(COUNT))]);
    expect(results).toEqual([
      { code: 0, output: "" },
      { code: 0, output: "" },
    ]);
    const again = await repo.open(file);
    await again.ready();
    expect(again.badLines()).toEqual([]);
    expect(again.size()).toBe(1 + 2 * COUNT);
    expect(again.childrenOf(null).length).toBe(1);
    await again.close();
  });
});
