// The system prompt of the next turn, and what it costs together with the tools.
import type { DescribeTool } from "../agent/agent-loop.ts";
import type { AgentTool } from "../agent/agent-tool.ts";
import { estimateTextTokens } from "../compaction/token-estimation.ts";

export class TurnPrompt {
  readonly #build: (tools: readonly AgentTool[]) => Promise<string>;
  readonly #describeTool: DescribeTool;
  #text = "";
  #tokens = 0;

  constructor(build: (tools: readonly AgentTool[]) => Promise<string>, describeTool: DescribeTool) {
    this.#build = build;
    this.#describeTool = describeTool;
  }

  get text(): string {
    return this.#text;
  }
  /** Tokens of prompt and tools, estimated. */
  get overheadTokens(): number {
    return this.#tokens;
  }

  async refresh(tools: readonly AgentTool[]): Promise<void> {
    this.#text = await this.#build(tools);
    this.#tokens = estimateTextTokens(this.#text + JSON.stringify(tools.map((tool) => this.#describeTool(tool))));
  }
}
