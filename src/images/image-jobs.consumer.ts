import { consumeJobs } from "../jobs/consume-jobs.ts";
import type { ImageEnv } from "../platform/env.ts";
import { imageJobSchema } from "./image-jobs.queue.ts";
import { processImage } from "./image-jobs.service.ts";

/** Takes a batch of the image queue, or of its dead letters. */
export async function consumeImageJobs(batch: MessageBatch, config: ImageEnv): Promise<void> {
  await consumeJobs(batch, {
    queue: "images",
    faultEvent: "image_job.fault",
    schema: imageJobSchema,
    database: config.DB,
    isConcurrent: false,
    process: async (job) => await processImage(config, job),
    mediaIdOf: (job) => job.mediaId,
  });
}
