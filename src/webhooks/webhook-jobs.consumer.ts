import { consumeJobs } from "../jobs/consume-jobs.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import type { ApiEnv } from "../platform/env.ts";
import { attemptDelivery } from "./webhook-attempts.service.ts";
import { webhookJobSchema } from "./webhook-jobs.queue.ts";

/** The longest a queue holds a message back; one that comes too early is held back again. */
const MAX_DELAY_SECONDS = 43_200;

/**
 * Takes a batch of the webhook queue, or of its dead letters. The deliveries of a batch are attempted together, so that
 * a slow endpoint costs the others no more than its own time-out.
 */
export async function consumeWebhookJobs(batch: MessageBatch, config: ApiEnv): Promise<void> {
  await consumeJobs(batch, {
    queue: "webhooks",
    faultEvent: "webhook_job.fault",
    schema: webhookJobSchema,
    database: config.DB,
    isConcurrent: true,
    process: async (job) => {
      const result = await attemptDelivery(config, job);
      if (result.outcome === "done") return { outcome: "done" };
      return { outcome: "again", delaySeconds: delaySecondsUntil(result.dueAtMs) };
    },
    mediaIdOf: () => null,
  });
}

function delaySecondsUntil(dueAtMs: number): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil((dueAtMs - nowMs()) / SECOND_MS)));
}
