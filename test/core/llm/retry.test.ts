// When a request is made again, after which wait, and when not.
import { describe, expect, it } from "vitest";
import { DEFAULT_RETRY_POLICY, planRetry, type RetryNotice, runWithRetry, sleep } from "../../../src/core/llm/retry.ts";
import type { ErrorKind, StreamFailure } from "../../../src/core/llm/stream.ts";

const failure = (kind: ErrorKind, rest: Partial<StreamFailure> = {}): StreamFailure => ({
  kind,
  message: kind,
  ...rest,
});

describe("planRetry", () => {
  it.each<ErrorKind>(["aborted", "overflow", "auth", "quota", "refusal", "notFound", "badRequest", "unknown"])(
    "never retries %s",
    (kind) => {
      expect(planRetry(failure(kind), 0, DEFAULT_RETRY_POLICY)).toEqual({ retry: false, reason: "deterministic" });
    },
  );

  it("doubles from two seconds up to a minute", () => {
    const policy = { ...DEFAULT_RETRY_POLICY, maxRetries: 9 };
    const delays = [0, 1, 2, 3, 4, 5, 6].map((n) => {
      const plan = planRetry(failure("overloaded"), n, policy);
      return plan.retry ? plan.delayMs : undefined;
    });
    expect(delays).toEqual([2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it("lengthens waits by up to a quarter where chance is given", () => {
    const plan = planRetry(failure("overloaded"), 0, { ...DEFAULT_RETRY_POLICY, jitter: () => 0.5 });
    expect(plan).toEqual({ retry: true, delayMs: 2_250 });
  });

  it("gives up after three retries", () => {
    expect(planRetry(failure("network"), 3, DEFAULT_RETRY_POLICY)).toEqual({ retry: false, reason: "exhausted" });
  });

  it("keeps to the server's wait, and leaves a longer one to the person", () => {
    const plan = (retryAfterMs: number) => planRetry(failure("rateLimit", { retryAfterMs }), 0, DEFAULT_RETRY_POLICY);
    expect(plan(200)).toEqual({ retry: true, delayMs: 200 });
    expect(plan(60_000)).toEqual({ retry: true, delayMs: 60_000 });
    expect(plan(120_000)).toEqual({ retry: false, reason: "waitTooLong", serverDelayMs: 120_000 });
    expect(plan(0)).toEqual({ retry: true, delayMs: 2_000 });
  });

  it("asks once more after an empty reply, not three times", () => {
    const empty = failure("emptyReply", { maxRetries: 1 });
    expect(planRetry(empty, 0, DEFAULT_RETRY_POLICY).retry).toBe(true);
    expect(planRetry(empty, 1, DEFAULT_RETRY_POLICY)).toEqual({ retry: false, reason: "exhausted" });
  });

  it("does nothing where retries are switched off", () => {
    expect(planRetry(failure("network"), 0, { ...DEFAULT_RETRY_POLICY, maxRetries: 0 }).retry).toBe(false);
  });
});

describe("runWithRetry", () => {
  const run = async (results: (StreamFailure | undefined)[], onSleep: (delayMs: number) => void = () => undefined) => {
    const abort = new AbortController();
    const notices: RetryNotice[] = [];
    const waits: number[] = [];
    let calls = 0;
    const outcome = await runWithRetry({
      attempt: async () => {
        const value = calls++;
        const failed = results[value];
        return failed === undefined ? { value } : { value, failure: failed };
      },
      policy: DEFAULT_RETRY_POLICY,
      signal: abort.signal,
      sleep: async (delayMs) => {
        waits.push(delayMs);
        onSleep(delayMs);
        if (delayMs === 4_000 && results.length === 9) abort.abort();
      },
      onRetry: (notice) => notices.push(notice),
    });
    return { outcome, notices, waits, calls };
  };

  it("announces each wait and returns the attempt that succeeded", async () => {
    const { outcome, notices, waits } = await run([failure("overloaded"), failure("network"), undefined]);
    expect(outcome).toEqual({ value: 2, retries: 2, cancelled: false });
    expect(waits).toEqual([2_000, 4_000]);
    expect(notices[1]).toEqual({ attempt: 2, maxAttempts: 3, delayMs: 4_000, errorMessage: "network" });
  });

  it("returns the last failure when the retries are used up", async () => {
    const { outcome, calls } = await run(Array.from({ length: 8 }, () => failure("overloaded")));
    expect(calls).toBe(4);
    expect(outcome).toMatchObject({ failure: { kind: "overloaded" }, retries: 3, plan: { reason: "exhausted" } });
  });

  it("makes one attempt at what will fail again", async () => {
    expect((await run([failure("badRequest"), undefined])).calls).toBe(1);
  });

  it("ends during a wait when it is stopped", async () => {
    const { outcome, calls } = await run(Array.from({ length: 9 }, () => failure("overloaded")));
    expect(outcome).toMatchObject({ cancelled: true, retries: 1 });
    expect(calls).toBe(2);
  });
});

describe("sleep", () => {
  it("ends at once when the signal fires, before or during it", async () => {
    const abort = new AbortController();
    const waiting = sleep(60_000, abort.signal);
    abort.abort();
    await waiting;
    await sleep(60_000, abort.signal);
    expect(abort.signal.aborted).toBe(true);
  });
});
