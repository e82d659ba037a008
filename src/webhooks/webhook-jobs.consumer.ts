import { buryMessage, isDeadLetterBatch } from "../dead-letters/dead-letters.service.ts";
import type { DeadLetterReason } from "../dead-letters/dead-letters.table.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import type { ApiEnv } from "../platform/env.ts";
import { faultFields, log } from "../platform/log.ts";
import { attemptDelivery } from "./webhook-attempts.service.ts";
import { webhookJobSchema } from "./webhook-jobs.queue.ts";

const FAULT_DELAY_SECONDS = 10;
/** The longest a queue holds a message back; one that comes too early is held back again. */
const MAX_DELAY_SECONDS = 43_200;

/**
 * Takes a batch of the webhook queue, or of its dead letters. The deliveries of a batch are attempted together, so that
 * a slow endpoint costs the others no more than its own time-out; every message is acknowledged or retried by itself.
 */
export async function consumeWebhookJobs(batch: MessageBatch, config: ApiEnv): Promise<void> {
  const isDead = isDeadLetterBatch(batch);
  await Promise.all(
    batch.messages.map(async (message) => {
      try {
        if (isDead) await bury("retries_spent", message, config);
        else await consume(message, config);
      } catch (fault) {
        log("error", "webhook_job.fault", {
          messageId: message.id,
          attempts: message.attempts,
          ...faultFields(fault),
        });
        message.retry({ delaySeconds: FAULT_DELAY_SECONDS });
      }
    }),
  );
}

async function consume(message: Message, config: ApiEnv): Promise<void> {
  const job = webhookJobSchema.safeParse(message.body);
  if (!job.success) {
    await bury("unreadable", message, config);
    return;
  }
  const result = await attemptDelivery(config, job.data);
  if (result.outcome === "done") message.ack();
  else message.retry({ delaySeconds: delaySecondsUntil(result.dueAtMs) });
}

function delaySecondsUntil(dueAtMs: number): number {
  return Math.min(MAX_DELAY_SECONDS, Math.max(0, Math.ceil((dueAtMs - nowMs()) / SECOND_MS)));
}

async function bury(reason: DeadLetterReason, message: Message, config: ApiEnv): Promise<void> {
  await buryMessage(config.DB, message, { queue: "webhooks", reason, mediaId: null });
}
