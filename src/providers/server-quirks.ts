// How servers that speak Chat Completions differ from each other; settings first, then what their address tells.
import type { Model } from "../core/llm/model.ts";

export interface ServerQuirks {
  /** Field that limits the reply. */
  maxTokensField: "max_tokens" | "max_completion_tokens";
  systemRole: "system" | "developer";
  /** How thinking is asked for. */
  thinkingFormat: "openai" | "openrouter" | "deepseek" | "zai" | "qwen" | "none";
  /** Every assistant message with calls must carry `reasoning_content`, if only an empty one. */
  requiresReasoningContent: boolean;
  /** Reasoning is replayed as the server sent it (`reasoning_details`). */
  replaysReasoningDetails: boolean;
  /** `stream_options.include_usage` is understood. */
  streamOptions: boolean;
  /** A stream may end without a finish reason. */
  toleratesMissingFinish: boolean;
  idStyle: "chat" | "mistral";
  /** `tools: []` where the history has calls and the request no tools. */
  emptyTools: boolean;
  /** `prompt_cache_key` is understood. */
  cacheKey: boolean;
}

const STANDARD: ServerQuirks = {
  maxTokensField: "max_tokens",
  systemRole: "system",
  thinkingFormat: "none",
  requiresReasoningContent: false,
  replaysReasoningDetails: false,
  streamOptions: true,
  toleratesMissingFinish: false,
  idStyle: "chat",
  emptyTools: false,
  cacheKey: false,
};

const BY_HOST: readonly (readonly [RegExp, Partial<ServerQuirks>])[] = [
  [
    /(^|\.)openai\.com$/,
    { maxTokensField: "max_completion_tokens", systemRole: "developer", thinkingFormat: "openai", cacheKey: true },
  ],
  [/(^|\.)openrouter\.ai$/, { thinkingFormat: "openrouter", replaysReasoningDetails: true }],
  [/(^|\.)deepseek\.com$/, { thinkingFormat: "deepseek", requiresReasoningContent: true }],
  [/(^|\.)moonshot\.(ai|cn)$/, { thinkingFormat: "deepseek", requiresReasoningContent: true }],
  [/(^|\.)z\.ai$|(^|\.)bigmodel\.cn$/, { thinkingFormat: "zai" }],
  [/(^|\.)mistral\.ai$/, { idStyle: "mistral", streamOptions: false }],
  [/(^|\.)(groq\.com|x\.ai)$/, { thinkingFormat: "openai" }],
];

/** The quirks of a model's server; `Model.compat` overrides what the address suggests (providers §2, table). */
export function quirksOf(model: Pick<Model, "baseUrl" | "compat">): ServerQuirks {
  let host = "";
  try {
    host = new URL(model.baseUrl).hostname;
  } catch {
    // The request will say what is wrong with the address.
  }
  const known = BY_HOST.find(([pattern]) => pattern.test(host))?.[1] ?? {};
  const stated = Object.fromEntries(Object.entries(model.compat ?? {}).filter(([key]) => key in STANDARD));
  return { ...STANDARD, ...known, ...stated };
}
