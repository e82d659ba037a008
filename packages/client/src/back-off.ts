import { VeilApiError, VeilConnectionError, VeilTimeoutError } from "./errors.ts";

/** How often, and after which delays, a call is retried. */
export interface RetryPolicy {
  /** Retries after the first attempt. */
  readonly retries: number;
  /** Delay before the first retry. It doubles for each further one. */
  readonly firstDelayMs: number;
  /** The longest delay. If `Retry-After` is longer, the call is not retried. */
  readonly longestDelayMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { retries: 5, firstDelayMs: 500, longestDelayMs: 90_000 };

/** A service that is about to start responds soon; a wrong address never does. */
const UNREACHABLE_RETRIES = 2;
const TRANSIENT_STATUSES = new Set([408, 429, 500, 502, 503, 504]);

/**
 * How long to wait before a call that ended with `error` is retried; undefined if it is not. Delays double each time and vary
 * by up to a fifth. A `Retry-After` (RFC 9110 §10.2.3) is honored, with up to a tenth added.
 *
 * @param attempt retries so far
 */
export function delayBeforeRetryMs(error: unknown, attempt: number, policy: RetryPolicy): number | undefined {
  if (attempt >= policy.retries || !isTransient(error)) return undefined;
  if (attempt >= UNREACHABLE_RETRIES && error instanceof VeilConnectionError && error.isUnreachable)
    return undefined;
  const ownDelayMs = Math.min(policy.firstDelayMs * 2 ** attempt, policy.longestDelayMs);
  const askedMs = error instanceof VeilApiError ? (error.retryAfterSeconds ?? 0) * 1000 : 0;
  if (askedMs > policy.longestDelayMs) return undefined;
  return Math.max(ownDelayMs * (0.8 + 0.4 * Math.random()), askedMs * (1 + 0.1 * Math.random()));
}

function isTransient(error: unknown): boolean {
  if (error instanceof VeilConnectionError || error instanceof VeilTimeoutError) return true;
  if (!(error instanceof VeilApiError)) return false;
  // A quota becomes available again only with the next billing period.
  if (error.code === "quota_exceeded") return false;
  if (error.code === "conflict") return error.details["reason"] === "idempotency_key_in_use";
  return TRANSIENT_STATUSES.has(error.status);
}

/** The seconds in a `Retry-After` header, given as a number or a date (RFC 9110 §10.2.3). */
export function retryAfterSecondsOf(header: string | null): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  if (Number.isFinite(seconds)) return Math.max(0, seconds);
  const atMs = Date.parse(header);
  return Number.isNaN(atMs) ? undefined : Math.max(0, (atMs - Date.now()) / 1000);
}

/** Resolves after `ms` milliseconds. @throws the signal's reason as soon as it aborts */
export async function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  signal?.throwIfAborted();
  await new Promise<void>((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
