import { z } from "zod";
import { faultFields, log } from "../platform/log.ts";

/** Body of a message on the image queue: which media to process, and the request that the work follows. */
export const imageJobSchema = z.object({ mediaId: z.uuid(), requestId: z.string() });

export type ImageJob = z.output<typeof imageJobSchema>;

/** Sends an image's job. A job that cannot be sent is sent later by the sweeper, so this never fails. */
export async function enqueueImageJob(queue: Queue, mediaId: string, requestId: string): Promise<void> {
  const job: ImageJob = { mediaId, requestId };
  try {
    await queue.send(job);
  } catch (fault) {
    log("warn", "image_job.send_postponed", { mediaId, requestId, ...faultFields(fault) });
  }
}
