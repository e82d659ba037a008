import { sendPermits } from "../../ground/platform/permits.ts";
import type { MediaRow } from "../../records/media/media.repository.ts";
import type { VideoEnv } from "../../ground/platform/env.ts";

/** Sends permits for the tasks that a step of a video created. The permit of that step continues with the first one. */
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
