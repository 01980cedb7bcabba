// What the comparison with Pi and the benchmarks use of Coppice.
export { JsonlSessionRepo } from "../../src/core/session/jsonl-repo.ts";
export { JsonlStorage } from "../../src/core/session/jsonl-storage.ts";
export { openSession } from "../../src/core/session/stored-session.ts";
export { nodeFileSystem } from "../../src/node/file-system.ts";
export { createIds, systemClock } from "../../src/node/ids.ts";
