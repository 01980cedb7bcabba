// Compares our sessions with Pi 1.6 and pi-agent-core 0.83: node test/reference/run.mjs [count] [seed]
import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installReference } from "./install.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { cache, node } = await installReference();
// Beside the packages, so that imports find them.
for (const name of ["compare.mjs", "deviations.mjs", "random-session.mjs"])
  copyFileSync(join(here, name), join(cache, name));
const result = spawnSync(node, [join(cache, "compare.mjs"), ...process.argv.slice(2)], { stdio: "inherit" });
process.exitCode = result.status ?? 1;
