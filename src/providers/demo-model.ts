// What the demo is called and how large it plays; apart from its script, which is loaded with its first reply.
import type { Model } from "../core/llm/model.ts";

export const DEMO_MODEL: Model = {
  id: "demo",
  name: "Demo (scripted, not AI)",
  api: "coppice-demo",
  provider: "demo",
  baseUrl: "",
  thinkingLevels: ["off", "low"],
  input: ["text"],
  contextWindow: 16_384,
  maxTokens: 4_096,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
};
