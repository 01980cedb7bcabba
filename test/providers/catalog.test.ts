// Figures of models: the catalogue's, a server's, and none.
import { describe, expect, it } from "vitest";
import { clampThinkingLevel } from "../../src/core/llm/model.ts";
import { catalogModels, modelOf, UNKNOWN_WINDOW } from "../../src/providers/catalog.ts";
import { costOf, usageOf } from "../../src/providers/cost.ts";
import { CLOUD_ENDPOINTS, type Endpoint } from "../../src/providers/endpoints.ts";

const endpoint = (id: string) => CLOUD_ENDPOINTS.find((candidate) => candidate.id === id) as Endpoint;

describe("the catalogue", () => {
  it("knows windows, limits, prices and levels of current models", () => {
    expect(modelOf(endpoint("anthropic"), { id: "claude-opus-5-5" })).toMatchObject({
      contextWindow: 1_000_000,
      maxTokens: 128_000,
      cost: { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
      compat: { thinking: "adaptive", thinkingBinding: true },
    });
    expect(modelOf(endpoint("openai"), { id: "gpt-6.2-sol" })).toMatchObject({
      contextWindow: 272_000,
      cost: { input: 2, output: 10 },
    });
    expect(catalogModels(endpoint("anthropic")).length).toBeGreaterThan(5);
  });

  it("raises a level that the model refuses to its lowest", () => {
    expect(clampThinkingLevel(modelOf(endpoint("anthropic"), { id: "claude-opus-5-5" }), "off")).toBe("low");
    expect(clampThinkingLevel(modelOf(endpoint("anthropic"), { id: "claude-opus-5" }), "off")).toBe("off");
  });

  it("finds snapshots, and limits without a price where somebody else sells the model", () => {
    expect(modelOf(endpoint("anthropic"), { id: "claude-haiku-4-5-20251001" }).cost).toMatchObject({ input: 1 });
    const resold = modelOf(endpoint("openrouter"), { id: "anthropic/claude-opus-5.5" });
    expect(resold.contextWindow).toBe(1_000_000);
    expect(resold.cost).toBeUndefined();
  });

  it("guesses 32k for what it does not know, says so, and gives no price", () => {
    const model = modelOf(endpoint("openrouter"), { id: "nobody/knows" });
    expect(model).toMatchObject({
      contextWindow: UNKNOWN_WINDOW,
      guessed: true,
      thinkingLevels: ["off"],
      input: ["text"],
    });
    expect(model.cost).toBeUndefined();
  });

  it("lets the server's figures win", () => {
    const model = modelOf(endpoint("anthropic"), { id: "claude-opus-5-5", contextWindow: 500_000, maxTokens: 64_000 });
    expect(model).toMatchObject({ contextWindow: 500_000, maxTokens: 64_000, cost: { input: 4 } });
    expect(model.guessed).toBeUndefined();
  });
});

describe("cost", () => {
  const haiku = modelOf(endpoint("anthropic"), { id: "claude-haiku-5-5" });
  const counts = (input: number, cacheRead = 0) => ({ input, output: 1_000, cacheRead, cacheWrite: 0 });

  it("goes by the whole input, cache included, when prices have tiers", () => {
    const below = costOf(haiku.cost!, counts(100_000));
    const above = costOf(haiku.cost!, counts(1, 100_000));
    expect(below.input).toBeCloseTo(100_000 * 0.1e-6, 12);
    expect(above.cacheRead).toBeCloseTo(100_000 * 0.05e-6, 12);
    expect(above.output).toBeCloseTo(1_000 * 2.5e-6, 12);
  });

  it("takes twice the input price for what is cached for an hour", () => {
    const cost = costOf(
      { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
      { input: 0, output: 0, cacheRead: 0, cacheWrite: 1_000_000, cacheWriteLong: 400_000 },
    );
    expect(cost.cacheWrite).toBeCloseTo(0.6 * 5 + 0.4 * 8, 9);
  });

  it("prefers what the provider charged, and is unknown rather than nothing without a price", () => {
    const { cost: _, ...unpriced } = haiku;
    expect(usageOf(unpriced, counts(10), 0.25)).toMatchObject({ cost: { total: 0.25 } });
    expect(usageOf(unpriced, counts(10), 0.25).unpriced).toBeUndefined();
    expect(usageOf(unpriced, counts(10)).unpriced).toBe(true);
    expect(usageOf(haiku, counts(10), -1).cost.total).toBeGreaterThan(0);
  });
});
