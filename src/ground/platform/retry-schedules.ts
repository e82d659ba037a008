import { HOUR_MS, MINUTE_MS, SECOND_MS } from "./clock.ts";

// All retry schedules of the Workers. docs/operating.md shows them as a table, which a test compares.

/** Storage calls that are safe to repeat. The delay doubles each time, as it does for all calls below. */
export const STORAGE_CALLS = { attempts: 3, delayMs: 50 } as const;

/** Calls to the inference service for frames of a video, so that one fault does not cost a whole segment's work. A photo's call is retried with its job. */
export const DETECTOR_CALLS = { attempts: 3, delayMs: 300 } as const;

/** Mail, unless its provider refuses it. */
export const MAIL = { attempts: 3, delayMs: 500 } as const;

/** Lookups of a host name whose own servers did not answer. They often answer a moment later. */
export const NAME_LOOKUPS = { attempts: 2, delayMs: 200 } as const;

/** Requests for a file by its URL that failed for a reason that may pass. */
export const SOURCE_REQUESTS = { attempts: 2, delayMs: SECOND_MS / 2 } as const;

/** Jobs: the delays before the second attempt, the third, and so on. After the last one, the job has failed. */
export const JOB_DELAYS_SECONDS = [2, 5, 15, 30, 60, 120, 300, 600] as const;

/**
 * Webhooks: the delays after the first failed attempt, the second, and so on. After the last one, the delivery has failed. They differ from a
 * job's, because the receiver has to recover. It may be down overnight, and it must not get all failed deliveries at once.
 */
export const WEBHOOK_DELAYS_MS = [
  5 * SECOND_MS,
  MINUTE_MS,
  5 * MINUTE_MS,
  30 * MINUTE_MS,
  2 * HOUR_MS,
  5 * HOUR_MS,
  10 * HOUR_MS,
  10 * HOUR_MS,
] as const;

/** The deletion of files is retried after this time, without a limit on attempts. */
export const DELETION_DELAY_MS = 10 * MINUTE_MS;

/**
 * Probes of an unavailable detector: the first delay, which doubles each time, and the longest one. Probing continues until the detector
 * answers.
 */
export const DETECTOR_PROBES = { firstMs: 2 * SECOND_MS, longestMs: 10 * SECOND_MS } as const;
