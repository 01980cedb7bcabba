// A temporary workspace with the built-in tools over real files and processes, and a person who allows what is asked.
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { AgentTool, AgentToolUpdate, ToolProposal } from "../../src/core/agent/agent-tool.ts";
import { createBuiltInTools } from "../../src/core/tools/built-in-tools.ts";
import type { ToolEnvironment } from "../../src/core/tools/tool-environment.ts";
import { nodeFileSystem } from "../../src/node/file-system.ts";
import { createNodeShell } from "../../src/node/shell.ts";

export interface ToolWorld {
  /** The workspace folder, links resolved. */
  root: string;
  /** A folder beside it. */
  outside: string;
  env: ToolEnvironment;
  tools: readonly AgentTool[];
  dirty: Set<string>;
  propose(name: string, params: Record<string, unknown>): Promise<ToolProposal | undefined>;
  /** Runs a call as the agent does, allowed as proposed; `between` happens after the answer of the person. */
  run(
    name: string,
    params: Record<string, unknown>,
    options?: { signal?: AbortSignal; onUpdate?: (update: AgentToolUpdate) => void; between?: () => void },
  ): Promise<{ text: string; details: unknown; isError: boolean; images: number }>;
  dispose(): void;
}

/** Makes the world; `overrides` replace parts of the tools' environment. */
export function toolWorld(overrides: Partial<ToolEnvironment> = {}): ToolWorld {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "tool-world-")));
  const root = join(base, "workspace");
  const outside = join(base, "outside");
  for (const folder of [root, outside, join(base, "spool")]) mkdirSync(folder);
  const dirty = new Set<string>();
  const allowed = new Map<string, string>();
  const env: ToolEnvironment = {
    fs: nodeFileSystem,
    shell: createNodeShell(() => root),
    cwd: root,
    roots: [root],
    home: join(base, "home"),
    windows: false,
    ripgrep: async () => undefined,
    spoolDirectory: async () => join(base, "spool"),
    isDirty: (path) => dirty.has(path),
    guard: (callId, proposal) => {
      if (allowed.get(callId) !== proposal.hash) throw new Error("not what was approved");
    },
    ...overrides,
  };
  const tools = createBuiltInTools(env);
  let calls = 0;
  const find = (name: string) => tools.find((tool) => tool.name === name)!;
  const parsed = (tool: AgentTool, params: Record<string, unknown>) =>
    tool.schema.parse(tool.prepareArguments?.(params) ?? params);
  return {
    root,
    outside,
    env,
    tools,
    dirty,
    propose: async (name, params) =>
      await find(name).propose?.(parsed(find(name), params), new AbortController().signal),
    async run(name, params, { signal = new AbortController().signal, onUpdate = () => {}, between } = {}) {
      const tool = find(name);
      const toolCallId = `call-${++calls}`;
      const proposal = await tool.propose?.(parsed(tool, params), signal);
      if (proposal !== undefined) allowed.set(toolCallId, proposal.hash);
      between?.();
      const result = await tool.execute({ toolCallId, params: parsed(tool, params), signal, onUpdate });
      return {
        text: result.content.map((part) => (part.type === "text" ? part.text : "")).join(""),
        details: result.details,
        isError: result.isError === true,
        images: result.content.filter((part) => part.type === "image").length,
      };
    },
    dispose: () => rmSync(base, { recursive: true, force: true }),
  };
}
