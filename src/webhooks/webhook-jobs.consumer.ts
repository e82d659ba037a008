import { consumeJobs } from "../jobs/consume-jobs.ts";
import type { ApiEnv } from "../platform/env.ts";
import { attemptDeliveries } from "./webhook-attempts.service.ts";
import { webhookJobSchema } from "../events/delivery-permits.ts";

/**
 * Takes a batch of the webhook queue, or of its dead letters. Its permits are worked by together, so that a slow endpoint costs
 * the others no more than its own time-out.
 */
export async function consumeWebhookJobs(batch: MessageBatch, config: ApiEnv): Promise<void> {
  await consumeJobs(batch, {
    queue: "webhooks",
    errorEvent: "webhook_job.fault",
    schema: webhookJobSchema,
    database: config.DB,
    isConcurrent: true,
    process: async () => {
      await attemptDeliveries(config);
    },
    mediaIdOf: () => null,
  });
}
