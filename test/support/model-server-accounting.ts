// Tokens, caches and the binding of thinking to its conversation, computed from requests as a provider would.
import { createHash } from "node:crypto";
import type { WireUsage } from "./model-server-encode.ts";
import type { Block, ParsedBody } from "./model-server-parse.ts";

const LOOKBACK = 20;
/** Requests whose prefixes an automatic cache still has. */
const REMEMBERED = 20;

const digest = (text: string) => createHash("sha256").update(text).digest("base64url").slice(0, 22);

/** Running hashes: `prefixes[i]` covers the blocks before position i. */
function prefixesOf(model: string, blocks: readonly Block[]): string[] {
  const out = [digest(model)];
  for (const block of blocks) out.push(digest(`${out.at(-1)}\n${block.text}`));
  return out;
}

export class Accounting {
  /** Prefixes that were written to the cache. */
  readonly #cached = new Set<string>();
  readonly #automatic: string[] = [];

  /**
   * A quarter of the characters. With cache marks, what the longest cached prefix within 20 blocks before a mark covers
   * is read, and what lies between it and the last mark is written; without marks, a request reads what it has in
   * common with the longest earlier one, where the wire caches by itself.
   */
  count(model: string, parsed: ParsedBody, output: number, wire: "marks" | "automatic"): WireUsage {
    const chars = parsed.blocks.map(({ text }) => text.length);
    const upTo = (end: number) => Math.ceil(chars.slice(0, end).reduce((sum, n) => sum + n, 0) / 4);
    const whole = Math.max(1, upTo(chars.length));
    if (wire === "automatic") {
      const text = model + parsed.blocks.map((block) => block.text).join("\u0000");
      const shared = Math.max(0, ...this.#automatic.map((other) => commonLength(text, other)));
      this.#automatic.push(text);
      if (this.#automatic.length > REMEMBERED) this.#automatic.shift();
      const cacheRead = Math.min(whole, Math.floor(shared / 4));
      return { input: whole - cacheRead, output, cacheRead, cacheWrite: 0 };
    }
    const prefixes = prefixesOf(model, parsed.blocks);
    const marks = parsed.blocks.flatMap((block, index) => (block.marked ? [index + 1] : []));
    let readEnd = 0;
    for (const mark of marks) {
      for (let end = mark; end > Math.max(0, mark - LOOKBACK); end--) {
        if (this.#cached.has(prefixes[end] as string)) {
          readEnd = Math.max(readEnd, end);
          break;
        }
      }
    }
    for (const mark of marks) this.#cached.add(prefixes[mark] as string);
    const writeEnd = Math.max(readEnd, marks.at(-1) ?? 0);
    const cacheRead = upTo(readEnd);
    const cacheWrite = upTo(writeEnd) - cacheRead;
    return { input: Math.max(0, whole - cacheRead - cacheWrite), output, cacheRead, cacheWrite };
  }
}

function commonLength(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  let i = 0;
  while (i < limit && a.charCodeAt(i) === b.charCodeAt(i)) i++;
  return i;
}

/** Signs thinking with everything that the reply was produced under. */
export function signThinking(model: string, blocks: readonly Block[], text: string): string {
  return `sig.${prefixesOf(model, blocks).at(-1)}.${digest(text)}`;
}

export interface BindingVerdict {
  /** Signatures that this server never gave, or of edited text. */
  foreign: string[];
  /** Own signatures whose earlier conversation has changed since. */
  mismatched: string[];
}

/** Checks every thinking block of a request against the conversation that stands before it now. */
export function checkBinding(model: string, blocks: readonly Block[]): BindingVerdict {
  const prefixes = prefixesOf(model, blocks);
  const verdict: BindingVerdict = { foreign: [], mismatched: [] };
  for (const block of blocks) {
    if (block.thinking === undefined) continue;
    const [tag, prefix, text] = block.thinking.signature.split(".");
    if (tag !== "sig" || text !== digest(block.thinking.text)) verdict.foreign.push(block.thinking.signature);
    else if (prefix !== prefixes[block.turnStart]) verdict.mismatched.push(block.thinking.signature);
  }
  return verdict;
}
