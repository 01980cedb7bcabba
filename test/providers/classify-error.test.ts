// Every published wording, classified; and everything that only looks like one.
import { describe, expect, it } from "vitest";
import { CutStreamError, classifyError, ResponseError } from "../../src/providers/classify-error.ts";
import { WatchdogError } from "../../src/providers/watchdog.ts";

const origin = {
  provider: "test",
  baseUrl: "https://models.example/v1",
  aborted: false,
  now: Date.parse("2026-11-30T12:00:00Z"),
};
const classify = (status: number | undefined, body: unknown, headers: Record<string, string> = {}, provider = "test") =>
  classifyError(new ResponseError(status, body, new Headers(headers)), { ...origin, provider });

const openai = (message: string, code: string | null = null) => ({
  error: { message, type: "invalid_request_error", code },
});
const anthropic = (message: string, type = "invalid_request_error") => ({
  type: "error",
  error: { type, message },
  request_id: "r",
});

describe("a full context", () => {
  it.each<[string, number | undefined, unknown, number | undefined, string?]>([
    ["Anthropic", 400, anthropic("prompt is too long: 213462 tokens > 200000 maximum"), 200_000],
    [
      "Anthropic up to 4.x",
      400,
      anthropic(
        "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
      ),
      200_000,
    ],
    ["Anthropic by bytes", 413, anthropic("Request exceeds the maximum size", "request_too_large"), undefined],
    ["OpenAI by code", 400, openai("Something else", "context_length_exceeded"), undefined],
    [
      "OpenAI by text",
      400,
      openai("Your input exceeds the context window of this model. Please adjust your input and try again."),
      undefined,
    ],
    [
      "OpenAI in the stream",
      undefined,
      { code: "context_length_exceeded", message: "Your input exceeds the context window of this model." },
      undefined,
    ],
    ["a gateway", 400, openai("Input tokens exceed the configured limit of 272000 tokens."), 272_000],
    ["another gateway", 400, openai("exceeded max prompt tokens 128000"), 128_000],
    [
      "vLLM",
      400,
      openai(
        "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens.",
      ),
      262_144,
    ],
    [
      "OpenRouter",
      400,
      openai("This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens"),
      131_072,
    ],
    ["LiteLLM", 400, openai("litellm.ContextWindowExceededError: Context Window exceeded for given call"), undefined],
    [
      "new vLLM",
      400,
      openai(
        "You passed 33000 input tokens and requested 1024 output tokens. However, the model's context length is only 32768 tokens",
      ),
      32_768,
    ],
    [
      "llama.cpp",
      400,
      {
        error: {
          code: 400,
          message: "the request exceeds the available context size, try increasing it",
          type: "exceed_context_size_error",
          n_prompt_tokens: 180283,
          n_ctx: 180224,
        },
      },
      180_224,
    ],
    [
      "llama.cpp by text",
      400,
      { error: { message: "request (9000 tokens) exceeds the available context size (8192 tokens)" } },
      8_192,
    ],
    [
      "LM Studio",
      400,
      {
        error:
          "The number of tokens to keep from the initial prompt is greater than the context length (n_keep: 5000 >= n_ctx: 4096).",
      },
      4_096,
    ],
    ["LM Studio, newer", 400, { error: "Context size has been exceeded." }, undefined],
    ["Ollama", 400, { error: "prompt too long; exceeded max context length by 120 tokens" }, undefined],
    ["Ollama, other", 500, { error: "input length exceeds the context length" }, undefined],
    ["the editor's Copilot", undefined, "Message exceeds token limit.", undefined],
    [
      "Google",
      400,
      { error: { message: "The input token count (1196265) exceeds the maximum number of tokens allowed (1048575)." } },
      1_048_575,
    ],
    ["Bedrock", 400, { message: "Input is too long for requested model." }, undefined],
    [
      "Copilot's API",
      400,
      openai("prompt token count of 140000 exceeds the limit of 128000", "model_max_prompt_tokens_exceeded"),
      128_000,
    ],
    [
      "xAI",
      400,
      { error: "This model's maximum prompt length is 131072 but the request contains 537812 tokens." },
      131_072,
    ],
    ["Groq", 400, openai("Please reduce the length of the messages or completion."), undefined],
    [
      "Mistral",
      400,
      {
        message:
          "Prompt contains 300000 tokens and 0 draft tokens, too large for model with 262144 maximum context length",
      },
      262_144,
    ],
    [
      "Together",
      422,
      openai("The input (140000 tokens) is longer than the model's context length (131072 tokens)."),
      131_072,
    ],
    [
      "Kimi",
      400,
      openai("Invalid request: Your request exceeded model token limit: 262144 (requested: 300000)"),
      262_144,
    ],
    ["MiniMax", 400, openai("invalid params, context window exceeds limit (2013)"), undefined],
    ["Qwen", 400, openai("Range of input length should be [1, 258048]"), 258_048],
    ["Z.ai", 400, { error: { code: "1261", message: "Prompt exceeds max length" } }, undefined],
    ["Cerebras", 400, "", undefined, "cerebras"],
    ["anyone's empty 413", 413, "", undefined],
  ])("is recognised as %s words it", (_, status, body, window, provider) => {
    const failure = classify(status, body, {}, provider);
    expect(failure.kind).toBe("overflow");
    expect(failure.learnedWindow).toBe(window);
  });

  it.each<[string, number | undefined, unknown, string]>([
    [
      "a wish for too long a reply",
      400,
      openai("max_tokens is too large: 999999. This model supports at most 128000 completion tokens"),
      "badRequest",
    ],
    [
      "Anthropic's too long a reply",
      400,
      anthropic("max_tokens: 200000 > 128000, which is the maximum allowed number of output tokens"),
      "badRequest",
    ],
    [
      "a limit per minute",
      429,
      anthropic(
        "This request would exceed your organization's rate limit of 40,000 input tokens per minute",
        "rate_limit_error",
      ),
      "rateLimit",
    ],
    [
      "OpenAI's limit per minute",
      429,
      openai(
        "Request too large for gpt-6 on tokens per min (TPM): Limit 30000, Requested 45000",
        "rate_limit_exceeded",
      ),
      "rateLimit",
    ],
    [
      "Groq's limit per minute with 413",
      413,
      openai(
        "Request too large for model on tokens per minute (TPM): Limit 6000, Requested 7000",
        "rate_limit_exceeded",
      ),
      "rateLimit",
    ],
    [
      "Bedrock's throttling",
      400,
      { message: "ThrottlingException: Too many tokens, please wait before trying again." },
      "rateLimit",
    ],
    ["an empty 400 of anyone but Cerebras", 400, "", "badRequest"],
  ])("is not %s", (_, status, body, kind) => {
    expect(classify(status, body).kind).toBe(kind);
  });
});

describe("other refusals", () => {
  it.each<[string, number | undefined, unknown, string]>([
    ["a wrong key", 401, anthropic("invalid x-api-key", "authentication_error"), "auth"],
    ["a forbidden model", 403, openai("You do not have access to this model"), "auth"],
    ["an empty account", 402, { message: "Insufficient Balance" }, "quota"],
    [
      "a used-up quota with 429",
      429,
      openai("You exceeded your current quota, please check your plan and billing details.", "insufficient_quota"),
      "quota",
    ],
    [
      "a low credit balance with 400",
      400,
      anthropic("Your credit balance is too low to access the Anthropic API."),
      "quota",
    ],
    ["an unknown model", 404, openai("The model `x` does not exist", "model_not_found"), "notFound"],
    ["Ollama's unknown model", 404, { error: 'model "x" not found, try pulling it first' }, "notFound"],
    ["an overload", 529, anthropic("Overloaded", "overloaded_error"), "overloaded"],
    ["an overload in the stream", undefined, anthropic("Overloaded", "overloaded_error"), "overloaded"],
    ["a rate limit in the stream", undefined, anthropic("slow down", "rate_limit_error"), "rateLimit"],
    ["a server's failure", 500, openai("The server had an error", "server_error"), "overloaded"],
    ["a bad request", 400, anthropic("messages.1.content: Field required"), "badRequest"],
    ["FastAPI's detail", 422, { detail: "field required" }, "badRequest"],
    [
      "Google's unusable key",
      400,
      { error: { code: 400, message: "API key not valid. Please pass a valid API key.", status: "INVALID_ARGUMENT" } },
      "auth",
    ],
    [
      "Google's quota per minute",
      429,
      {
        error: {
          code: 429,
          message: "You exceeded your current quota, please check your plan and billing details. Please retry in 20s.",
        },
      },
      "rateLimit",
    ],
    [
      "OpenRouter's status inside the stream",
      undefined,
      { code: 502, message: "Provider returned error" },
      "overloaded",
    ],
    ["an internal error inside the stream", undefined, { message: "Internal server error" }, "overloaded"],
    ["a filter", 400, openai("The response was filtered", "content_filter"), "refusal"],
    ["a time-out with 408", 408, "", "network"],
  ])("tells %s", (_, status, body, kind) => {
    expect(classify(status, body).kind).toBe(kind);
  });

  it("takes a web page for a failing proxy and says whose it is", () => {
    const failure = classify(502, "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>");
    expect(failure).toMatchObject({ kind: "overloaded", status: 502 });
    expect(failure.message).toBe(
      'models.example answered with a web page titled "502 Bad Gateway" (HTTP 502) instead of a model\'s answer.',
    );
  });

  it("cuts keys, control characters and length out of messages", () => {
    const error = new ResponseError(
      400,
      openai(`bad key sk-abcdefgh12345678 and Bearer abcdefghijkl or my-own-secret\n\u001b[31m${"x".repeat(2_000)}`),
    );
    const { message } = classifyError(error, { ...origin, apiKey: "my-own-secret" });
    expect(message).not.toMatch(/abcdefgh|my-own-secret|\n/);
    expect(message).not.toContain("\u001b");
    expect(message.length).toBeLessThan(700);
  });
});

describe("a wait that the server asks for", () => {
  it.each<[Record<string, string>, number | undefined]>([
    [{ "retry-after": "0.2" }, 200],
    [{ "retry-after": "120" }, 120_000],
    [{ "retry-after": "Mon, 30 Nov 2026 12:00:45 GMT" }, 45_000],
    [{ "retry-after": "Mon, 30 Nov 2026 11:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    [{ "retry-after": "-5" }, undefined],
    [{ "retry-after-ms": "1500", "retry-after": "9" }, 1_500],
    [{}, undefined],
  ])("is read from %o", (headers, expected) => {
    expect(classify(429, anthropic("slow down", "rate_limit_error"), headers).retryAfterMs).toBe(expected);
  });

  it("is read from the words as well", () => {
    expect(classify(429, openai("Rate limit reached. Please try again in 1.5s.")).retryAfterMs).toBe(1_500);
    expect(classify(429, openai("Rate limit reached. Please try again in 20ms.")).retryAfterMs).toBe(20);
  });
});

describe("failures without an answer", () => {
  const failed = (code: string) =>
    Object.assign(new TypeError("fetch failed"), { cause: Object.assign(new Error(code), { code }) });
  it.each([
    ["ECONNREFUSED", /Is the server running/],
    ["ENOTFOUND", /name cannot be found/],
    ["UND_ERR_CONNECT_TIMEOUT", /not made in time/],
    ["DEPTH_ZERO_SELF_SIGNED_CERT", /certificate/],
    ["ECONNRESET", /cut/],
  ])("%s is of the network and says what to look at", (code, words) => {
    const failure = classifyError(failed(code), origin);
    expect(failure.kind).toBe("network");
    expect(failure.message).toMatch(words);
    expect(failure.message).toContain("models.example");
  });

  it("counts an abort before anything else", () => {
    expect(classifyError(failed("ECONNRESET"), { ...origin, aborted: true }).kind).toBe("aborted");
  });

  it("may be tried again after a cut, a bad frame or a stall, but not after an answer that is too large", () => {
    expect(classifyError(new CutStreamError(), origin).kind).toBe("network");
    expect(classifyError(new SyntaxError("Unexpected end of JSON input"), origin).kind).toBe("network");
    expect(classifyError(new WatchdogError("idle", "nothing came"), origin).kind).toBe("network");
    expect(classifyError(new WatchdogError("size", "too large"), origin).kind).toBe("badRequest");
  });
});
