import { consumeJobs } from "../jobs/consume-jobs.ts";
import type { ImageEnv } from "../../ground/platform/env.ts";
import { permitSchema } from "../../ground/platform/permits.ts";
import { accountOfMedia } from "../../records/media/media.repository.ts";
import { processImages } from "./image-jobs.service.ts";

/** Processes a batch of the image queue or of its dead-letter queue. */
export async function consumeImageJobs(batch: MessageBatch, config: ImageEnv): Promise<void> {
  await consumeJobs(batch, {
    queue: "images",
    errorEvent: "image_job.fault",
    schema: permitSchema,
    config,
    isConcurrent: false,
    process: async (own, permit) => {
      await processImages(own, permit);
    },
    mediaOf: ({ mediaId }) => ({ mediaId, accountId: accountOfMedia(mediaId) }),
  });
}
