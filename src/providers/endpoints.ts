// Places that serve models, as they are offered before anything is configured.
import type { Api } from "../core/llm/model.ts";

export interface Endpoint {
  /** Part of a model's identity; the `provider` of its messages. */
  id: string;
  name: string;
  api: Api;
  baseUrl: string;
  needsKey: boolean;
  headers?: Readonly<Record<string, string>>;
  compat?: Readonly<Record<string, unknown>>;
}

const cloud = (id: string, name: string, api: Api, baseUrl: string): Endpoint => ({
  id,
  name,
  api,
  baseUrl,
  needsKey: true,
});
const local = (id: string, name: string, api: Api, baseUrl: string): Endpoint => ({
  id,
  name,
  api,
  baseUrl,
  needsKey: false,
});

export const CLOUD_ENDPOINTS: readonly Endpoint[] = [
  cloud("anthropic", "Anthropic", "anthropic-messages", "https://api.anthropic.com"),
  cloud("openai", "OpenAI", "openai-responses", "https://api.openai.com/v1"),
  cloud("openrouter", "OpenRouter", "openai-completions", "https://openrouter.ai/api/v1"),
  cloud("deepseek", "DeepSeek", "openai-completions", "https://api.deepseek.com"),
  cloud("xai", "xAI", "openai-responses", "https://api.x.ai/v1"),
  cloud("mistral", "Mistral", "openai-completions", "https://api.mistral.ai/v1"),
  cloud("groq", "Groq", "openai-completions", "https://api.groq.com/openai/v1"),
  cloud("moonshotai", "Moonshot", "openai-completions", "https://api.moonshot.ai/v1"),
  cloud("zai", "Z.ai", "openai-completions", "https://api.z.ai/api/paas/v4"),
];

/** Looked for on request only, at the ports that these servers take by default. */
export const LOCAL_ENDPOINTS: readonly Endpoint[] = [
  local("ollama", "Ollama", "ollama-chat", "http://127.0.0.1:11434"),
  local("lmstudio", "LM Studio", "openai-completions", "http://127.0.0.1:1234/v1"),
  local("llamacpp", "llama.cpp", "openai-completions", "http://127.0.0.1:8080/v1"),
  local("vllm", "vLLM", "openai-completions", "http://127.0.0.1:8000/v1"),
];
