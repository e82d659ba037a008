import { consumeJobs } from "../jobs/consume-jobs.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { attemptDeliveries } from "./webhook-attempts.service.ts";
import { webhookJobSchema } from "../../records/events/delivery-permits.ts";

/**
 * Processes a batch of the webhook queue or of its dead-letter queue. Its permits are handled concurrently, so that a slow
 * endpoint delays the others by at most its own timeout.
 */
export async function consumeWebhookJobs(batch: MessageBatch, config: ApiEnv): Promise<void> {
  await consumeJobs(batch, {
    queue: "webhooks",
    errorEvent: "webhook_job.fault",
    schema: webhookJobSchema,
    config,
    isConcurrent: true,
    process: async (own) => {
      await attemptDeliveries(own);
    },
    mediaOf: () => null,
  });
}
