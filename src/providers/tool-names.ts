// Names of tools as every wire takes them, and back.
import type { ToolDefinition } from "../core/llm/stream.ts";
import { shortHash } from "./prefix-hash.ts";

const MAX_LENGTH = 64;

/** A name of letters, digits, `_` and `-`, at most 64 long; the same name always becomes the same one. */
export function wireToolName(name: string): string {
  const clean = name.replace(/[^a-zA-Z0-9_-]/g, "_");
  if (clean === "") return "unknown_tool";
  return clean.length <= MAX_LENGTH ? clean : `${clean.slice(0, MAX_LENGTH - 9)}_${shortHash(name)}`;
}

export interface WireTools {
  tools: readonly ToolDefinition[];
  /** The tool's own name for one that a model called. */
  original(wireName: string): string;
}

/** The tools under names that every wire takes; where two would become one, the later gets a suffix. */
export function wireTools(tools: readonly ToolDefinition[]): WireTools {
  if (tools.every((tool) => wireToolName(tool.name) === tool.name)) return { tools, original: (name) => name };
  const originals = new Map<string, string>();
  const renamed = tools.map((tool) => {
    const plain = wireToolName(tool.name);
    const name = originals.has(plain)
      ? wireToolName(`${plain.slice(0, MAX_LENGTH - 9)}_${shortHash(tool.name)}`)
      : plain;
    originals.set(name, tool.name);
    return { ...tool, name };
  });
  return { tools: renamed, original: (name) => originals.get(name) ?? name };
}
