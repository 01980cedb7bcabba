// Opens session files for the command line: every line checked, nothing ever written to them.
import { resolve } from "node:path";
import { JsonlSessionRepo } from "../core/session/jsonl-repo.ts";
import type { Session } from "../core/session/session.ts";
import { nodeFileSystem } from "../node/file-system.ts";
import { createIds, systemClock } from "../node/ids.ts";

export function repoAt(root: string): JsonlSessionRepo {
  return new JsonlSessionRepo({
    fs: nodeFileSystem,
    clock: systemClock,
    ids: createIds(systemClock),
    verify: true,
    root,
    trash: () => Promise.reject(new Error("the command line deletes nothing")),
  });
}

export function openFile(path: string): Promise<Session> {
  return repoAt("/").open(resolve(path));
}
