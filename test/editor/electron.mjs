// Runs the in-host suite in a desktop VS Code, where one can be downloaded: `node test/editor/electron.mjs [VERSION]`.
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runTests } from "@vscode/test-electron";
import { copySampleWorkspace, installPackages, root } from "./prepare.mjs";

installPackages();
const folder = mkdtempSync(join(tmpdir(), "coppice-electron-"));
const report = join(folder, "report.json");
try {
  process.exitCode = await runTests({
    version: process.argv[2] ?? "stable",
    extensionDevelopmentPath: root,
    extensionTestsPath: join(root, "test", "editor", "in-host", "index.mjs"),
    extensionTestsEnv: { COPPICE_TEST_REPORT: report, HOME: folder },
    launchArgs: [
      copySampleWorkspace(join(folder, "workspace")),
      `--user-data-dir=${join(folder, "user")}`,
      "--disable-extensions",
      "--disable-workspace-trust",
    ],
  });
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
try {
  const { passed, failed } = JSON.parse(readFileSync(report, "utf8"));
  console.log(`${passed.length} passed, ${failed.length} failed`);
} catch {
  console.log("no desktop VS Code ran the suite; test/editor/run.mjs runs it in the server instead");
}
