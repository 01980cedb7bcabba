// A running hash of what a reply is produced under, so that thinking is replayed only where nothing before it changed.
import type { Message } from "../core/llm/messages.ts";
import type { Model } from "../core/llm/model.ts";
import type { ToolDefinition } from "../core/llm/stream.ts";

/** Two 32-bit multiplicative lanes: 64 bits in all, enough to notice a change; no protection against forgery. */
export class PrefixHash {
  #low = 0x811c9dc5;
  #high = 0x9e3779b9;

  update(text: string): void {
    let low = this.#low;
    let high = this.#high;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      low = Math.imul(low ^ code, 0x01000193);
      high = Math.imul(high ^ code, 0x85ebca6b) ^ (high >>> 13);
    }
    // The length parts "ab"+"c" from "a"+"bc".
    this.#low = Math.imul(low ^ text.length, 0x01000193);
    this.#high = Math.imul(high ^ text.length, 0xc2b2ae35);
  }

  /** Sixteen hex digits of what was taken in so far. */
  digest(): string {
    const mix = (value: number) => {
      value = Math.imul(value ^ (value >>> 16), 0x7feb352d);
      value = Math.imul(value ^ (value >>> 15), 0x846ca68b);
      return ((value ^ (value >>> 16)) >>> 0).toString(16).padStart(8, "0");
    };
    return mix(this.#high) + mix(this.#low);
  }
}

/** Eight hex digits of a text. */
export function shortHash(text: string): string {
  const hash = new PrefixHash();
  hash.update(text);
  return hash.digest().slice(0, 8);
}

/** The hash before the first message: model, system prompt and tools. */
export function startPrefix(
  model: Pick<Model, "provider" | "api" | "id">,
  systemPrompt: string,
  tools: readonly ToolDefinition[],
): PrefixHash {
  const hash = new PrefixHash();
  hash.update(`${model.provider}\n${model.api}\n${model.id}`);
  hash.update(systemPrompt);
  for (const tool of tools) hash.update(JSON.stringify([tool.name, tool.description, tool.parameters]));
  return hash;
}

/** Takes in a message as it will be sent: role, content and, for results, the call; never time or usage. */
export function addToPrefix(hash: PrefixHash, message: Message): void {
  if (message.role === "toolResult") {
    hash.update(JSON.stringify(["toolResult", message.toolCallId, message.isError, message.content]));
  } else {
    hash.update(JSON.stringify([message.role, message.content]));
  }
}
