// From a model's wire format to its stream function; each SDK is loaded with the first request that needs it.
import type { Api } from "../core/llm/model.ts";
import type { StreamFunction } from "../core/llm/stream.ts";

/**
 * The stream function of an API. `vscode-lm` is not among them: the editor's models live in the extension, which makes
 * their stream function itself.
 * @throws Error for an API that has no adapter here
 */
export async function streamFunctionFor(api: Api): Promise<StreamFunction> {
  switch (api) {
    case "anthropic-messages":
      return (await import("./anthropic.ts")).streamAnthropic;
    case "openai-responses":
      return (await import("./openai-responses.ts")).streamOpenAIResponses;
    case "openai-completions":
      return (await import("./openai-chat.ts")).streamOpenAIChat;
    case "ollama-chat":
      return (await import("./ollama.ts")).streamOllama;
    case "coppice-demo":
      return (await import("./demo.ts")).streamDemo;
    default:
      throw new Error(`there is no adapter for "${api}" here`);
  }
}
