import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { runClaimed, type ClaimedJob } from "../../src/work/jobs/run-claimed.ts";

const MINUTE_MS = 60_000;

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

async function unexpected(): Promise<void> {
  await Promise.reject(new Error("The job did not fail."));
}

/** A job that runs for `runMs` and does not react to its signal, and what happens to its lease. */
function jobOf(runMs: number) {
  const extendedAtMs: number[] = [];
  let lost: AbortSignal | undefined;
  const job: ClaimedJob = {
    mediaId: "media",
    attempts: 1,
    leaseMs: MINUTE_MS,
    async extendLease() {
      extendedAtMs.push(performance.now());
      return await Promise.resolve(true);
    },
    async run(signal) {
      lost = signal;
      await new Promise((resolve) => {
        setTimeout(resolve, runMs);
      });
    },
    verdictOn: () => ({ isPermanent: true, code: "engine_failed" }),
    giveBack: unexpected,
    fail: unexpected,
  };
  return { job, extendedAtMs, isLost: () => lost?.aborted };
}

test("a job keeps its lease while it runs", async () => {
  const { job, extendedAtMs, isLost } = jobOf(14 * MINUTE_MS);
  const result = runClaimed(job);
  await vi.advanceTimersByTimeAsync(14 * MINUTE_MS);
  await result;
  expect(extendedAtMs.length).toBeGreaterThan(80);
  expect(isLost()).toBe(false);
});

test("a job that hangs loses its lease after the time that an invocation may take", async () => {
  const { job, extendedAtMs, isLost } = jobOf(60 * MINUTE_MS);
  void runClaimed(job);
  await vi.advanceTimersByTimeAsync(14 * MINUTE_MS);
  expect(isLost()).toBe(false);
  const extended = extendedAtMs.length;
  await vi.advanceTimersByTimeAsync(16 * MINUTE_MS);
  expect(isLost()).toBe(true);
  expect(extendedAtMs.length - extended).toBeLessThan(7);
});
