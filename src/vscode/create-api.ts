// What other extensions get from `activate`: hooks, tools, and the means to summarise (product.md "For other extensions").
import type { AgentTool } from "../core/agent/agent-tool.ts";
import { serializeConversation } from "../core/compaction/serialize-conversation.ts";
import { HOOK_NAMES, type Hooks } from "../core/harness/hooks.ts";
import { convertToLlm } from "../core/llm/messages.ts";
import type { CoppiceApi, CustomProjector } from "./api.ts";
import type { SessionService } from "./session-service.ts";

/** Tools and projectors that other extensions registered. */
export interface Registrations {
  tools: AgentTool[];
  projectors: Map<string, CustomProjector>;
}

const API_VERSION = 1;

export function createApi(hooks: Hooks, sessions: SessionService, registrations: Registrations): CoppiceApi {
  return {
    version: API_VERSION,
    hooks: HOOK_NAMES,
    on(hook, handler, source = "an extension") {
      const remove = hooks.on(hook, handler, source);
      return { dispose: remove };
    },
    registerTool(tool) {
      if (registrations.tools.some((known) => known.name === tool.name)) {
        throw new Error(`A tool named "${tool.name}" is registered already.`);
      }
      registrations.tools.push(tool);
      return {
        dispose: () => {
          const index = registrations.tools.indexOf(tool);
          if (index >= 0) registrations.tools.splice(index, 1);
        },
      };
    },
    registerProjector(customType, projector) {
      registrations.projectors.set(customType, projector);
      return { dispose: () => registrations.projectors.delete(customType) };
    },
    getSession() {
      const open = sessions.current;
      if (open === undefined) return undefined;
      const { session } = open;
      return {
        id: session.id,
        cwd: session.cwd,
        file: session.file,
        name: session.getName(),
        leafId: session.getLeafId(),
        getBranch: () => session.getBranch(),
        buildContext: () => session.buildContext(),
      };
    },
    async prompt(text) {
      const open = sessions.current;
      if (open === undefined) throw new Error("No session is open in the chat.");
      await open.harness.prompt(text);
    },
    convertToLlm,
    serializeConversation,
    generateSummary: async (...given) =>
      (await import("../core/compaction/generate-summary.ts")).generateSummary(...given),
    generateSummaryWithUsage: async (...given) =>
      (await import("../core/compaction/generate-summary.ts")).generateSummaryWithUsage(...given),
  };
}
