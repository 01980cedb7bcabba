// What the fuzzer feeds, gathered for its bundle.
export { serializeConversation } from "../../src/core/compaction/serialize-conversation.ts";
export { SessionError } from "../../src/core/errors.ts";
export { parseFrontMatter } from "../../src/core/harness/instruction-text.ts";
export { expandTemplate, splitArguments } from "../../src/core/harness/prompt-templates.ts";
export { analyzeCommand } from "../../src/core/tools/command-policy.ts";
export { applyEdits } from "../../src/core/tools/edit.ts";
export { cleanOutput, truncateHead, truncateTail } from "../../src/core/tools/truncate.ts";
export { PathRefused, resolvePath, writeWarnings } from "../../src/core/tools/workspace-paths.ts";
export { streamFunctionFor } from "../../src/providers/registry.ts";
export { parseToolArguments } from "../../src/providers/tool-arguments.ts";
export { MemoryFileSystem } from "../support/memory-file-system.ts";
export { checkGrowth } from "../support/odd-session.ts";
export { TEST_MODEL } from "../support/scripted-model.ts";
export { testRepo } from "../support/session-files.ts";
