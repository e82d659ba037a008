import { z } from "zod";
import { errorFields, log } from "./log.ts";

/**
 * Body of a message on a job queue. It is a permit to work, not a job: its receiver runs the fairest next job in the database.
 * A lost, duplicate or late permit therefore affects only how many workers run at once. Its IDs name the item that it was sent for.
 */
export const permitSchema = z.object({ mediaId: z.uuid(), requestId: z.string() });

export type Permit = z.output<typeof permitSchema>;

/** The most messages that a queue accepts at once (Cloudflare Queues' limits). */
const BATCH_MESSAGES = 100;

/**
 * A permit that arrives before its job is due finds nothing to do and is used up. A delayed permit therefore arrives a little
 * late, because the clocks of the queue and the database may differ.
 */
const CLOCK_MARGIN_SECONDS = 1;
/** The longest delay of a queue message (Cloudflare Queues' limits). The sweeper handles jobs that are due later. */
const MAX_DELAY_SECONDS = 43_200;

/** Sends permits that arrive after a delay. The sweeper replaces those that cannot be sent, so this never fails. */
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
