import { buryMessage, isDeadLetterBatch } from "../dead-letters/dead-letters.service.ts";
import type { DeadLetterReason } from "../dead-letters/dead-letters.table.ts";
import type { ImageEnv } from "../platform/env.ts";
import { faultFields, log } from "../platform/log.ts";
import { imageJobSchema } from "./image-jobs.queue.ts";
import { processImage } from "./image-jobs.service.ts";

const FAULT_DELAY_SECONDS = 10;

/** Takes a batch of the image queue, or of its dead letters; every message is acknowledged or retried by itself. */
export async function consumeImageJobs(batch: MessageBatch, config: ImageEnv): Promise<void> {
  const isDead = isDeadLetterBatch(batch);
  for (const message of batch.messages) {
    try {
      if (isDead) await bury("retries_spent", message, config);
      else await consume(message, config);
    } catch (fault) {
      log("error", "image_job.fault", {
        messageId: message.id,
        attempts: message.attempts,
        ...faultFields(fault),
      });
      message.retry({ delaySeconds: FAULT_DELAY_SECONDS });
    }
  }
}

async function consume(message: Message, config: ImageEnv): Promise<void> {
  const job = imageJobSchema.safeParse(message.body);
  if (!job.success) {
    await bury("unreadable", message, config);
    return;
  }
  const result = await processImage(config, job.data);
  if (result.outcome === "done") message.ack();
  else message.retry({ delaySeconds: result.delaySeconds });
}

async function bury(reason: DeadLetterReason, message: Message, config: ImageEnv): Promise<void> {
  const job = imageJobSchema.safeParse(message.body);
  await buryMessage(config.DB, message, { queue: "images", reason, mediaId: job.data?.mediaId ?? null });
}
