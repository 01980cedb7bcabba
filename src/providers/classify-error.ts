// The one classifier: whatever went wrong with a request becomes a StreamFailure, for every adapter alike.
import type { ErrorKind, StreamFailure } from "../core/llm/stream.ts";
import { errorCode, errorText, looksLikeHtml, readableError } from "./error-text.ts";
import { isOverflow, learnWindow } from "./overflow.ts";
import { retryAfterMs } from "./retry-after.ts";
import { WatchdogError } from "./watchdog.ts";

/** A request that the server answered with an error, before or inside the stream. */
export class ResponseError extends Error {
  readonly status: number | undefined;
  readonly body: unknown;
  readonly headers: Headers | undefined;
  /** @param body parsed where it was JSON, else its text. */
  constructor(status: number | undefined, body: unknown, headers?: Headers) {
    super(errorText(body) || `HTTP ${status}`);
    this.name = "ResponseError";
    this.status = status;
    this.body = body;
    this.headers = headers;
  }
}

/** The stream ended, or became unreadable, before its terminal event: never a finished reply (providers §0.4). */
export class CutStreamError extends Error {
  constructor(message = "The connection ended before the answer was complete.") {
    super(message);
    this.name = "CutStreamError";
  }
}

/** The adapter itself knows the kind. */
export class KnownFailure extends Error {
  readonly failure: StreamFailure;
  constructor(failure: StreamFailure) {
    super(failure.message);
    this.name = "KnownFailure";
    this.failure = failure;
  }
}

export interface ErrorOrigin {
  provider: string;
  baseUrl: string;
  /** True where the caller's signal fired: then nothing else counts. */
  aborted: boolean;
  apiKey?: string | undefined;
  /** Epoch milliseconds; for `retry-after` dates. */
  now?: number;
}

/** Classifies in the order of providers §4: aborted, time limits, rate limits, status, code, text. */
export function classifyError(thrown: unknown, origin: ErrorOrigin): StreamFailure {
  if (origin.aborted) return { kind: "aborted", message: "Stopped." };
  if (thrown instanceof KnownFailure) {
    return { ...thrown.failure, message: readableError(thrown.failure.message, [origin.apiKey]) };
  }
  if (thrown instanceof WatchdogError) {
    return { kind: thrown.limit === "size" ? "badRequest" : "network", message: thrown.message };
  }
  if (thrown instanceof CutStreamError) return { kind: "network", message: thrown.message };
  if (thrown instanceof ResponseError) return classifyResponse(thrown, origin);
  // SDK errors: classified by shape, because bundling renames their classes (providers §2).
  if (thrown instanceof Error && "error" in thrown && ("status" in thrown || "headers" in thrown)) {
    const { status, error, headers } = thrown as Error & { status?: number; error?: unknown; headers?: unknown };
    return classifyResponse(
      new ResponseError(status, error ?? thrown.message, headers instanceof Headers ? headers : undefined),
      origin,
    );
  }
  if (thrown instanceof SyntaxError) {
    return { kind: "network", message: "The answer broke off in an unreadable frame." };
  }
  return classifyPlain(thrown, origin) ?? classifyConnection(thrown, origin);
}

const NAMED: Readonly<Record<string, ErrorKind>> = {
  ChatQuotaExceeded: "quota",
  ChatRateLimited: "rateLimit",
  NoPermissions: "auth",
  NotFound: "notFound",
  Blocked: "refusal",
  Canceled: "aborted",
  CancellationError: "aborted",
};

/** Plain errors of the editor's models: told by name or code, else by their words (providers §3). */
function classifyPlain(thrown: unknown, origin: ErrorOrigin): StreamFailure | undefined {
  if (!(thrown instanceof Error) || thrown instanceof TypeError) return undefined;
  const { name, message, code } = thrown as Error & { code?: unknown };
  const named = NAMED[name] ?? NAMED[String(code)];
  const refused = { status: undefined, code: typeof code === "string" ? code : undefined, text: message };
  const kind = named ?? kindOf({ ...refused, provider: origin.provider });
  if (kind === "unknown") return undefined;
  const failure: StreamFailure = { kind, message: readableError(message, [origin.apiKey]) || name };
  const window = kind === "overflow" ? learnWindow(message) : undefined;
  if (window !== undefined) failure.learnedWindow = window;
  return failure;
}

function classifyResponse(error: ResponseError, origin: ErrorOrigin): StreamFailure {
  const text = errorText(error.body);
  const code = errorCode(error.body);
  const html = looksLikeHtml(text);
  const full = typeof error.body === "string" ? error.body : `${text} ${safeJson(error.body)}`;
  // OpenRouter and others put the status into the error of a stream that began with 200.
  const status = error.status ?? (/^[45]\d\d$/.test(code ?? "") ? Number(code) : undefined);
  const wait = retryAfterMs(error.headers, text, origin.now ?? Date.now());
  const refused = { status, code, text: html ? "" : full, provider: origin.provider };
  let kind = html && error.status !== undefined && error.status < 400 ? "network" : kindOf(refused);
  // A quota that is full again in seconds is a rate limit (Google words both alike).
  if (kind === "quota" && status === 429 && wait !== undefined && code !== "insufficient_quota") kind = "rateLimit";
  const failure: StreamFailure = { kind, message: messageOf(kind, text, html, error.status, origin) };
  if (status !== undefined) failure.status = status;
  if (wait !== undefined) failure.retryAfterMs = wait;
  // Also from a refusal that names the window while refusing something else: the next request then fits.
  const window = html || kind === "rateLimit" || kind === "quota" ? undefined : learnWindow(full);
  if (window !== undefined) failure.learnedWindow = window;
  return failure;
}

const QUOTA =
  /insufficient[_ ]quota|exceeded your current quota|credit balance|billing|payment required|insufficient (balance|credits|funds)|spend(ing)? limit|out of credits|quota exceeded/i;
const RATE =
  /rate[_ -]?limit|too many requests|throttl|tokens per min|requests per min|\bTPM\b|\bRPM\b|chatratelimited/i;
const OVERLOADED =
  /overloaded|capacity|temporarily unavailable|service unavailable|try again later|server_error|api_error|internal (server )?error/i;
const AUTH =
  /authentication_error|invalid[_ ]api[_ ]key|api key not valid|incorrect api key|invalid x-api-key|unauthori[sz]ed|permission_error|permission_denied|nopermissions/i;
const NOT_FOUND = /not_found_error|model_not_found|does not exist|model .{0,80}not found|no such model|unknown model/i;
const REFUSAL = /content_filter|content_policy|content management policy|safety|refusal/i;

function kindOf(refused: {
  status?: number | undefined;
  code?: string | undefined;
  text: string;
  provider: string;
}): ErrorKind {
  const { status, code, text } = refused;
  const words = `${code ?? ""} ${text}`;
  if (status === 402 || ((status === undefined || status < 500) && QUOTA.test(words))) return "quota";
  if (status === 429 || RATE.test(words)) return "rateLimit";
  if (isOverflow(refused)) return "overflow";
  if (status === 401 || status === 403 || status === 407) return REFUSAL.test(words) ? "refusal" : "auth";
  if (status === 404) return "notFound";
  if (status === 408) return "network";
  if (status !== undefined && status >= 500) return "overloaded";
  if (status === 409) return "overloaded";
  if (status !== undefined && status >= 300 && status < 400) return "badRequest";
  if (AUTH.test(words)) return "auth";
  if (NOT_FOUND.test(words)) return "notFound";
  if (status === undefined && OVERLOADED.test(words)) return "overloaded";
  if (REFUSAL.test(code ?? "")) return "refusal";
  if (status !== undefined && status >= 400) return "badRequest";
  return /invalid_request/i.test(words) ? "badRequest" : "unknown";
}

function messageOf(
  kind: ErrorKind,
  text: string,
  html: boolean,
  status: number | undefined,
  origin: ErrorOrigin,
): string {
  const said = readableError(text, [origin.apiKey]);
  const host = hostOf(origin.baseUrl);
  if (html)
    return `${host} answered with ${said}${status === undefined ? "" : ` (HTTP ${status})`} instead of a model's answer.`;
  if (said === "")
    return `${host} refused the request${status === undefined ? "" : ` with HTTP ${status}`} and gave no reason.`;
  if (kind === "auth") return `${host} did not accept the key: ${said}`;
  return said;
}

const CONNECTION: readonly (readonly [RegExp, string])[] = [
  [/ECONNREFUSED/, "nothing answers there. Is the server running?"],
  [/ENOTFOUND|EAI_AGAIN/, "the name cannot be found. Is this machine online?"],
  [/UND_ERR_CONNECT_TIMEOUT|ETIMEDOUT/, "the connection was not made in time."],
  [/UND_ERR_HEADERS_TIMEOUT|UND_ERR_BODY_TIMEOUT/, "the answer did not come in time."],
  [/CERT|SELF_SIGNED|UNABLE_TO_(VERIFY|GET)|ERR_TLS/, "its certificate is not trusted."],
  [/ECONNRESET|EPIPE|UND_ERR_SOCKET|terminated|socket hang up|other side closed/, "the connection was cut."],
  [/ENETUNREACH|EHOSTUNREACH|ENETDOWN/, "the network cannot be reached."],
];

function classifyConnection(thrown: unknown, origin: ErrorOrigin): StreamFailure {
  const chain: string[] = [];
  for (let error = thrown, depth = 0; error !== undefined && error !== null && depth < 5; depth++) {
    const { code, message, cause } = error as { code?: unknown; message?: unknown; cause?: unknown };
    chain.push(String(code ?? ""), String(message ?? error));
    error = cause;
  }
  const all = chain.join(" ");
  const host = hostOf(origin.baseUrl);
  for (const [pattern, words] of CONNECTION) {
    if (pattern.test(all)) return { kind: "network", message: `Cannot reach ${host}: ${words}` };
  }
  if (/fetch failed|network|ERR_INTERNET|ERR_NAME|ERR_CONNECTION|ERR_PROXY/i.test(all)) {
    return { kind: "network", message: `Cannot reach ${host}: ${readableError(all, [origin.apiKey])}` };
  }
  return { kind: "unknown", message: readableError(chain[1] ?? all, [origin.apiKey]) || "The request failed." };
}

function hostOf(baseUrl: string): string {
  try {
    return new URL(baseUrl).host;
  } catch {
    return baseUrl === "" ? "the server" : baseUrl;
  }
}

function safeJson(body: unknown): string {
  try {
    return JSON.stringify(body) ?? "";
  } catch {
    return "";
  }
}
