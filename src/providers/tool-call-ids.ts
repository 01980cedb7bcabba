// Ids of tool calls as each wire wants them; ids in the session stay as they are.
import { shortHash } from "./prefix-hash.ts";

/** `responses` and `anthropic`: 64 of `[\w-]`; `chat`: 40; `mistral`: exactly nine letters or digits. */
export type ToolCallIdStyle = "anthropic" | "responses" | "chat" | "mistral";

/** Gives each call of one request an id that the wire accepts and that no earlier call of it has. */
export class ToolCallIds {
  readonly #style: ToolCallIdStyle;
  readonly #taken = new Set<string>();
  readonly #attempts = new Map<string, number>();

  constructor(style: ToolCallIdStyle) {
    this.#style = style;
  }

  /** The same raw ids in the same order always give the same wire ids, so that prefixes stay cached. */
  next(rawId: string): string {
    // Some servers begin with the same id in every turn: going on from the last attempt keeps long histories linear.
    for (let attempt = this.#attempts.get(rawId) ?? 0; ; attempt++) {
      const id = this.#form(rawId, attempt);
      if (this.#taken.has(id)) continue;
      this.#taken.add(id);
      this.#attempts.set(rawId, attempt + 1);
      return id;
    }
  }

  #form(rawId: string, attempt: number): string {
    if (this.#style === "mistral") {
      if (attempt === 0 && /^[a-zA-Z0-9]{9}$/.test(rawId)) return rawId;
      return `c${shortHash(`${rawId}\n${attempt}`)}`;
    }
    const limit = this.#style === "chat" ? 40 : 64;
    // Only the call's half of a "call|item" id pairs; the item's half is another provider's business.
    const call = rawId.split("|")[0] ?? "";
    const clean = call.replace(/[^a-zA-Z0-9_-]/g, "_");
    if (attempt === 0 && clean === call && clean !== "" && clean.length <= limit) return clean;
    return `${(clean === "" ? "call" : clean).slice(0, limit - 9)}_${shortHash(`${rawId}\n${attempt}`)}`;
  }
}

/** The item id (`fc_…`) in a "call|item" id of the Responses API, or undefined. */
export function responsesItemId(rawId: string): string | undefined {
  const item = rawId.split("|")[1];
  return item?.startsWith("fc_") === true ? item : undefined;
}
