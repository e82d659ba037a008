import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { QUEUE_NAMES } from "../../ground/vocabulary/queues.ts";

/**
 * The circuit breaker between a queue's jobs and the detector, shared by all Workers. A queue without a row has had no failures.
 *
 * `failures` counts calls in a row that the detector did not answer. `mostAtOnce` is how many of the queue's jobs may call it at
 * once: null without a limit, 0 while the breaker is open. `openedAt` is when it opened, and null again after an answered probe.
 * `retryAt` is when the next probe is due, `failedProbes` how many have failed. `wakeAt` is when the permit for that probe arrives.
 */
export const detectorBreakers = sqliteTable("detector_breakers", {
  queue: text("queue", { enum: QUEUE_NAMES }).primaryKey(),
  failures: integer("failures").notNull().default(0),
  mostAtOnce: integer("most_at_once"),
  openedAt: integer("opened_at"),
  failedProbes: integer("failed_probes").notNull().default(0),
  retryAt: integer("retry_at"),
  wakeAt: integer("wake_at"),
});
