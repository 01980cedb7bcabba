// Settings that point Coppice at a loopback model server, in each wire format.

export const WIRES = ["anthropic-messages", "openai-responses", "openai-completions", "ollama-chat"];

/** User settings with one endpoint `loop` and its model chosen. */
export function settingsFor(api, url, { needsKey = false, model = {}, ...more } = {}) {
  const baseUrl = api.startsWith("openai") ? `${url}/v1` : url;
  return {
    "coppice.providers": [
      {
        id: "loop",
        name: "Loopback",
        api,
        baseUrl,
        needsKey,
        models: [{ id: "test-model", contextWindow: 200_000, maxTokens: 8000, ...model }],
      },
    ],
    "coppice.model": "loop/test-model",
    "coppice.retry.baseDelayMs": 50,
    ...more,
  };
}

/** Results of tools since the person's last message: the step that a script is at. */
export function stepOf(request) {
  const at = request.messages.findLastIndex(({ role }) => role === "user");
  return request.messages.slice(at + 1).filter(({ role }) => role === "tool").length;
}

/** What the person said last. */
export function askedIn(request) {
  return request.messages.findLast(({ role }) => role === "user")?.text ?? "";
}
