// Opens a session file in Pi 1.6 and in ours: position and context messages of both.
import { spawnSync } from "node:child_process";
import { copyFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { installReference } from "./install.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const { cache, node } = await installReference();
copyFileSync(join(here, "position-of.mjs"), join(cache, "position-of.mjs"));

/** @returns {{ ours: { leafId: string | null, messages: any[] }, theirs: { leafId: string | null, messages: any[] } }} */
export function openInPi(file) {
  const { status, stdout, stderr } = spawnSync(node, [join(cache, "position-of.mjs"), file], { encoding: "utf8" });
  if (status !== 0) throw new Error(`Pi did not open ${file}: ${stderr}`);
  return JSON.parse(stdout);
}
