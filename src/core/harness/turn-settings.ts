// Model, thinking level and tools: in force at the next turn, recorded at the next flush, brought back with a branch.
import type { AgentTool } from "../agent/agent-tool.ts";
import { HarnessError } from "../errors.ts";
import { clampThinkingLevel, type Model, type ThinkingLevel } from "../llm/model.ts";
import type { NewEntry } from "../session/entries.ts";
import type { SessionContext } from "../session/session.ts";
import type { HarnessEvent } from "./harness-events.ts";

export interface TurnSettingsHost {
  /** Every tool that the session has. */
  tools: readonly AgentTool[];
  findModel: (provider: string, modelId: string) => Model | undefined;
  emit: (event: HarnessEvent) => Promise<void>;
}

/** What was chosen since the last turn began. */
export interface TurnChanges {
  model?: Model;
  thinkingLevel?: ThinkingLevel;
  tools?: readonly AgentTool[];
}

export class TurnSettings {
  readonly #host: TurnSettingsHost;
  #model: Model | undefined;
  #thinkingLevel: ThinkingLevel;
  #activeTools: readonly AgentTool[];
  #changes: TurnChanges = {};
  /** The model of the branch, where it is not known; forgotten with the next choice or turn. */
  #missing: { provider: string; modelId: string } | undefined;

  constructor(host: TurnSettingsHost, model: Model | undefined, thinkingLevel: ThinkingLevel) {
    this.#host = host;
    this.#model = model;
    this.#thinkingLevel = thinkingLevel;
    this.#activeTools = host.tools;
  }

  get model(): Model | undefined {
    return this.#model;
  }
  get thinkingLevel(): ThinkingLevel {
    return this.#thinkingLevel;
  }
  get activeTools(): readonly AgentTool[] {
    return this.#activeTools;
  }
  get changes(): Readonly<TurnChanges> {
    return this.#changes;
  }

  requireModel(): Model {
    if (this.#model === undefined) throw new HarnessError("auth", "No model is chosen yet.");
    return this.#model;
  }

  async setModel(model: Model): Promise<void> {
    this.#missing = undefined;
    this.#model = model;
    this.#thinkingLevel = clampThinkingLevel(model, this.#thinkingLevel);
    this.#changes.model = model;
    this.#changes.thinkingLevel = this.#thinkingLevel;
    await this.#host.emit({ type: "model_update", model });
    await this.#host.emit({ type: "thinking_level_update", level: this.#thinkingLevel });
  }

  async setThinkingLevel(level: ThinkingLevel): Promise<void> {
    this.#thinkingLevel = this.#model === undefined ? level : clampThinkingLevel(this.#model, level);
    this.#changes.thinkingLevel = this.#thinkingLevel;
    await this.#host.emit({ type: "thinking_level_update", level: this.#thinkingLevel });
  }

  async setActiveTools(names: readonly string[]): Promise<void> {
    this.#activeTools = this.#host.tools.filter((tool) => names.includes(tool.name));
    this.#changes.tools = this.#activeTools;
    await this.#host.emit({ type: "tools_update", names: this.#activeTools.map((tool) => tool.name) });
  }

  /** Takes what the branch names; what the session cannot have stays as it is and is told. */
  applyBranch(context: SessionContext): void {
    const { emit, findModel, tools } = this.#host;
    this.#changes = {};
    this.#missing = undefined;
    if (context.model !== null) {
      const found = findModel(context.model.provider, context.model.modelId);
      if (found !== undefined) {
        this.#model = found;
        void emit({ type: "model_update", model: found });
      } else {
        this.#missing = context.model;
        void emit({ type: "model_unavailable", ...context.model });
      }
      const level = this.#model === undefined ? "off" : clampThinkingLevel(this.#model, context.thinkingLevel);
      this.#thinkingLevel = level;
      void emit({ type: "thinking_level_update", level });
    }
    if (context.activeToolNames !== null) {
      const names = context.activeToolNames;
      this.#activeTools = tools.filter((tool) => names.includes(tool.name));
      void emit({ type: "tools_update", names: this.#activeTools.map((tool) => tool.name) });
    }
  }

  /** More models are known now: the one that the branch names is taken, where it was missing and nothing was chosen since. */
  async lookForMissing(): Promise<void> {
    const missing = this.#missing;
    const found = missing === undefined ? undefined : this.#host.findModel(missing.provider, missing.modelId);
    if (found === undefined) return;
    await this.setModel(found);
    await this.#host.emit({ type: "model_found", model: found });
  }

  /** Entries for what differs from what the branch says; none where it already says so. */
  record(context: SessionContext): NewEntry[] {
    const model = this.requireModel();
    const entries: NewEntry[] = [];
    if (context.model?.provider !== model.provider || context.model.modelId !== model.id) {
      entries.push({ type: "model_change", provider: model.provider, modelId: model.id });
    }
    if (context.thinkingLevel !== this.#thinkingLevel) {
      entries.push({ type: "thinking_level_change", thinkingLevel: this.#thinkingLevel });
    }
    const names = this.#activeTools.map((tool) => tool.name);
    const known = context.activeToolNames ?? this.#host.tools.map((tool) => tool.name);
    if (names.length !== known.length || names.some((name) => !known.includes(name))) {
      entries.push({ type: "active_tools_change", activeToolNames: names });
    }
    this.#changes = {};
    this.#missing = undefined;
    return entries;
  }
}
