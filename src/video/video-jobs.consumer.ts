import { consumeJobs } from "../jobs/consume-jobs.ts";
import type { VideoEnv } from "../platform/env.ts";
import { videoJobSchema } from "./video-jobs.queue.ts";
import { processVideo } from "./video-jobs.service.ts";

/** Takes a batch of the video queue, or of its dead letters. */
export async function consumeVideoJobs(batch: MessageBatch, config: VideoEnv): Promise<void> {
  await consumeJobs(batch, {
    queue: "videos",
    faultEvent: "video_job.fault",
    schema: videoJobSchema,
    database: config.DB,
    isConcurrent: false,
    process: async (job) => await processVideo(config, job),
    mediaIdOf: (job) => job.mediaId,
  });
}
