import { buryMessage, isDeadLetterBatch } from "../dead-letters/dead-letters.service.ts";
import type { DeadLetterReason } from "../dead-letters/dead-letters.table.ts";
import type { VideoEnv } from "../platform/env.ts";
import { faultFields, log } from "../platform/log.ts";
import { videoJobSchema } from "./video-jobs.queue.ts";
import { processVideo } from "./video-jobs.service.ts";

const FAULT_DELAY_SECONDS = 10;

/** Takes a batch of the video queue, or of its dead letters; every message is acknowledged or retried by itself. */
export async function consumeVideoJobs(batch: MessageBatch, config: VideoEnv): Promise<void> {
  const isDead = isDeadLetterBatch(batch);
  for (const message of batch.messages) {
    try {
      if (isDead) await bury("retries_spent", message, config);
      else await consume(message, config);
    } catch (fault) {
      const { id: messageId, attempts } = message;
      log("error", "video_job.fault", { messageId, attempts, ...faultFields(fault) });
      message.retry({ delaySeconds: FAULT_DELAY_SECONDS });
    }
  }
}

async function consume(message: Message, config: VideoEnv): Promise<void> {
  const job = videoJobSchema.safeParse(message.body);
  if (!job.success) {
    await bury("unreadable", message, config);
    return;
  }
  const result = await processVideo(config, job.data);
  if (result.outcome === "done") message.ack();
  else message.retry({ delaySeconds: result.delaySeconds });
}

async function bury(reason: DeadLetterReason, message: Message, config: VideoEnv): Promise<void> {
  const job = videoJobSchema.safeParse(message.body);
  await buryMessage(config.DB, message, { queue: "videos", reason, mediaId: job.data?.mediaId ?? null });
}
