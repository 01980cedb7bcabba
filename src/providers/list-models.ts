// Asks a server which models it has, and what it knows of their limits and prices.
import type { Model } from "../core/llm/model.ts";
import { knownLevels, modelOf, type ReportedModel } from "./catalog.ts";
import { classifyError, type ErrorOrigin, KnownFailure, ResponseError } from "./classify-error.ts";
import { type Endpoint, LOCAL_ENDPOINTS } from "./endpoints.ts";
import { joinUrl } from "./server-sent-request.ts";

const LIST_TIMEOUT_MS = 15_000;
const PROBE_TIMEOUT_MS = 300;
/** Lists hold everything that a vendor serves and do not say what it is for. */
const NOT_FOR_CHAT =
  /embed|whisper|transcribe|\btts\b|dall-e|gpt-image|sora|moderation|realtime|rerank|-audio\b|babbage|davinci/i;

export interface ListOptions {
  apiKey?: string;
  signal?: AbortSignal;
  timeoutMs?: number;
}

type Json = Record<string, unknown>;

/**
 * The models of an endpoint, with what the server says about them over the catalogue's figures. Also the test of a key:
 * a wrong one fails with kind `auth`.
 * @throws KnownFailure whose `failure` says what is wrong
 */
export async function listModels(endpoint: Endpoint, options: ListOptions = {}): Promise<Model[]> {
  try {
    const reported = await report(endpoint, options);
    return reported.filter(({ id }) => id !== "").map((model) => modelOf(endpoint, model));
  } catch (error) {
    const origin: ErrorOrigin = {
      provider: endpoint.id,
      baseUrl: endpoint.baseUrl,
      aborted: options.signal?.aborted ?? false,
      apiKey: options.apiKey,
    };
    if ((error as Error).name === "TimeoutError") {
      throw new KnownFailure({ kind: "network", message: `${endpoint.baseUrl} did not answer in time.` });
    }
    throw new KnownFailure(classifyError(error, origin));
  }
}

async function report(endpoint: Endpoint, options: ListOptions): Promise<ReportedModel[]> {
  if (endpoint.api === "ollama-chat") return ollamaModels(endpoint, options);
  if (endpoint.api === "anthropic-messages") {
    const base = endpoint.baseUrl.replace(/\/v1\/?$/, "");
    const list = await getJson(joinUrl(base, "/v1/models?limit=1000"), endpoint, options);
    return dataOf(list).map(anthropicModel);
  }
  const list = await getJson(joinUrl(endpoint.baseUrl, "/models"), endpoint, options);
  const models = dataOf(list)
    .map(openaiModel)
    .filter(({ id }) => !NOT_FOR_CHAT.test(id));
  return endpoint.needsKey ? models : withLocalWindows(endpoint, models, options);
}

async function getJson(url: string, endpoint: Endpoint, options: ListOptions, body?: unknown): Promise<unknown> {
  const headers: Record<string, string> = { accept: "application/json" };
  if (endpoint.api === "anthropic-messages") headers["anthropic-version"] = "2026-10-21";
  if (options.apiKey !== undefined) {
    if (endpoint.compat?.apiKeyHeader === "x-api-key") headers["x-api-key"] = options.apiKey;
    else headers.authorization = `Bearer ${options.apiKey}`;
  }
  if (body !== undefined) headers["content-type"] = "application/json";
  const timeout = AbortSignal.timeout(options.timeoutMs ?? LIST_TIMEOUT_MS);
  const response = await fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: { ...headers, ...endpoint.headers },
    signal: options.signal === undefined ? timeout : AbortSignal.any([options.signal, timeout]),
    redirect: "manual",
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  let parsed: unknown = text;
  try {
    parsed = JSON.parse(text);
  } catch {
    if (response.ok) throw new ResponseError(response.status, text, response.headers);
  }
  if (!response.ok) throw new ResponseError(response.status, parsed, response.headers);
  return parsed;
}

function dataOf(list: unknown): Json[] {
  const { data, models } = (list ?? {}) as { data?: unknown; models?: unknown };
  const found = Array.isArray(list) ? list : Array.isArray(data) ? data : Array.isArray(models) ? models : [];
  return found.filter((item): item is Json => typeof item === "object" && item !== null);
}

const positive = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value > 0 ? Math.floor(value) : undefined;

/** Only the figures that are there: an absent one must not hide the catalogue's. */
function compact(model: { [K in keyof ReportedModel]: ReportedModel[K] | undefined } & { id: string }): ReportedModel {
  return Object.fromEntries(
    Object.entries(model).filter(([, value]) => value !== undefined),
  ) as unknown as ReportedModel;
}

/** Capabilities are read, never guessed from names: those change (providers §1). */
function anthropicModel(item: Json): ReportedModel {
  const thinking = (item.capabilities as { thinking?: { types?: Record<string, { supported?: boolean }> } } | undefined)
    ?.thinking;
  const effort = (item.capabilities as { effort?: Record<string, { supported?: boolean }> } | undefined)?.effort;
  const supports = (group: Record<string, { supported?: boolean } | boolean> | undefined, key: string) => {
    const value = group?.[key];
    return value === true || (typeof value === "object" && value?.supported === true);
  };
  const adaptive = supports(thinking?.types, "adaptive");
  const budget = supports(thinking?.types, "enabled");
  const levels = adaptive
    ? ["low", "medium", "high", "xhigh"].filter((level) => supports(effort, level))
    : budget
      ? ["minimal", "low", "medium", "high"]
      : [];
  const off = supports(thinking?.types, "disabled") || !adaptive ? ["off"] : [];
  return compact({
    id: String(item.id ?? ""),
    name: typeof item.display_name === "string" ? item.display_name : undefined,
    contextWindow: positive(item.max_input_tokens),
    maxTokens: positive(item.max_tokens),
    thinkingLevels: levels.length > 0 ? knownLevels([...off, ...levels]) : undefined,
    compat: levels.length > 0 ? { thinking: adaptive ? "adaptive" : "budget" } : undefined,
  });
}

/** OpenAI says nothing but the id; vLLM, OpenRouter and others say more, each in its own words. */
function openaiModel(item: Json): ReportedModel {
  const top = item.top_provider as { context_length?: unknown; max_completion_tokens?: unknown } | undefined;
  const modalities = (item.architecture as { input_modalities?: unknown } | undefined)?.input_modalities;
  const parameters = Array.isArray(item.supported_parameters) ? item.supported_parameters : undefined;
  return compact({
    id: String(item.id ?? item.name ?? ""),
    name: typeof item.name === "string" ? item.name : undefined,
    contextWindow:
      positive(item.context_length) ??
      positive(top?.context_length) ??
      positive(item.max_model_len) ??
      positive(item.max_input_tokens),
    maxTokens: positive(top?.max_completion_tokens) ?? positive(item.max_tokens),
    images: Array.isArray(modalities) ? modalities.includes("image") : undefined,
    thinkingLevels:
      parameters?.includes("reasoning") === true ? knownLevels(["off", "low", "medium", "high"]) : undefined,
    cost: priceOf(item.pricing),
  });
}

/** OpenRouter's prices are dollars per token, as text; negative ones mean that they vary. */
function priceOf(pricing: unknown): ReportedModel["cost"] | undefined {
  const { prompt, completion, input_cache_read, input_cache_write } = (pricing ?? {}) as Record<string, unknown>;
  const perMillion = (value: unknown) =>
    value === undefined || value === null ? Number.NaN : Math.round(Number(value) * 1e12) / 1e6;
  const input = perMillion(prompt);
  const output = perMillion(completion);
  if (!(input >= 0) || !(output >= 0)) return undefined;
  const orInput = (value: number) => (value >= 0 ? value : input);
  return {
    input,
    output,
    cacheRead: orInput(perMillion(input_cache_read)),
    cacheWrite: orInput(perMillion(input_cache_write)),
  };
}

async function ollamaModels(endpoint: Endpoint, options: ListOptions): Promise<ReportedModel[]> {
  const base = endpoint.baseUrl.replace(/\/(v1|api)\/?$/, "");
  const tags = dataOf(await getJson(joinUrl(base, "/api/tags"), endpoint, options));
  return Promise.all(
    tags.map(async (tag) => {
      const id = String(tag.model ?? tag.name ?? "");
      // A model that cannot be described can still be used.
      const shown = (await getJson(joinUrl(base, "/api/show"), endpoint, options, { model: id }).catch(
        () => ({}),
      )) as Json;
      const info = (shown.model_info ?? {}) as Json;
      const trained = positive(Object.entries(info).find(([key]) => key.endsWith(".context_length"))?.[1]);
      const asked = /num_ctx\s+(\d+)/.exec(String(shown.parameters ?? ""))?.[1];
      const capabilities = Array.isArray(shown.capabilities) ? shown.capabilities : [];
      return compact({
        id,
        // The window is allocated as asked for; a trained million would not fit a person's memory.
        contextWindow:
          asked !== undefined ? Number(asked) : trained === undefined ? undefined : Math.min(trained, 32_768),
        images: capabilities.includes("vision"),
        thinkingLevels: capabilities.includes("thinking") ? knownLevels(["off", "medium"]) : undefined,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      });
    }),
  );
}

/** What LM Studio and llama.cpp really loaded, which may be less than the model could take. */
async function withLocalWindows(
  endpoint: Endpoint,
  models: ReportedModel[],
  options: ListOptions,
): Promise<ReportedModel[]> {
  const base = endpoint.baseUrl.replace(/\/v1\/?$/, "");
  const quiet = { ...options, timeoutMs: Math.min(options.timeoutMs ?? 2_000, 2_000) };
  const [props, studio] = await Promise.all([
    getJson(joinUrl(base, "/props"), endpoint, quiet).catch(() => undefined),
    getJson(joinUrl(base, "/api/v1/models"), endpoint, quiet).catch(() => undefined),
  ]);
  const settings = (props as { n_ctx?: unknown; default_generation_settings?: { n_ctx?: unknown } } | undefined) ?? {};
  const shared = positive(settings.default_generation_settings?.n_ctx) ?? positive(settings.n_ctx);
  const loaded = new Map(
    dataOf(studio).map((item) => {
      const instances = Array.isArray(item.loaded_instances)
        ? (item.loaded_instances as { config?: { context_length?: unknown } }[])
        : [];
      const window = positive(instances[0]?.config?.context_length) ?? positive(item.max_context_length);
      return [String(item.key ?? item.id ?? ""), window] as const;
    }),
  );
  const free = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  return models.map((model) => {
    const window = loaded.get(model.id) ?? shared ?? model.contextWindow;
    return { ...model, cost: model.cost ?? free, ...(window === undefined ? {} : { contextWindow: window }) };
  });
}

export interface FoundServer {
  endpoint: Endpoint;
  models: Model[];
}

/**
 * Looks for model servers on this machine, at four ports, for 300 ms each. Only on a person's click: in a remote window
 * "this machine" is the remote one.
 * @param endpoints for tests
 */
export async function probeLocal(
  endpoints: readonly Endpoint[] = LOCAL_ENDPOINTS,
  timeoutMs = PROBE_TIMEOUT_MS,
): Promise<FoundServer[]> {
  const found = await Promise.all(
    endpoints.map(async (endpoint) => {
      try {
        return { endpoint, models: await listModels(endpoint, { timeoutMs }) };
      } catch {
        return undefined;
      }
    }),
  );
  return found.filter((server): server is FoundServer => server !== undefined && server.models.length > 0);
}
