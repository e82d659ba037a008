import { z } from "zod";
import { faultFields, log } from "../platform/log.ts";

/** Body of a message on the webhook queue: which delivery to attempt, and the request that it follows from. */
export const webhookJobSchema = z.object({ deliveryId: z.string(), requestId: z.string() });

export type WebhookJob = z.output<typeof webhookJobSchema>;

/** Messages that a queue takes at once. */
const BATCH_MESSAGES = 100;

/** Sends deliveries on their way. What cannot be sent is sent later by the sweeper, so this never fails. */
export async function sendWebhookJobs(queue: Queue, jobs: readonly WebhookJob[]): Promise<void> {
  for (let at = 0; at < jobs.length; at += BATCH_MESSAGES) {
    const batch = jobs.slice(at, at + BATCH_MESSAGES);
    try {
      await queue.sendBatch(batch.map((body) => ({ body })));
    } catch (fault) {
      log("warn", "webhook.send_postponed", { deliveries: batch.length, ...faultFields(fault) });
    }
  }
}
