import { z } from "zod";
import { faultFields, log } from "../platform/log.ts";

/**
 * Body of a message on a queue of jobs: a permit to work, not a job. Whoever gets it does the job that is fairest to do next,
 * which is in the database, so a permit that is lost, doubled or late changes nothing but how many work at once. What it
 * names is what it was sent for.
 */
export const permitSchema = z.object({ mediaId: z.uuid(), requestId: z.string() });

export type Permit = z.output<typeof permitSchema>;

/** The most messages that a queue takes at once (Cloudflare Queues' limits). */
const BATCH_MESSAGES = 100;

/** Sends permits, to arrive after a delay. What cannot be sent the sweeper makes good, so this never fails. */
export async function sendPermits(queue: Queue, permits: readonly object[], delaySeconds = 0): Promise<void> {
  for (let at = 0; at < permits.length; at += BATCH_MESSAGES) {
    const batch = permits.slice(at, at + BATCH_MESSAGES);
    try {
      await queue.sendBatch(batch.map((body) => ({ body, delaySeconds })));
    } catch (fault) {
      log("warn", "permits.postponed", { permits: batch.length, ...faultFields(fault) });
    }
  }
}
