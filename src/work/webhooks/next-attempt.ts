import { DAY_MS, SECOND_MS } from "../../ground/platform/clock.ts";
import { WEBHOOK_DELAYS_MS } from "../../ground/platform/retry-schedules.ts";

/** Each delay varies by up to this share, so that deliveries that failed together are not retried together. */
const JITTER = 0.2;
const MAX_RETRY_AFTER_MS = DAY_MS;
const BACK_OFF_STATUSES = new Set([429, 503]);

/** The parts of an attempt that decide the time of the next one. */
export interface FailedAttempt {
  /** Failed attempts so far, including this one. */
  readonly failures: number;
  readonly nowMs: number;
  readonly responseStatus: number | null;
  readonly retryAfter: string | undefined;
}

/**
 * When a failed delivery is retried: after the scheduled delay with jitter, or after the `Retry-After` of a 429 or 503 (RFC
 * 9110 §10.2.3), up to 24 hours, whichever is later.
 *
 * @param random from 0 to 1
 * @returns milliseconds since the epoch, or null if there is no further attempt
 */
export function nextAttemptAt(attempt: FailedAttempt, random: number): number | null {
  const delayMs = WEBHOOK_DELAYS_MS[attempt.failures - 1];
  if (delayMs === undefined) return null;
  const scheduledMs = Math.round(delayMs * (1 - JITTER + 2 * JITTER * random));
  const askedMs = BACK_OFF_STATUSES.has(attempt.responseStatus ?? 0)
    ? retryAfterMs(attempt.retryAfter, attempt.nowMs)
    : 0;
  return attempt.nowMs + Math.max(scheduledMs, Math.min(askedMs, MAX_RETRY_AFTER_MS));
}

/** The delay that a `Retry-After` header requests, as seconds or as a date; 0 if it cannot be parsed. */
function retryAfterMs(value: string | undefined, nowMs: number): number {
  const text = value?.trim() ?? "";
  if (/^\d+$/.test(text)) return Number(text) * SECOND_MS;
  const dateMs = Date.parse(text);
  return Number.isNaN(dateMs) ? 0 : Math.max(0, dateMs - nowMs);
}
