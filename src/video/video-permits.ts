import { sendPermits } from "../jobs/permits.ts";
import type { MediaRow } from "../media/media.repository.ts";
import type { VideoEnv } from "../platform/env.ts";

/** Sends permits for tasks that a step of a video has made; the one that it was done by goes on to the first of them. */
export async function sendPermitsFor(
  config: VideoEnv,
  { id: mediaId, requestId }: MediaRow,
  tasksMade: number,
): Promise<void> {
  const permits = Math.min(tasksMade, config.VIDEO_PARALLEL_SEGMENTS) - 1;
  if (permits < 1) return;
  await sendPermits(
    config.VIDEO_JOBS,
    Array.from({ length: permits }, () => ({ mediaId, requestId })),
  );
}
