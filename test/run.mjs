// `npm test`: everything that is tested, from a fresh clone on: packages, build, unit and page suites, the reference, the real editor.
import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { buildPackage, installPackages, root } from "./editor/prepare.mjs";

const REFERENCE_SEEDS = 60;
const results = join(root, "test-results");
const totals = { passed: 0, failed: 0 };
const rows = [];

/** Counts a suite and keeps its line for the summary. */
function record(name, { passed, failed }, fromMs) {
  totals.passed += passed;
  totals.failed += failed;
  const seconds = Math.round((Date.now() - fromMs) / 1000);
  rows.push(`${failed > 0 ? "FAIL" : "ok  "}  ${name}: ${passed} passed, ${failed} failed (${seconds} s)`);
}

/** Runs a command with its output on the screen. @returns {Promise<number>} its exit code */
function run(command, args) {
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, stdio: "inherit", shell: process.platform === "win32" });
    child.once("error", () => resolve(127));
    child.once("exit", (code) => resolve(code ?? 1));
  });
}

/** Runs a suite that must leave counts behind; one that ends without them counts as one failure. */
async function suite(name, action) {
  const fromMs = Date.now();
  console.log(`\n— ${name}`);
  let counts = { passed: 0, failed: 1 };
  try {
    counts = await action();
  } catch (error) {
    console.error(error instanceof Error ? error.stack : error);
  }
  record(name, counts, fromMs);
}

async function vitest() {
  const report = join(results, "vitest.json");
  const code = await run(process.execPath, [
    join(root, "node_modules", "vitest", "vitest.mjs"),
    "run",
    "--config",
    "test/vitest.config.ts",
    "--reporter=dot",
    "--reporter=json",
    `--outputFile.json=${report}`,
  ]);
  const {
    numPassedTests: passed,
    numFailedTests: failed,
    numFailedTestSuites: files,
  } = JSON.parse(readFileSync(report, "utf8"));
  // A file that cannot be loaded has no tests that could fail; an error beside them is one more.
  return { passed, failed: Math.max(failed, files > 0 || code !== 0 ? 1 : 0) };
}

mkdirSync(results, { recursive: true });
installPackages();
const { ensureChromium } = await import("./editor/runtime.mjs");
// The page suites look for a browser on the PATH, so it has to be there before them.
await ensureChromium();
const vsix = buildPackage();

await suite("lint and types", async () => {
  const code = await run(process.platform === "win32" ? "npm.cmd" : "npm", ["run", "--silent", "check"]);
  return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1 };
});
await suite("units and pages", vitest);
await suite("the same sessions in Pi 1.6 and pi-agent-core 0.83", async () => {
  const code = await run(process.execPath, [join(root, "test", "reference", "run.mjs"), String(REFERENCE_SEEDS)]);
  return code === 0 ? { passed: REFERENCE_SEEDS, failed: 0 } : { passed: 0, failed: 1 };
});
await suite("a whole session in the real editor, with the demo", async () => {
  const { runCheck } = await import("./editor/check.mjs");
  return await runCheck({ vsix });
});
await suite("the real editor", async () => {
  const { runSuites } = await import("./editor/run.mjs");
  return await runSuites({ vsix });
});

console.log(`\n${rows.join("\n")}\n`);
console.log(`${totals.passed} passed, ${totals.failed} failed`);
process.exitCode = totals.failed > 0 ? 1 : 0;
