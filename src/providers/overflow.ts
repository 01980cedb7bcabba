// Is this error a full context, and which window does it tell of? The published wordings of providers §4.

/** What is known of a refused request. */
export interface RefusedRequest {
  status?: number | undefined;
  /** The error's code or type, where the provider has one. */
  code?: string | undefined;
  text: string;
  provider?: string | undefined;
}

/** Never a full context, whatever else the text says: limits per time, and limits on the wanted reply. */
const NOT_OVERFLOW = [
  /rate.?limit/i,
  /too many requests/i,
  /throttl/i,
  /per[- ]minute|per[- ]day|per[- ]hour|tokens per min|\bTPM\b|\bRPM\b/i,
  /max_(completion_|output_|new_)?tokens[^.]{0,60}(is|are) too (large|high)/i,
  /max_(completion_|output_|new_)?tokens: \d+ > \d+/i,
  /service unavailable/i,
];

const CODES = new Set([
  "context_length_exceeded",
  "exceed_context_size_error",
  "request_too_large",
  "model_context_window_exceeded",
  "context_window_exceeded",
  "contextwindowexceedederror",
  "1261", // Z.ai
]);

const TEXTS = [
  /prompt (is )?too long/i, // Anthropic, Z.ai
  /exceeds? context limit/i, // Anthropic up to 4.x: input plus max_tokens
  /request_too_large/i,
  /model_context_window_exceeded/i,
  /context[_ ]length[_ ]exceeded/i, // OpenAI
  /exceeds? the (model'?s )?context (window|length)/i, // OpenAI
  /tokens exceed the configured limit/i, // gateways
  /exceeded max(imum)? prompt tokens/i, // gateways
  /maximum context length/i, // vLLM, OpenRouter, LiteLLM
  /context window exceeded/i,
  /contextwindowexceeded/i,
  /context length is only/i, // vLLM since 0.12, Meta, NIM
  /exceed_context_size_error/i, // llama.cpp
  /available context size/i, // llama.cpp
  /configured context size/i,
  /greater than the context length/i, // LM Studio
  /context size has been exceeded/i, // LM Studio
  /exceeded (max )?context length/i, // Ollama
  /input length exceeds/i, // Ollama
  /exceeds? (the )?token limit/i, // the editor's Copilot models
  /input token count.{0,80}exceeds/is, // Google
  /input is too long/i, // Bedrock
  /exceeds the limit of \d/i, // Copilot API
  /exceeds (the )?maximum allowed input length/i,
  /maximum prompt length/i, // xAI
  /reduce the length of the (messages|prompt)/i, // Groq
  /too large for model with/i, // Mistral
  /longer than the model'?s context length/i, // Together
  /exceeded model token limit/i, // Kimi
  /window exceeds limit/i, // MiniMax
  /range of input length/i, // Qwen
  /exceeds max length/i, // Z.ai
];

/** True where the request was refused because it does not fit, so that compaction can help. */
export function isOverflow(refused: RefusedRequest): boolean {
  if (refused.status === 429 || NOT_OVERFLOW.some((pattern) => pattern.test(refused.text))) return false;
  if (refused.status === 413) return true;
  if (refused.code !== undefined && CODES.has(refused.code.toLowerCase())) return true;
  if (TEXTS.some((pattern) => pattern.test(refused.text))) return true;
  // Cerebras answers a full context with 400 and an empty body; from others that means nothing.
  return refused.provider === "cerebras" && refused.status === 400 && refused.text.trim() === "";
}

const NUMBER = "([\\d][\\d,_. ]*\\d|\\d)";
const WINDOWS = [
  `"?n_ctx"?\\s*[:=]\\s*${NUMBER}`,
  `tokens?\\s*>\\s*${NUMBER}\\s*(?:maximum|$)`,
  `exceeds? context limit:[^>]*>\\s*${NUMBER}`,
  `maximum context length (?:is|of)\\s*${NUMBER}`,
  `maximum context length\\s*\\(\\s*${NUMBER}`,
  `context length is only\\s*${NUMBER}`,
  `with\\s*${NUMBER}\\s*maximum context length`,
  `available context size\\s*\\(\\s*${NUMBER}`,
  `configured context size is\\s*${NUMBER}`,
  `configured limit of\\s*${NUMBER}`,
  `context length\\s*\\(\\s*${NUMBER}\\s*tokens`,
  `model'?s context length\\s*\\(?\\s*${NUMBER}`,
  `number of tokens allowed\\s*\\(\\s*${NUMBER}`,
  `exceeds the limit of\\s*${NUMBER}`,
  `maximum allowed input length of\\s*${NUMBER}`,
  `maximum prompt length is\\s*${NUMBER}`,
  `model token limit:\\s*${NUMBER}`,
  `input length should be\\s*\\[\\d+,\\s*${NUMBER}\\s*\\]`,
  `max(?:imum)? prompt tokens[^\\d]{0,20}${NUMBER}`,
].map((source) => new RegExp(source, "i"));

/** The window in tokens that an error text states, or undefined. */
export function learnWindow(text: string): number | undefined {
  for (const pattern of WINDOWS) {
    const digits = pattern.exec(text)?.[1]?.replace(/[^\d]/g, "");
    const value = digits === undefined ? Number.NaN : Number(digits);
    // Below a thousand no agent can work: such a number is something else.
    if (Number.isSafeInteger(value) && value >= 1_000) return value;
  }
  return undefined;
}
