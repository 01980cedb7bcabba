// What is worth asking again, when, and when to stop: retries of a model request, without a clock of its own.
import type { ErrorKind, StreamFailure } from "./stream.ts";

export interface RetryPolicy {
  /** Further attempts after the first; 0 switches retries off. */
  maxRetries: number;
  /** Wait before the first retry; doubles with each. */
  baseDelayMs: number;
  /** The longest wait that is taken without asking, also where a server asks for more. */
  maxDelayMs: number;
  /** A random number in [0, 1) that lengthens waits by up to a quarter, so that many clients do not return at once. */
  jitter?: () => number;
}

/** Behaviours §1: three retries, two seconds doubling, at most a minute. */
export const DEFAULT_RETRY_POLICY: RetryPolicy = { maxRetries: 3, baseDelayMs: 2_000, maxDelayMs: 60_000 };

const TRANSIENT: ReadonlySet<ErrorKind> = new Set<ErrorKind>(["rateLimit", "overloaded", "network", "emptyReply"]);

/** One announced wait; the names are those of the `auto_retry_start` event (behaviours §1). */
export interface RetryNotice {
  /** 1 for the first retry. */
  attempt: number;
  maxAttempts: number;
  delayMs: number;
  errorMessage: string;
}

export type RetryPlan =
  | { retry: true; delayMs: number }
  /** `serverDelayMs` is set where the server asked for a longer wait than may be taken without asking. */
  | { retry: false; reason: "deterministic" | "exhausted" | "waitTooLong"; serverDelayMs?: number };

/** True for failures that may pass by themselves; never for refused requests, keys, quotas or full contexts. */
export function isTransient(failure: StreamFailure): boolean {
  return TRANSIENT.has(failure.kind);
}

/**
 * Decides what follows a failed attempt.
 * @param retriesSoFar retries already made since the last success.
 */
export function planRetry(failure: StreamFailure, retriesSoFar: number, policy: RetryPolicy): RetryPlan {
  if (!isTransient(failure)) return { retry: false, reason: "deterministic" };
  const allowed = Math.min(policy.maxRetries, failure.maxRetries ?? Number.POSITIVE_INFINITY);
  if (retriesSoFar >= allowed) return { retry: false, reason: "exhausted" };
  const spread = 1 + (policy.jitter?.() ?? 0) / 4;
  const backoffMs = Math.min(Math.round(policy.baseDelayMs * 2 ** retriesSoFar * spread), policy.maxDelayMs);
  const serverDelayMs = failure.retryAfterMs;
  if (serverDelayMs === undefined) return { retry: true, delayMs: backoffMs };
  if (serverDelayMs > policy.maxDelayMs) return { retry: false, reason: "waitTooLong", serverDelayMs };
  // A server's own figure is kept to; "0" means that it has nothing to say, not that it wants a storm.
  return { retry: true, delayMs: serverDelayMs > 0 ? serverDelayMs : backoffMs };
}

export interface RetryRun<T> {
  /** One attempt; a result without `failure` is a success. */
  attempt: () => Promise<{ value: T; failure?: StreamFailure }>;
  policy: RetryPolicy;
  signal: AbortSignal;
  /** Waits; rejects or resolves early when the signal fires. */
  sleep: (delayMs: number, signal: AbortSignal) => Promise<void>;
  /** Before each wait. */
  onRetry?: (notice: RetryNotice) => void;
}

export interface RetryOutcome<T> {
  value: T;
  failure?: StreamFailure;
  /** Retries that were made. */
  retries: number;
  /** Why no further attempt was made, on failure. */
  plan?: RetryPlan;
  /** True where the signal fired while waiting; the last attempt's value and failure stand. */
  cancelled: boolean;
}

/** Runs attempts until one succeeds, a failure is final, the retries are used up or the signal fires. */
export async function runWithRetry<T>(run: RetryRun<T>): Promise<RetryOutcome<T>> {
  for (let retries = 0; ; retries++) {
    const { value, failure } = await run.attempt();
    if (failure === undefined) return { value, retries, cancelled: false };
    const plan = planRetry(failure, retries, run.policy);
    if (!plan.retry || run.signal.aborted) return { value, failure, retries, plan, cancelled: run.signal.aborted };
    run.onRetry?.({
      attempt: retries + 1,
      maxAttempts: run.policy.maxRetries,
      delayMs: plan.delayMs,
      errorMessage: failure.message,
    });
    await run.sleep(plan.delayMs, run.signal).catch(() => undefined);
    if (run.signal.aborted) return { value, failure, retries, cancelled: true };
  }
}

/** Waits on the machine's timers; resolves early when the signal fires. */
export function sleep(delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", settle);
      resolve();
    };
    const timer = setTimeout(settle, delayMs);
    signal.addEventListener("abort", settle, { once: true });
  });
}
