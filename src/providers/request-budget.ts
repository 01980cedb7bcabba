// How many tokens of reply may be asked for, so that prompt and reply fit the window together.
import type { Model } from "../core/llm/model.ts";
import type { LlmContext, StreamOptions } from "../core/llm/stream.ts";
import { estimateRequestTokens } from "./cost.ts";

const MIN_REPLY_TOKENS = 1_024;

/**
 * Tokens of reply: what is wanted or the model's limit, clamped to the window less the estimated input and a margin of
 * 4,096 or 15 % of it (providers §4). Small windows take a smaller margin, or nothing would be left to reply with.
 */
export function replyLimit(model: Model, context: LlmContext, options: Pick<StreamOptions, "maxTokens">): number {
  const wanted = Math.min(options.maxTokens ?? model.maxTokens, model.maxTokens);
  const input = estimateRequestTokens(context);
  const margin = Math.min(Math.max(4_096, Math.ceil(input * 0.15)), Math.floor(model.contextWindow / 4));
  const room = model.contextWindow - input - margin;
  return Math.max(Math.min(wanted, room), Math.min(wanted, MIN_REPLY_TOKENS), 1);
}
