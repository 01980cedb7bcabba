// What is known of a model: its wire format, window, limits and prices.

/** Wire formats, named as in Pi's session files where Pi has them. */
export type Api =
  | "anthropic-messages"
  | "openai-responses"
  | "openai-completions"
  | "ollama-chat"
  | "vscode-lm"
  | "coppice-demo";

export const THINKING_LEVELS = ["off", "minimal", "low", "medium", "high", "xhigh"] as const;
export type ThinkingLevel = (typeof THINKING_LEVELS)[number];

/** US dollars per million tokens. */
export interface ModelCost {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
  /** Prices that hold for requests whose whole input is above `aboveTokens`. */
  tiers?: readonly { aboveTokens: number; input: number; output: number; cacheRead: number; cacheWrite: number }[];
}

export interface Model {
  readonly id: string;
  readonly name: string;
  readonly api: Api;
  /** Id of the endpoint that serves it, as in `coppice.providers`; part of the model's identity. */
  readonly provider: string;
  readonly baseUrl: string;
  /** Levels that the model takes; `["off"]` for one that does not think. */
  readonly thinkingLevels: readonly ThinkingLevel[];
  readonly input: readonly ("text" | "image")[];
  /** Tokens of the whole window, prompt and reply. */
  readonly contextWindow: number;
  /** Tokens of one reply at the most. */
  readonly maxTokens: number;
  /** Absent: no price is known. */
  readonly cost?: ModelCost;
  /** Extra request headers, from the person's settings only. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Differences of one server from its API's standard; read by the adapters. */
  readonly compat?: Readonly<Record<string, unknown>>;
  /** True where window or limits are a guess that a server may correct. */
  readonly guessed?: boolean;
}

/** `provider/id`, the key of `coppice.compaction.modelOverrides` and of `coppice.model`. */
export function modelKey(model: { provider: string; id: string }): string {
  return `${model.provider}/${model.id}`;
}

/** The wanted level, or the nearest lower one that the model takes, or its lowest. */
export function clampThinkingLevel(model: Pick<Model, "thinkingLevels">, wanted: string): ThinkingLevel {
  const order = THINKING_LEVELS.indexOf(wanted as ThinkingLevel);
  const taken = model.thinkingLevels.filter((level) => THINKING_LEVELS.indexOf(level) <= order);
  return taken.at(-1) ?? model.thinkingLevels[0] ?? "off";
}
