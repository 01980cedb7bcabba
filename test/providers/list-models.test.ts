// What servers say of their models, each in its own words.
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { KnownFailure } from "../../src/providers/classify-error.ts";
import type { Endpoint } from "../../src/providers/endpoints.ts";
import { listModels, probeLocal } from "../../src/providers/list-models.ts";

const servers: Server[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => new Promise((resolve) => server.close(resolve))));
});

/** Serves fixed bodies by path; `undefined` never answers. */
async function serve(routes: Record<string, unknown>, seen: Record<string, unknown>[] = []): Promise<string> {
  const server = createServer((request, response) => {
    const path = (request.url ?? "").split("?")[0] ?? "";
    seen.push({ path, ...request.headers });
    if (path in routes && routes[path] === undefined) return;
    const body = routes[path];
    response.writeHead(body === undefined ? 404 : 200, { "content-type": "application/json" });
    response.end(typeof body === "string" ? body : JSON.stringify(body ?? { error: { message: "not found" } }));
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  server.unref();
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const endpoint = (api: Endpoint["api"], baseUrl: string, needsKey = false): Endpoint => ({
  id: "test",
  name: "Test",
  api,
  baseUrl,
  needsKey,
});

describe("listModels", () => {
  it("reads limits and thinking of Anthropic's models from their capabilities", async () => {
    const capabilities = {
      thinking: {
        supported: true,
        types: { adaptive: { supported: true }, enabled: { supported: false }, disabled: { supported: false } },
      },
      effort: {
        supported: true,
        low: { supported: true },
        medium: { supported: true },
        high: { supported: true },
        xhigh: { supported: false },
      },
    };
    const seen: Record<string, unknown>[] = [];
    const url = await serve(
      {
        "/v1/models": {
          data: [
            {
              id: "claude-next",
              display_name: "Claude Next",
              max_input_tokens: 750_000,
              max_tokens: 96_000,
              capabilities,
            },
          ],
        },
      },
      seen,
    );
    const [model] = await listModels(endpoint("anthropic-messages", url, true), { apiKey: "k-1" });
    expect(model).toMatchObject({
      name: "Claude Next",
      contextWindow: 750_000,
      maxTokens: 96_000,
      thinkingLevels: ["low", "medium", "high"],
      compat: { thinking: "adaptive" },
    });
    expect(seen[0]).toMatchObject({ authorization: "Bearer k-1" });
  });

  it("reads OpenRouter's limits, prices and abilities", async () => {
    const url = await serve({
      "/v1/models": {
        data: [
          {
            id: "vendor/model",
            name: "Vendor: Model",
            context_length: 131_072,
            top_provider: { context_length: 65_536, max_completion_tokens: 16_384 },
            architecture: { input_modalities: ["text", "image"] },
            supported_parameters: ["reasoning", "tools"],
            pricing: { prompt: "0.0000005", completion: "0.000002", input_cache_read: "0.00000005" },
          },
          { id: "vendor/auto", pricing: { prompt: "-1", completion: "-1" } },
        ],
      },
    });
    const [model, auto] = await listModels(endpoint("openai-completions", `${url}/v1`, true));
    expect(model).toMatchObject({
      contextWindow: 131_072,
      maxTokens: 16_384,
      input: ["text", "image"],
      cost: { input: 0.5, output: 2, cacheRead: 0.05, cacheWrite: 0.5 },
    });
    expect(model?.thinkingLevels).toContain("high");
    expect(auto?.cost).toBeUndefined();
  });

  it("leaves out what nobody can chat with", async () => {
    const ids = ["gpt-6-luna", "text-embedding-4", "whisper-2", "gpt-tts", "gpt-realtime-2", "omni-moderation-latest"];
    const url = await serve({ "/v1/models": { data: ids.map((id) => ({ id })) } });
    const models = await listModels(endpoint("openai-responses", `${url}/v1`, true));
    expect(models.map(({ id }) => id)).toEqual(["gpt-6-luna"]);
  });

  it("reads vLLM's window", async () => {
    const url = await serve({ "/v1/models": { data: [{ id: "qwen", max_model_len: 40_960 }] } });
    expect((await listModels(endpoint("openai-completions", `${url}/v1`)))[0]).toMatchObject({
      contextWindow: 40_960,
      cost: { input: 0 },
    });
  });

  it("takes what llama.cpp and LM Studio really loaded", async () => {
    const llama = await serve({
      "/v1/models": { data: [{ id: "gguf" }] },
      "/props": { default_generation_settings: { n_ctx: 8_192 } },
    });
    expect((await listModels(endpoint("openai-completions", `${llama}/v1`)))[0]?.contextWindow).toBe(8_192);
    const studio = await serve({
      "/v1/models": { data: [{ id: "local" }, { id: "idle" }] },
      "/api/v1/models": {
        models: [
          { key: "local", max_context_length: 131_072, loaded_instances: [{ config: { context_length: 4_096 } }] },
          { key: "idle", max_context_length: 65_536, loaded_instances: [] },
        ],
      },
    });
    const models = await listModels(endpoint("openai-completions", `${studio}/v1`));
    expect(models.map(({ contextWindow }) => contextWindow)).toEqual([4_096, 65_536]);
  });

  it("asks Ollama for each model, and does without an answer", async () => {
    const url = await serve({
      "/api/tags": { models: [{ name: "llama:8b", model: "llama:8b" }] },
      "/api/show": {
        model_info: { "llama.context_length": 131_072 },
        parameters: "num_ctx                        16384",
        capabilities: ["tools", "vision", "thinking"],
      },
    });
    expect((await listModels(endpoint("ollama-chat", url)))[0]).toMatchObject({
      contextWindow: 16_384,
      input: ["text", "image"],
      thinkingLevels: ["off", "medium"],
    });
    const bare = await serve({ "/api/tags": { models: [{ name: "x" }] } });
    expect((await listModels(endpoint("ollama-chat", bare)))[0]).toMatchObject({ id: "x", guessed: true });
  });

  it("fails with what is wrong, without the key", async () => {
    const url = await serve({ "/v1/models": "<html><title>Login</title></html>" });
    const error = await listModels(endpoint("openai-completions", `${url}/v1`, true), { apiKey: "secret-key" }).catch(
      (thrown: unknown) => thrown,
    );
    expect(error).toBeInstanceOf(KnownFailure);
    expect((error as KnownFailure).failure).toMatchObject({
      kind: "network",
      message: expect.stringContaining("Login"),
    });
    expect(JSON.stringify((error as KnownFailure).failure)).not.toContain("secret-key");
  });

  it("gives up on a server that does not answer", async () => {
    const url = await serve({ "/v1/models": undefined });
    const error = await listModels(endpoint("openai-completions", `${url}/v1`, true), { timeoutMs: 50 }).catch(
      (thrown: unknown) => thrown,
    );
    expect((error as KnownFailure).failure).toMatchObject({
      kind: "network",
      message: expect.stringContaining("in time"),
    });
  });
});

describe("probeLocal", () => {
  it("finds the servers that answer and passes over the others", async () => {
    const good = await serve({ "/v1/models": { data: [{ id: "found" }] } });
    const silent = await serve({ "/v1/models": undefined });
    const found = await probeLocal(
      [
        endpoint("openai-completions", `${silent}/v1`),
        endpoint("openai-completions", `${good}/v1`),
        endpoint("ollama-chat", "http://127.0.0.1:9"),
      ],
      1_000,
    );
    expect(found.map(({ models }) => models.map(({ id }) => id))).toEqual([["found"]]);
  });
});
