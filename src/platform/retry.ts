/** How a call is repeated: `attempts` in all, waiting `delayMs`, then twice that, and so on. */
export interface RetryPolicy {
  readonly attempts: number;
  readonly delayMs: number;
  /** Whether a fault may pass by itself. All are taken to when absent. */
  readonly isTransient?: (error: unknown) => boolean;
}

/** For calls to storage that are safe to repeat. */
export const STORAGE_RETRY: RetryPolicy = { attempts: 3, delayMs: 50 };

/** Runs `call`, repeating it on transient faults. Throws the last fault. The call must be safe to repeat. */
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
