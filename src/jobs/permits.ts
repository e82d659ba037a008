import { z } from "zod";
import { errorFields, log } from "../platform/log.ts";

/**
 * Body of a message on a queue of jobs: a permit to work, not a job. Whoever gets it does the job that is fairest to do next,
 * which is in the database, so a permit that is lost, doubled or late changes nothing but how many work at once. What it
 * names is what it was sent for.
 */
export const permitSchema = z.object({ mediaId: z.uuid(), requestId: z.string() });

export type Permit = z.output<typeof permitSchema>;

/** The most messages that a queue takes at once (Cloudflare Queues' limits). */
const BATCH_MESSAGES = 100;

/**
 * A permit that arrives before its job is due finds nothing to do and is spent, so one that waits arrives a little late: the
 * queue's clock and the database's times may be apart.
 */
const CLOCK_MARGIN_SECONDS = 1;
/** The longest a queue holds a message back (Cloudflare Queues' limits); the sweeper sees to what is due later than that. */
const MAX_DELAY_SECONDS = 43_200;

/** Sends permits, to arrive after a delay. What cannot be sent the sweeper makes good, so this never fails. */
export async function sendPermits(queue: Queue, permits: readonly object[], dueInSeconds = 0): Promise<void> {
  const delaySeconds =
    dueInSeconds === 0 ? 0 : Math.min(MAX_DELAY_SECONDS, dueInSeconds + CLOCK_MARGIN_SECONDS);
  for (let at = 0; at < permits.length; at += BATCH_MESSAGES) {
    const batch = permits.slice(at, at + BATCH_MESSAGES);
    try {
      await queue.sendBatch(batch.map((body) => ({ body, delaySeconds })));
    } catch (error) {
      log("warn", "permits.postponed", { permits: batch.length, ...errorFields(error) });
    }
  }
}
