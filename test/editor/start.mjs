// `npm start`: a real VS Code with Coppice in it, on a loopback port; `--check` drives one whole session and reports.
import { spawn } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { buildPackage, copySampleWorkspace, installPackages, root } from "./prepare.mjs";

const check = process.argv.includes("--check");

installPackages();
const vsix = buildPackage();
const workspace = copySampleWorkspace(
  check ? mkdtempSync(join(tmpdir(), "coppice-workspace-")) : join(root, ".cache", "workspace"),
);

if (check) {
  const { runCheck } = await import("./check.mjs");
  process.exitCode = (await runCheck({ vsix, workspace })).failed > 0 ? 1 : 0;
} else {
  const { desktopCode } = await import("./runtime.mjs");
  const code = desktopCode();
  if (code !== undefined && !process.argv.includes("--browser")) {
    console.log(`opening ${code} …`);
    spawn(code, [`--extensionDevelopmentPath=${root}`, workspace], {
      stdio: "inherit",
      shell: process.platform === "win32",
    });
  } else {
    const { startEditor } = await import("./server.mjs");
    const home = join(root, ".cache", "home");
    const editor = await startEditor({ vsix, workspace, home, data: join(root, ".cache", "editor"), log: console.log });
    console.log(
      `\nCoppice runs in a real VS Code at\n\n  ${editor.url}\n\nThe demo model answers without a key. Press Ctrl+C to stop.`,
    );
    const stop = () => void editor.stop({ keep: true }).then(() => process.exit(0));
    process.on("SIGINT", stop);
    process.on("SIGTERM", stop);
  }
}
