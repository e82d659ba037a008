import { consumeJobs } from "../jobs/consume-jobs.ts";
import { permitSchema } from "../../ground/platform/permits.ts";
import { accountOfMedia } from "../../records/media/media.repository.ts";
import type { VideoEnv } from "../../ground/platform/env.ts";
import { processVideos } from "./video-jobs.service.ts";

/** Processes a batch of the video queue or of its dead-letter queue. */
export async function consumeVideoJobs(batch: MessageBatch, config: VideoEnv): Promise<void> {
  await consumeJobs(batch, {
    queue: "videos",
    errorEvent: "video_job.fault",
    schema: permitSchema,
    config,
    isConcurrent: false,
    process: async (own, permit) => {
      await processVideos(own, permit);
    },
    mediaOf: ({ mediaId }) => ({ mediaId, accountId: accountOfMedia(mediaId) }),
  });
}
