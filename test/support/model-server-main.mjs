// Runs the loopback model server alone (`node test/support/model-server-main.mjs [--port N] [--window N]`), and loads it
// for Node scripts, which cannot import TypeScript on Node 20.
import { pathToFileURL } from "node:url";
import { build } from "esbuild";

/** The module `model-server.ts`, compiled in memory. @returns {Promise<typeof import("./model-server.ts")>} */
export async function loadModelServer() {
  const { outputFiles } = await build({
    entryPoints: [new URL("./model-server.ts", import.meta.url).pathname],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    target: "node20",
  });
  return import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const numberAfter = (flag) => {
    const index = process.argv.indexOf(flag);
    return index < 0 ? undefined : Number(process.argv[index + 1]);
  };
  const { startModelServer } = await loadModelServer();
  const window = numberAfter("--window");
  const server = await startModelServer({
    port: numberAfter("--port") ?? 0,
    ...(window === undefined ? {} : { contextWindow: window }),
  });
  console.log(server.url);
}
