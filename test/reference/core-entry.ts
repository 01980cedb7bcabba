// What the comparison with Pi and the benchmarks use of Coppice.
export { prepareCompaction } from "../../src/core/compaction/compaction.ts";
export { fileLists } from "../../src/core/compaction/file-operations.ts";
export { estimateContextTokens, estimateTokens } from "../../src/core/compaction/token-estimation.ts";
export { newestCompaction, undoCompaction } from "../../src/core/harness/undo-compaction.ts";
export { JsonlSessionRepo } from "../../src/core/session/jsonl-repo.ts";
export { JsonlStorage } from "../../src/core/session/jsonl-storage.ts";
export { SessionSearch } from "../../src/core/session/session-search.ts";
export { openSession } from "../../src/core/session/stored-session.ts";
export { nodeFileSystem } from "../../src/node/file-system.ts";
export { createIds, systemClock } from "../../src/node/ids.ts";
