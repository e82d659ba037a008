import { nowMs } from "../platform/clock.ts";
import { openDatabase } from "../platform/database.ts";
import type { ImageEnv } from "../platform/env.ts";
import { faultFields, log } from "../platform/log.ts";
import { recordDeadLetter } from "./dead-letters.repository.ts";
import { imageJobSchema } from "./image-jobs.queue.ts";
import { processImage } from "./image-jobs.service.ts";

/** A queue whose name ends so holds what another queue has given up. */
const DEAD_LETTER_SUFFIX = "-dead";
const FAULT_DELAY_SECONDS = 10;

/** Takes a batch of the image queue, or of its dead letters; every message is acknowledged or retried by itself. */
export async function consumeImageJobs(batch: MessageBatch, config: ImageEnv): Promise<void> {
  const isDead = batch.queue.endsWith(DEAD_LETTER_SUFFIX);
  for (const message of batch.messages) {
    try {
      if (isDead) await bury(batch.queue, message, config);
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

async function bury(queue: string, message: Message, config: ImageEnv): Promise<void> {
  const job = imageJobSchema.safeParse(message.body);
  await recordDeadLetter(openDatabase(config.DB, "primary"), {
    messageId: message.id,
    queue,
    body: JSON.stringify(message.body),
    mediaId: job.success ? job.data.mediaId : null,
    recordedAtMs: nowMs(),
  });
  log("error", "dead_letter", { messageId: message.id, queue, mediaId: job.data?.mediaId });
  message.ack();
}
