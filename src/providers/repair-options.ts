// What each wire asks of the history that is sent over it.
import type { Model } from "../core/llm/model.ts";
import type { RepairOptions } from "./history-repair.ts";
import { quirksOf } from "./server-quirks.ts";

/** The rules of providers §5 that differ between wires. */
export function repairOptionsOf(model: Pick<Model, "api" | "baseUrl" | "compat">): RepairOptions {
  switch (model.api) {
    case "openai-responses":
      return { idStyle: "responses", resultImages: "inline" };
    case "openai-completions": {
      const { idStyle, requiresReasoningContent } = quirksOf(model);
      return { idStyle, resultImages: "after", unsignedThinking: requiresReasoningContent };
    }
    case "ollama-chat":
      return { idStyle: "chat", resultImages: "after" };
    default:
      return { idStyle: "anthropic", resultImages: model.api === "anthropic-messages" ? "inline" : "after" };
  }
}
