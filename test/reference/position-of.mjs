// Prints position and context messages of a session file, by Pi and by ours; runs beside the packages (see install.mjs).
import { copyFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { SessionManager } from "@earendil-works/pi-coding-agent";
import { createIds, JsonlSessionRepo, nodeFileSystem, systemClock } from "./core.mjs";

const root = mkdtempSync(join(tmpdir(), "position-"));
// A copy: whoever looks must not write into a session that is open.
const file = join(root, "session.jsonl");
copyFileSync(process.argv[2], file);
const pi = SessionManager.open(file);
const theirs = { leafId: pi.getLeafId(), messages: pi.buildSessionContext().messages };
const repo = new JsonlSessionRepo({
  fs: nodeFileSystem,
  clock: systemClock,
  ids: createIds(systemClock),
  root,
  trash: async () => {},
});
const session = await repo.open(file);
await session.ready();
const ours = { leafId: session.getLeafId(), messages: (await session.buildContext()).messages };
await session.close();
rmSync(root, { recursive: true, force: true });
process.stdout.write(JSON.stringify({ ours, theirs }));
