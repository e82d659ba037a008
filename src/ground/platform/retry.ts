import { STORAGE_CALLS } from "./retry-schedules.ts";

/** How a call is retried: up to `attempts` in total, with a delay of `delayMs` that doubles each time. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly delayMs: number;
  /** Whether an error may be temporary. If absent, all errors count as temporary. */
  readonly isTransient?: (error: unknown) => boolean;
}

/** For storage calls that are safe to repeat. */
export const STORAGE_RETRY: RetryPolicy = STORAGE_CALLS;

/** Runs `call` and repeats it on transient errors. Throws the last error. The call must be safe to repeat. */
export async function withRetry<T>(policy: RetryPolicy, call: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await call();
    } catch (error) {
      if (attempt >= policy.attempts || policy.isTransient?.(error) === false) throw error;
      await delay(policy.delayMs * 2 ** (attempt - 1));
    }
  }
}

/** Resolves after `ms` milliseconds. */
export async function delay(ms: number): Promise<void> {
  await new Promise<void>((resolve) => {
    setTimeout(resolve, ms);
  });
}
