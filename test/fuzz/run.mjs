// Feeds random input to what reads untrusted data: npm run fuzz [-- --inputs 20000 --seconds 30 --seed 1 --only loader]
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { build } from "esbuild";
import { numbers } from "./random-input.mjs";
import { targets } from "./targets.mjs";

const option = (name, byDefault) => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? byDefault : process.argv[at + 1];
};
/** For each target; whichever comes first. */
const inputs = Number(option("inputs", 20_000));
const seconds = Number(option("seconds", 60));
const firstSeed = Number(option("seed", 1));
const only = option("only", undefined);
/** One input may not take longer, and no target may leave more behind, unless the engine could free it. */
const MAX_MS = 1000;
const MAX_GROWTH = 32 * 1024 * 1024;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc");
/** Finalizers run between turns of the event loop. */
const turn = () => new Promise((resolve) => setImmediate(resolve));
const heldBytes = async () => {
  for (let n = 0; n < 3; n++) {
    collectGarbage();
    await turn();
  }
  return process.memoryUsage().heapUsed;
};

const here = dirname(fileURLToPath(import.meta.url));
const cache = join(here, "..", "..", ".cache", "fuzz");
mkdirSync(cache, { recursive: true });
const bundle = join(cache, "fuzz-entry.mjs");
await build({
  entryPoints: [join(here, "fuzz-entry.ts")],
  bundle: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  outfile: bundle,
  logLevel: "warning",
});

let failures = 0;
for (const { name, run } of targets(await import(pathToFileURL(bundle)))) {
  if (only !== undefined && only !== name) continue;
  const began = Date.now();
  const memory = await heldBytes();
  let count = 0;
  let slowest = 0;
  let found = 0;
  for (let seed = firstSeed; count < inputs && Date.now() - began < seconds * 1000 && found < 5; seed++) {
    const started = performance.now();
    try {
      await run(numbers(seed));
    } catch (error) {
      found++;
      console.error(`${name}, seed ${seed}: ${error.stack ?? error}`);
    }
    const took = performance.now() - started;
    slowest = Math.max(slowest, took);
    if (took > MAX_MS) {
      found++;
      console.error(`${name}, seed ${seed}: took ${Math.round(took)} ms`);
    }
    count++;
    if (count % 100 === 0) await turn();
  }
  const growth = (await heldBytes()) - memory;
  if (growth > MAX_GROWTH) {
    found++;
    console.error(`${name}: the heap grew by ${Math.round(growth / 1024 / 1024)} MB`);
  }
  failures += found;
  const time = ((Date.now() - began) / 1000).toFixed(1);
  console.log(`${name}: ${count} inputs, ${found} failures, slowest ${slowest.toFixed(1)} ms, ${time} s`);
}
process.exitCode = failures === 0 ? 0 : 1;
