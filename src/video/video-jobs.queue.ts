import { z } from "zod";
import { faultFields, log } from "../platform/log.ts";

/**
 * Body of a message on the video queue: which media to go on with, and the request that the work follows. Which step is due is
 * in the database, so a message that is lost, doubled or late changes nothing but how many steps run at once.
 */
export const videoJobSchema = z.object({ mediaId: z.uuid(), requestId: z.string() });

export type VideoJob = z.output<typeof videoJobSchema>;

/** Sends so many messages of a video's job. What cannot be sent is sent later by the sweeper, so this never fails. */
export async function enqueueVideoJob(
  queue: Queue,
  mediaId: string,
  requestId: string,
  messages = 1,
): Promise<void> {
  const job: VideoJob = { mediaId, requestId };
  try {
    await queue.sendBatch(Array.from({ length: messages }, () => ({ body: job })));
  } catch (fault) {
    log("warn", "video_job.send_postponed", { mediaId, requestId, ...faultFields(fault) });
  }
}
