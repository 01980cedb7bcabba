// Settings as typed values: what the person set in the editor, then Pi's files, then the default (product.md Settings).
import * as vscode from "vscode";
import * as z from "zod/mini";
import type { HarnessSettings } from "../core/harness/harness-settings.ts";
import type { ApprovalsMode } from "../protocol/view-state.ts";

const providerSchema = z.object({
  id: z.string().check(z.regex(/^[A-Za-z0-9][\w.-]{0,63}$/)),
  api: z.enum(["anthropic-messages", "openai-responses", "openai-completions", "ollama-chat"]),
  baseUrl: z.string().check(z.regex(/^https?:\/\//)),
  name: z.optional(z.string()),
  needsKey: z.optional(z.boolean()),
  headers: z.optional(z.record(z.string(), z.string())),
  models: z.optional(
    z.array(
      z.union([
        z.string(),
        z.object({
          id: z.string(),
          name: z.optional(z.string()),
          contextWindow: z.optional(z.number().check(z.int(), z.minimum(1024))),
          maxTokens: z.optional(z.number().check(z.int(), z.minimum(1))),
          thinkingLevels: z.optional(z.array(z.string())),
          images: z.optional(z.boolean()),
          cost: z.optional(
            z.object({ input: z.number(), output: z.number(), cacheRead: z.number(), cacheWrite: z.number() }),
          ),
          compat: z.optional(z.record(z.string(), z.unknown())),
        }),
      ]),
    ),
  ),
});
export type ProviderSetting = z.infer<typeof providerSchema>;

const tokens = z.number().check(z.int(), z.minimum(0), z.maximum(Number.MAX_SAFE_INTEGER));
const compactionSchema = z.partial(
  z.object({
    enabled: z.boolean(),
    reserveTokens: tokens,
    keepRecentTokens: tokens,
    trigger: z.union([tokens, z.string()]),
  }),
);
const piSettingsSchema = z.partial(
  z.object({
    compaction: z.extend(compactionSchema, { modelOverrides: z.optional(z.record(z.string(), compactionSchema)) }),
    branchSummary: z.partial(z.object({ reserveTokens: tokens, skipPrompt: z.boolean() })),
    retry: z.partial(
      z.object({ enabled: z.boolean(), maxRetries: tokens, baseDelayMs: tokens, maxAgentDelayMs: tokens }),
    ),
    steeringMode: z.enum(["one-at-a-time", "all"]),
    followUpMode: z.enum(["one-at-a-time", "all"]),
    treeFilterMode: z.string(),
  }),
);
export type PiSettings = z.infer<typeof piSettingsSchema>;

export interface SettingsProblem {
  what: string;
  reason: string;
}

/** Reads Pi's settings files; a broken one is reported and counts as empty. */
export class PiSettingsFiles {
  #merged: PiSettings = {};
  readonly #readText: (path: string) => Promise<string | undefined>;

  constructor(readText: (path: string) => Promise<string | undefined>) {
    this.#readText = readText;
  }

  get values(): PiSettings {
    return this.#merged;
  }

  /** @param paths the global file first; later ones win, object by object. */
  async load(paths: readonly string[]): Promise<SettingsProblem[]> {
    const problems: SettingsProblem[] = [];
    let merged: Record<string, unknown> = {};
    for (const path of paths) {
      try {
        const text = await this.#readText(path);
        if (text === undefined) continue;
        const parsed = piSettingsSchema.safeParse(JSON.parse(text));
        if (!parsed.success) {
          const issue = parsed.error.issues[0];
          throw new Error(`${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}`);
        }
        merged = mergeObjects(merged, parsed.data as Record<string, unknown>);
      } catch (error) {
        problems.push({ what: path, reason: error instanceof Error ? error.message : String(error) });
      }
    }
    this.#merged = merged as PiSettings;
    return problems;
  }
}

function mergeObjects(a: Record<string, unknown>, b: Record<string, unknown>): Record<string, unknown> {
  const out = { ...a };
  for (const [key, value] of Object.entries(b)) {
    if (value === undefined || key === "__proto__") continue;
    const before = out[key];
    out[key] = isObject(before) && isObject(value) ? mergeObjects(before, value) : value;
  }
  return out;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

export type AskSummary = "ask" | "always" | "never";

/** The person's settings. Values out of range count as unset; `problems` names them. */
export class Configuration implements vscode.Disposable {
  readonly #pi: PiSettingsFiles;
  /** The editor copies all settings for each that is looked up: what was found holds until something changes. */
  readonly #known = new Map<string, unknown>();
  readonly #watch: vscode.Disposable;
  problems: SettingsProblem[] = [];

  constructor(pi: PiSettingsFiles) {
    this.#pi = pi;
    this.#watch = vscode.workspace.onDidChangeConfiguration(() => this.#known.clear());
  }

  dispose(): void {
    this.#watch.dispose();
  }

  /** The value that the person set, or undefined; the manifest's default does not count. */
  #set(key: string): unknown {
    if (this.#known.has(key)) return this.#known.get(key);
    const found = vscode.workspace.getConfiguration("coppice").inspect(key);
    const value = found?.workspaceFolderValue ?? found?.workspaceValue ?? found?.globalValue;
    this.#known.set(key, value);
    return value;
  }

  #pick<T>(key: string, accepts: (value: unknown) => value is T, pi: T | undefined, fallback: T): T {
    const own = this.#set(key);
    if (own !== undefined) {
      if (accepts(own)) return own;
      this.problems.push({ what: `coppice.${key}`, reason: `${JSON.stringify(own)} is not a possible value` });
    }
    return pi ?? fallback;
  }

  harness(): HarnessSettings {
    this.problems = [];
    const pi = this.#pi.values;
    const trigger = this.#pick("compaction.trigger", isTrigger, pi.compaction?.trigger, "");
    const own = z.record(z.string(), compactionSchema).safeParse(this.#set("compaction.modelOverrides") ?? {});
    const overrides = { ...pi.compaction?.modelOverrides, ...(own.success ? own.data : {}) };
    return {
      compaction: {
        enabled: this.#pick("compaction.enabled", isBoolean, pi.compaction?.enabled, true),
        reserveTokens: this.#pick("compaction.reserveTokens", isTokens, pi.compaction?.reserveTokens, 16384),
        keepRecentTokens: this.#pick("compaction.keepRecentTokens", isTokens, pi.compaction?.keepRecentTokens, 20000),
        ...(trigger === "" ? {} : { trigger }),
        modelOverrides: overrides as HarnessSettings["compaction"]["modelOverrides"],
      },
      branchSummary: {
        reserveTokens: this.#pick("branchSummary.reserveTokens", isTokens, pi.branchSummary?.reserveTokens, 16384),
      },
      retry: {
        enabled: pi.retry?.enabled ?? true,
        maxRetries: this.#pick("retry.maxRetries", isTokens, pi.retry?.maxRetries, 3),
        baseDelayMs: this.#pick("retry.baseDelayMs", isTokens, pi.retry?.baseDelayMs, 2000),
        maxDelayMs: pi.retry?.maxAgentDelayMs ?? 60_000,
      },
      steeringMode: this.#pick("steeringMode", isQueueMode, pi.steeringMode, "one-at-a-time"),
      followUpMode: this.#pick("followUpMode", isQueueMode, pi.followUpMode, "one-at-a-time"),
    };
  }

  askSummary(): AskSummary {
    const fallback: AskSummary = this.#pi.values.branchSummary?.skipPrompt === true ? "never" : "ask";
    return this.#pick("branchSummary.ask", isAsk, undefined, fallback);
  }

  model(): string {
    return this.#pick("model", isString, undefined, "");
  }
  thinkingLevel(): string {
    return this.#pick("thinkingLevel", isString, undefined, "medium");
  }
  approvalsMode(): ApprovalsMode {
    return vscode.workspace.getConfiguration("coppice").get<ApprovalsMode>("approvals.mode", "ask");
  }
  async setApprovalsMode(mode: ApprovalsMode): Promise<void> {
    await vscode.workspace
      .getConfiguration("coppice")
      .update("approvals.mode", mode, vscode.ConfigurationTarget.Global);
  }
  /** Commands that the person allowed for good, word by word. */
  allowedCommands(): string[] {
    return strings(vscode.workspace.getConfiguration("coppice").get("approvals.commands", []));
  }
  hooksEnabled(): boolean {
    return vscode.workspace.getConfiguration("coppice").get<boolean>("hooks.enabled", true);
  }
  sessionsRoot(): string {
    return vscode.workspace.getConfiguration("coppice").get<string>("sessions.root", "").trim();
  }
  includePi(): boolean {
    return vscode.workspace.getConfiguration("coppice").get<boolean>("sessions.includePi", true);
  }
  instructionFiles(): string[] {
    return strings(vscode.workspace.getConfiguration("coppice").get("instructions.files", ["AGENTS.md"]));
  }
  treeFilter(): string {
    return this.#pick("tree.filter", isString, this.#pi.values.treeFilterMode, "default");
  }
  /** Endpoints of the person; one that is not understood is left out and named in `problems`. */
  providers(): ProviderSetting[] {
    const raw = vscode.workspace.getConfiguration("coppice").get<unknown>("providers", []);
    const out: ProviderSetting[] = [];
    for (const item of Array.isArray(raw) ? raw : []) {
      const parsed = providerSchema.safeParse(item);
      if (parsed.success) out.push(parsed.data);
      else {
        const issue = parsed.error.issues[0];
        this.problems.push({
          what: "coppice.providers",
          reason: `${issue?.path.join(".") ?? ""}: ${issue?.message ?? "not valid"}`,
        });
      }
    }
    return out;
  }
  async addProvider(provider: ProviderSetting): Promise<void> {
    const others = this.providers().filter((known) => known.id !== provider.id);
    await vscode.workspace
      .getConfiguration("coppice")
      .update("providers", [...others, provider], vscode.ConfigurationTarget.Global);
  }
}

function isBoolean(value: unknown): value is boolean {
  return typeof value === "boolean";
}
function isString(value: unknown): value is string {
  return typeof value === "string";
}
function isTokens(value: unknown): value is number {
  return typeof value === "number" && Number.isSafeInteger(value) && value >= 0;
}
function isTrigger(value: unknown): value is number | string {
  return isTokens(value) || (typeof value === "string" && /^\s*(\d+(\.\d+)?\s*%?)?\s*$/.test(value));
}
function isQueueMode(value: unknown): value is "one-at-a-time" | "all" {
  return value === "one-at-a-time" || value === "all";
}
function isAsk(value: unknown): value is AskSummary {
  return value === "ask" || value === "always" || value === "never";
}
function strings(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(isString) : [];
}
