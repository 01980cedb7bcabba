// Writes media/sample-session.jsonl from test/support/sample-session.ts; the same bytes each time.
import { writeFileSync } from "node:fs";
import { build } from "esbuild";

const { outputFiles } = await build({
  entryPoints: [new URL("./sample-session.ts", import.meta.url).pathname],
  bundle: true,
  write: false,
  format: "esm",
  platform: "node",
  target: "node20",
});
const module = await import(`data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString("base64")}`);
const session = await module.writeSampleSession();
const lines = [JSON.stringify(session.header)];
for (const id of session.allIds())
  lines.push((await session.getRawLine(id)) ?? JSON.stringify(await session.getEntry(id)));
const target = new URL("../../media/sample-session.jsonl", import.meta.url);
writeFileSync(target, `${lines.join("\n")}\n`);
console.log(`${lines.length - 1} entries`);
