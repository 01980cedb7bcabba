// The suite that runs inside the extension host, started from the sources; `electron.mjs` runs the same one on the desktop.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { root } from "./prepare.mjs";

export const name = "Inside the extension host";

export async function run({ run, until, step, expect }) {
  execFileSync(process.execPath, [join(root, "esbuild.mjs")], { cwd: root, stdio: "inherit" });
  const report = join(run.shots, "report.json");
  rmSync(report, { force: true });
  const editor = await run.editor({
    vsix: undefined,
    workspace: run.workspace(),
    development: root,
    tests: join(root, "test", "editor", "in-host", "index.mjs"),
    settings: { "coppice.model": "demo/demo" },
    env: { COPPICE_TEST_REPORT: report },
  });
  await run.window(editor);
  let result;
  await step("the suite runs to its end", async () => {
    await until(() => existsSync(report) && readFileSync(report, "utf8").endsWith("}"), "its report", 60_000);
    result = JSON.parse(readFileSync(report, "utf8"));
    console.log(`        activate() took ${result.activationMs?.toFixed(1)} ms`);
  });
  const failed = new Map(result.failed.map(({ title, error }) => [title, error]));
  for (const title of [...result.passed, ...failed.keys()]) {
    await run.chain(() => step(`Coppice ${title}`, async () => expect(!failed.has(title), failed.get(title))));
  }
}
