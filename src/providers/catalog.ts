// Windows, limits, prices and thinking of current models; what a server or the person says comes first.
// Figures of 20 November 2026, US dollars per million tokens.
import { type Model, type ModelCost, THINKING_LEVELS, type ThinkingLevel } from "../core/llm/model.ts";
import type { Endpoint } from "./endpoints.ts";

interface KnownModel {
  name: string;
  window: number;
  output: number;
  levels: readonly ThinkingLevel[];
  images: boolean;
  price: ModelCost;
  compat?: Readonly<Record<string, unknown>>;
}

/** Day of the figures, for the screen. */
export const CATALOG_DATE = "2026-11-20";

const price = (input: number, output: number, cacheRead: number, cacheWrite: number): ModelCost => ({
  input,
  output,
  cacheRead,
  cacheWrite,
});
const tiered = (base: ModelCost, aboveTokens: number, above: ModelCost): ModelCost => ({
  ...base,
  tiers: [{ aboveTokens, ...above }],
});

const OFF = ["off"] as const;
const BUDGET = ["off", "minimal", "low", "medium", "high"] as const;
const EFFORT = ["low", "medium", "high", "xhigh"] as const;
const EFFORT_OR_OFF = ["off", ...EFFORT] as const;
const LOW_HIGH = ["off", "low", "high"] as const;

const adaptive = { thinking: "adaptive" };
const bound = { thinking: "adaptive", thinkingBinding: true };

function claude(
  name: string,
  levels: readonly ThinkingLevel[],
  cost: ModelCost,
  compat: KnownModel["compat"] = adaptive,
): KnownModel {
  return { name, window: 1_000_000, output: 128_000, levels, images: true, price: cost, compat };
}

function smallClaude(name: string, cost: ModelCost): KnownModel {
  return {
    name,
    window: 200_000,
    output: 64_000,
    levels: BUDGET,
    images: true,
    price: cost,
    compat: { thinking: "budget" },
  };
}

/** The price doubles above 272k, so that is the window that is offered; the real one is about 1.05 million. */
function gpt(name: string, levels: readonly ThinkingLevel[], base: ModelCost, above: ModelCost): KnownModel {
  return { name, window: 272_000, output: 128_000, levels, images: true, price: tiered(base, 272_000, above) };
}

function open(
  name: string,
  window: number,
  output: number,
  levels: readonly ThinkingLevel[],
  cost: ModelCost,
  images = false,
): KnownModel {
  return { name, window, output, levels, images, price: cost };
}

/** By the host that sets the price, then by model id. */
const CATALOG: Readonly<Record<string, Readonly<Record<string, KnownModel>>>> = {
  "api.anthropic.com": {
    "claude-opus-5-5": claude("Claude Opus 5.5", EFFORT, price(4, 20, 0.2, 5), bound),
    "claude-sonnet-5-5": claude("Claude Sonnet 5.5", EFFORT, price(2, 10, 0.1, 2.5), bound),
    "claude-haiku-5-5": claude(
      "Claude Haiku 5.5",
      EFFORT_OR_OFF,
      tiered(price(0.1, 0.5, 0.01, 0.125), 100_000, price(0.5, 2.5, 0.05, 0.625)),
      bound,
    ),
    "claude-fable-5-2": claude("Claude Fable 5.2", EFFORT, price(8, 40, 0.2, 10), bound),
    "claude-opus-5": claude("Claude Opus 5", EFFORT_OR_OFF, price(5, 25, 0.5, 6.25)),
    "claude-sonnet-5": claude("Claude Sonnet 5", EFFORT_OR_OFF, price(2, 10, 0.2, 2.5)),
    "claude-sonnet-4-6": claude("Claude Sonnet 4.6", ["off", "low", "medium", "high"], price(3, 15, 0.3, 3.75)),
    "claude-haiku-4-5": smallClaude("Claude Haiku 4.5", price(1, 5, 0.1, 1.25)),
    "claude-sonnet-4-5": smallClaude("Claude Sonnet 4.5", price(3, 15, 0.3, 3.75)),
  },
  "api.openai.com": {
    "gpt-6.2-sol": gpt("GPT-6.2 Sol", EFFORT, price(2, 10, 0.1, 2.5), price(4, 15, 0.2, 5)),
    "gpt-6.2-astra": gpt("GPT-6.2 Astra", EFFORT, price(8, 40, 0.4, 10), price(16, 60, 0.8, 20)),
    "gpt-6.1-terra": gpt("GPT-6.1 Terra", EFFORT_OR_OFF, price(1, 5, 0.05, 1.25), price(2, 7.5, 0.1, 2.5)),
    "gpt-6-luna": gpt("GPT-6 Luna", EFFORT_OR_OFF, price(0.1, 0.5, 0.01, 0.125), price(0.2, 0.75, 0.02, 0.25)),
    "gpt-5.5": gpt("GPT-5.5", EFFORT_OR_OFF, price(5, 30, 0.5, 0), price(10, 45, 1, 0)),
    "gpt-4.1": {
      name: "GPT-4.1",
      window: 1_047_576,
      output: 32_768,
      levels: OFF,
      images: true,
      price: price(2, 8, 0.5, 0),
    },
  },
  "api.deepseek.com": {
    "deepseek-flash": open("DeepSeek V4.1 Flash", 1_000_000, 384_000, LOW_HIGH, price(0.3, 1.2, 0.006, 0), true),
    "deepseek-v4-pro": open("DeepSeek V4 Pro", 1_000_000, 384_000, ["off", "high"], price(1.32, 3.96, 0.044, 0)),
  },
  "api.x.ai": {
    "grok-4.7": {
      ...open("Grok 4.7", 500_000, 500_000, EFFORT, tiered(price(2, 6, 0.5, 0), 200_000, price(4, 12, 1, 0)), true),
      compat: { systemRole: "system" },
    },
  },
  "api.mistral.ai": {
    "devstral-latest": open("Devstral 2", 262_144, 262_144, OFF, price(0.4, 2, 0.04, 0)),
  },
  "api.groq.com": {
    "openai/gpt-oss-120b": open("GPT OSS 120B", 131_072, 65_536, ["low", "medium", "high"], price(0.15, 0.6, 0.075, 0)),
  },
  "api.moonshot.ai": {
    "kimi-k3.1-pro": {
      ...open("Kimi K3.1 Pro", 1_048_576, 1_048_576, ["low", "high"], price(2, 10, 0.2, 0), true),
      compat: { thinkingFormat: "openai" },
    },
  },
};

/** Tokens assumed of a model that nothing is known of. */
export const UNKNOWN_WINDOW = 32_768;
const UNKNOWN_OUTPUT = 8_192;

/** What a server, or the person's settings, say of a model; each figure wins over the catalogue's. */
export interface ReportedModel {
  id: string;
  name?: string;
  contextWindow?: number;
  maxTokens?: number;
  images?: boolean;
  thinkingLevels?: readonly ThinkingLevel[];
  cost?: ModelCost;
  compat?: Readonly<Record<string, unknown>>;
}

/**
 * A model of an endpoint. Unknown models get 32,768 tokens as a guess (`guessed`) that an overflow may correct, and no
 * price; a known model at another host than its vendor's keeps its limits but not its price.
 */
export function modelOf(endpoint: Endpoint, reported: ReportedModel): Model {
  const { known, priced } = lookUp(endpoint.baseUrl, reported.id);
  const contextWindow = reported.contextWindow ?? known?.window;
  const window = contextWindow ?? UNKNOWN_WINDOW;
  const cost = reported.cost ?? (priced ? known?.price : undefined);
  const compat = { ...known?.compat, ...endpoint.compat, ...reported.compat };
  const images = reported.images ?? known?.images ?? false;
  return {
    id: reported.id,
    name: reported.name ?? known?.name ?? reported.id,
    api: endpoint.api,
    provider: endpoint.id,
    baseUrl: endpoint.baseUrl,
    thinkingLevels: reported.thinkingLevels ?? known?.levels ?? OFF,
    input: images ? ["text", "image"] : ["text"],
    contextWindow: window,
    maxTokens: reported.maxTokens ?? known?.output ?? Math.min(UNKNOWN_OUTPUT, Math.floor(window / 4)),
    ...(cost === undefined ? {} : { cost }),
    ...(endpoint.headers === undefined ? {} : { headers: endpoint.headers }),
    ...(Object.keys(compat).length === 0 ? {} : { compat }),
    ...(contextWindow === undefined ? { guessed: true } : {}),
  };
}

/** The catalogue's models of an endpoint, for a list before the server was asked. */
export function catalogModels(endpoint: Endpoint): Model[] {
  return Object.keys(CATALOG[hostOf(endpoint.baseUrl)] ?? {}).map((id) => modelOf(endpoint, { id }));
}

function lookUp(baseUrl: string, id: string): { known?: KnownModel; priced: boolean } {
  // Snapshots are named by their day: "claude-haiku-4-5-20251001", "gpt-5.5-2026-04-01".
  const plain = id.replace(/-(\d{8}|\d{4}-\d{2}-\d{2})$/, "");
  const own = CATALOG[hostOf(baseUrl)];
  const ofHost = own?.[id] ?? own?.[plain];
  if (ofHost !== undefined) return { known: ofHost, priced: true };
  const tail = plain.split("/").at(-1) ?? plain;
  // Resellers write "claude-opus-5.5" for "claude-opus-5-5".
  const names = [plain, tail, tail.replace(/^(claude-.*)\.(\d)/, "$1-$2")];
  for (const models of Object.values(CATALOG)) {
    for (const name of names) if (models[name] !== undefined) return { known: models[name], priced: false };
  }
  return { priced: false };
}

function hostOf(baseUrl: string): string {
  try {
    return new URL(baseUrl).hostname;
  } catch {
    return "";
  }
}

/** The levels of a list that are levels at all, in their order. */
export function knownLevels(levels: readonly string[]): ThinkingLevel[] {
  return THINKING_LEVELS.filter((level) => levels.includes(level));
}
