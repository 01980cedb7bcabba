// Limits on a request that nothing else sets: time to the first byte, time between bytes, size of an answer.

export interface WatchdogLimits {
  /** Milliseconds from the request to the first byte of the answer. */
  firstByteMs: number;
  /** Milliseconds without any byte once the answer runs. */
  idleMs: number;
  /** Bytes of one answer. */
  maxBytes: number;
  /** Bytes without a line break; a stream of frames never has so many. */
  maxLineBytes: number;
}

const MIB = 1024 * 1024;
const CLOUD_MS = 120_000;
const LOCAL_MS = 600_000;

/** True for this machine and for private networks, where a model may take minutes to load. */
export function isLocalUrl(url: string): boolean {
  let host: string;
  try {
    host = new URL(url).hostname.replace(/^\[|\]$/g, "");
  } catch {
    return false;
  }
  return (
    host === "localhost" ||
    host.endsWith(".localhost") ||
    host.endsWith(".local") ||
    host === "::1" ||
    /^(127|10)\./.test(host) ||
    /^192\.168\./.test(host) ||
    /^172\.(1[6-9]|2\d|3[01])\./.test(host)
  );
}

/** The limits for an address (providers §1: 120 s in the cloud, ten minutes at home), with a request's own in front. */
export function limitsFor(
  url: string,
  wanted: { firstByteTimeoutMs?: number; idleTimeoutMs?: number } = {},
): WatchdogLimits {
  const fallback = isLocalUrl(url) ? LOCAL_MS : CLOUD_MS;
  return {
    firstByteMs: wanted.firstByteTimeoutMs ?? fallback,
    idleMs: wanted.idleTimeoutMs ?? fallback,
    maxBytes: 64 * MIB,
    maxLineBytes: 8 * MIB,
  };
}

/** Why the watchdog ended a request; `timeout` may pass by itself, `size` will not. */
export class WatchdogError extends Error {
  readonly limit: "firstByte" | "idle" | "size";
  constructor(limit: "firstByte" | "idle" | "size", message: string) {
    super(message);
    this.name = "WatchdogError";
    this.limit = limit;
  }
}

/**
 * A `fetch` for one request that keeps the limits. Timers are re-armed by bytes, not by headers, because headers say
 * nothing about a body that stalls (providers §0.3). `fault` tells after the fact what ended the request.
 */
export class Watchdog {
  readonly #limits: WatchdogLimits;
  readonly #abort = new AbortController();
  #timer: ReturnType<typeof setTimeout> | undefined;
  fault: WatchdogError | undefined;

  constructor(limits: WatchdogLimits) {
    this.#limits = limits;
  }

  /** Sends one request. The answer's body keeps the limits until it ends, fails or is cancelled. */
  async fetch(url: string, init: RequestInit & { signal: AbortSignal }): Promise<Response> {
    const signal = AbortSignal.any([init.signal, this.#abort.signal]);
    this.#arm("firstByte", this.#limits.firstByteMs);
    let response: Response;
    try {
      response = await fetch(url, { ...init, signal });
    } catch (error) {
      this.stop();
      throw this.fault ?? error;
    }
    if (response.body === null) {
      this.stop();
      return response;
    }
    return new Response(this.#watch(response.body), {
      status: response.status,
      statusText: response.statusText,
      headers: response.headers,
    });
  }

  /** Disarms the timers. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #arm(limit: "firstByte" | "idle", ms: number): void {
    clearTimeout(this.#timer);
    const seconds = Math.round(ms / 100) / 10;
    const what = limit === "firstByte" ? "No answer" : "The answer stopped: nothing more came";
    this.#timer = setTimeout(() => this.#end(limit, `${what} within ${seconds} s.`), ms);
  }

  #end(limit: "firstByte" | "idle" | "size", message: string): WatchdogError {
    this.stop();
    this.fault ??= new WatchdogError(limit, message);
    this.#abort.abort(this.fault);
    return this.fault;
  }

  #watch(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
    const reader = body.getReader();
    let total = 0;
    let sinceLineBreak = 0;
    return new ReadableStream<Uint8Array>({
      pull: async (controller) => {
        try {
          const { done, value } = await reader.read();
          if (done) {
            this.stop();
            return controller.close();
          }
          this.#arm("idle", this.#limits.idleMs);
          total += value.byteLength;
          const lineBreak = value.lastIndexOf(10);
          sinceLineBreak = lineBreak < 0 ? sinceLineBreak + value.byteLength : value.byteLength - lineBreak - 1;
          if (total > this.#limits.maxBytes || sinceLineBreak > this.#limits.maxLineBytes) {
            throw this.#end("size", `The answer is larger than ${Math.round(this.#limits.maxBytes / MIB)} MB.`);
          }
          controller.enqueue(value);
        } catch (error) {
          this.stop();
          controller.error(this.fault ?? error);
          await reader.cancel().catch(() => undefined);
        }
      },
      cancel: async (reason) => {
        this.stop();
        await reader.cancel(reason).catch(() => undefined);
      },
    });
  }
}
