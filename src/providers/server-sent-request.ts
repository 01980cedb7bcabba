// One HTTP request to a model server: our headers alone, the watchdog's limits, and errors in one shape.
import type { Model } from "../core/llm/model.ts";
import type { StreamOptions } from "../core/llm/stream.ts";
import { CutStreamError, KnownFailure, ResponseError } from "./classify-error.ts";
import { looksLikeHtml } from "./error-text.ts";
import { limitsFor, Watchdog } from "./watchdog.ts";

const MAX_ERROR_CHARS = 100_000;

export interface OpenedRequest {
  response: Response;
  watchdog: Watchdog;
}

/** A base URL and a path under it, whether or not the URL ends in a slash. */
export function joinUrl(baseUrl: string, path: string): string {
  return `${baseUrl.replace(/\/+$/, "")}${path}`;
}

const STANDARD_HEADERS = { accept: "text/event-stream, application/json", "content-type": "application/json" };

/** Later ones win, whatever their case: two spellings of one header would be sent as a list of both values. */
function joinHeaders(...groups: readonly (Readonly<Record<string, string>> | undefined)[]): Headers {
  const joined = new Headers();
  for (const group of groups) for (const [name, value] of Object.entries(group ?? {})) joined.set(name, value);
  return joined;
}

/**
 * Posts a body and returns the running answer. Headers are exactly those given here, the model's and the request's:
 * the SDKs' clients, which take base URLs, keys and headers from the environment, are not involved (security §1.5–6).
 * A redirect is an error, because a key belongs to the origin that it was entered for.
 * @throws ResponseError, KnownFailure, CutStreamError, WatchdogError or what `fetch` throws.
 */
export async function openRequest(
  model: Model,
  url: string,
  body: unknown,
  headers: Record<string, string>,
  options: StreamOptions,
): Promise<OpenedRequest> {
  options.signal.throwIfAborted();
  const sent = options.onPayload === undefined ? body : await options.onPayload(body);
  const watchdog = new Watchdog(limitsFor(model.baseUrl, options));
  const response = await watchdog.fetch(url, {
    method: "POST",
    headers: joinHeaders(STANDARD_HEADERS, headers, model.headers, options.headers),
    body: JSON.stringify(sent ?? body),
    signal: options.signal,
    redirect: "manual",
  });
  try {
    await options.onResponse?.({ status: response.status, headers: Object.fromEntries(response.headers) });
    if (response.ok) {
      return { response, watchdog };
    }
    throw await toResponseError(response, url);
  } catch (error) {
    watchdog.stop();
    await response.body?.cancel().catch(() => undefined);
    throw error;
  }
}

async function toResponseError(response: Response, url: string): Promise<Error> {
  if (response.status >= 300 && response.status < 400) {
    const target = response.headers.get("location") ?? "another address";
    return new KnownFailure({
      kind: "badRequest",
      status: response.status,
      message: `${url} redirects to ${target}. Enter that address in the provider's settings if it is right.`,
    });
  }
  return new ResponseError(response.status, parsed(await readText(response)), response.headers);
}

/** An error's text; an error body that is cut counts as what came of it. */
async function readText(response: Response): Promise<string> {
  if (response.body === null) return "";
  const decoder = new TextDecoder();
  let text = "";
  try {
    for await (const chunk of response.body) {
      text += decoder.decode(chunk, { stream: true });
      if (text.length > MAX_ERROR_CHARS) break;
    }
  } catch {
    // The status says enough.
  }
  return text;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/**
 * Refuses a successful answer that is not a stream: a web page of a portal or proxy, or one JSON object, which may be
 * an error with status 200.
 * @throws ResponseError or KnownFailure
 */
export async function requireStream(opened: OpenedRequest, kind: RegExp): Promise<void> {
  const type = opened.response.headers.get("content-type") ?? "";
  if (type === "" || kind.test(type) || !/json|html|xml/i.test(type)) return;
  const text = await readText(opened.response);
  opened.watchdog.stop();
  if (looksLikeHtml(text) || /html/i.test(type))
    throw new ResponseError(opened.response.status, text, opened.response.headers);
  const body = parsed(text);
  if (typeof body === "object" && body !== null && ("error" in body || "detail" in body)) {
    throw new ResponseError(undefined, body, opened.response.headers);
  }
  if (text.trim() === "") throw new CutStreamError("The server sent an empty answer.");
  throw new KnownFailure({
    kind: "badRequest",
    message: "The server answered with one object instead of a stream; it may not support streaming.",
  });
}
