// Long runs that `npm test` has no time for: npm run soak [-- --appends 10000 --seeds 10000 --lives 5000 --seed 1]
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const option = (name, byDefault) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? byDefault : Number(process.argv[at + 1]);
};
const appends = option("appends", 10_000);
const seeds = option("seeds", 10_000);
const lives = option("lives", 5000);
const folder = mkdtempSync(join(tmpdir(), "coppice-soak-"));

async function twoProcesses() {
  const core = join(folder, "core.mjs");
  await build({
    entryPoints: ["test/reference/core-entry.ts"],
    bundle: true,
    platform: "node",
    format: "esm",
    outfile: core,
    logLevel: "warning",
  });
  const file = join(folder, "s.jsonl");
  const header = { type: "session", version: 3, id: "soak", timestamp: new Date().toISOString(), cwd: "/soak" };
  writeFileSync(file, `${JSON.stringify(header)}\n`);
  const run = (name) =>
    new Promise((resolve, reject) => {
      const child = spawn(process.execPath, ["test/support/append-many.mjs", core, file, name, String(appends / 2)], {
        stdio: "inherit",
      });
      child.on("close", (code) => (code === 0 ? resolve() : reject(new Error(`writer ${name} ended with ${code}`))));
    });
  await Promise.all([run("a"), run("b")]);
  const { createIds, JsonlStorage, nodeFileSystem, openSession, systemClock } = await import(core);
  const options = { fs: nodeFileSystem, clock: systemClock, ids: createIds(systemClock), verify: true };
  const session = openSession(await JsonlStorage.open(file, options), options);
  await session.ready();
  if (session.size() !== appends || session.badLines().length > 0) {
    throw new Error(`${session.size()} of ${appends} entries, ${session.badLines().length} bad lines`);
  }
  console.log(`two processes: ${appends} appends, none lost, none damaged`);
}

/** Random lives and walks of a session through the whole agent: see the two tests in test/core/harness. */
function longLives() {
  const result = spawnSync(
    process.execPath,
    [
      "node_modules/vitest/vitest.mjs",
      "run",
      "--config",
      "test/vitest.config.ts",
      "test/core/harness/long-life",
      "test/core/harness/shown-is-sent",
    ],
    {
      stdio: "inherit",
      env: {
        ...process.env,
        LONG_LIFE_RUNS: String(lives),
        LONG_LIFE_SEED: String(option("seed", Date.now() % 2 ** 31)),
      },
    },
  );
  if (result.status !== 0) throw new Error(`a random life of ${lives} broke a promise; its seed stands above`);
  console.log(`random lives: ${lives}, nothing lost`);
}

try {
  await twoProcesses();
  longLives();
  const compared = spawnSync(process.execPath, ["test/reference/run.mjs", String(seeds)], { stdio: "inherit" });
  process.exitCode = compared.status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
