import { enqueueImageJob } from "../images/image-jobs.queue.ts";
import {
  findStrandedJobs,
  noteResent,
  releaseExpiredLeases,
  type JobReference,
} from "../media/media-jobs.repository.ts";
import { SECOND_MS, nowMs } from "../platform/clock.ts";
import type { Database } from "../platform/database.ts";
import type { ApiEnv } from "../platform/env.ts";
import { enqueueVideoJob } from "../video/video-jobs.queue.ts";
import { releaseExpiredTasks, takeStrandedVideos } from "../video/video-tasks.repository.ts";
import { sendWebhookJobs } from "../webhooks/webhook-jobs.queue.ts";
import { findStrandedDeliveries } from "../webhooks/due-deliveries.repository.ts";

/** A message that was sent this long ago and has not been taken is taken to be lost. */
const STRANDED_AFTER_MS = 30 * SECOND_MS;
const MOST_JOBS = 100;
const MOST_WEBHOOKS = 1_000;

/** The queues that jobs are sent to. */
type JobQueues = Pick<ApiEnv, "IMAGE_JOBS" | "VIDEO_JOBS" | "WEBHOOK_JOBS">;

/** Sends the jobs again whose worker has not been heard of until its lease ended. Returns how many. */
export async function resendDroppedJobs(queues: JobQueues, database: Database): Promise<number> {
  const jobs = await releaseExpiredLeases(database, nowMs(), MOST_JOBS);
  for (const job of jobs) await enqueueJob(queues, job);
  return jobs.length;
}

/** Sends the jobs again whose message nobody has taken. Returns how many. */
export async function resendStrandedJobs(queues: JobQueues, database: Database): Promise<number> {
  const jobs = await findStrandedJobs(database, {
    nowMs: nowMs(),
    graceMs: STRANDED_AFTER_MS,
    limit: MOST_JOBS,
  });
  for (const job of jobs) await enqueueJob(queues, job);
  await noteResent(
    database,
    jobs.map((job) => job.id),
    nowMs(),
  );
  return jobs.length;
}

/** As {@link resendDroppedJobs}, for the steps of videos. */
export async function resendDroppedSteps(queues: JobQueues, database: Database): Promise<number> {
  const steps = await releaseExpiredTasks(database, nowMs(), MOST_JOBS);
  for (const step of steps) await enqueueVideoJob(queues.VIDEO_JOBS, step.mediaId, step.requestId);
  return steps.length;
}

/** As {@link resendStrandedJobs}, for the steps of videos. */
export async function resendStrandedSteps(queues: JobQueues, database: Database): Promise<number> {
  const videos = await takeStrandedVideos(database, {
    nowMs: nowMs(),
    graceMs: STRANDED_AFTER_MS,
    limit: MOST_JOBS,
  });
  for (const video of videos) await enqueueVideoJob(queues.VIDEO_JOBS, video.mediaId, video.requestId);
  return videos.length;
}

/** Sends the webhook jobs again that are due and whose message nobody has taken. Returns how many. */
export async function resendStrandedWebhooks(queues: JobQueues, database: Database): Promise<number> {
  const jobs = await findStrandedDeliveries(database, {
    nowMs: nowMs(),
    graceMs: STRANDED_AFTER_MS,
    limit: MOST_WEBHOOKS,
  });
  await sendWebhookJobs(queues.WEBHOOK_JOBS, jobs);
  return jobs.length;
}

async function enqueueJob(queues: JobQueues, { id, requestId, mediaType }: JobReference): Promise<void> {
  if (mediaType === "image") await enqueueImageJob(queues.IMAGE_JOBS, id, requestId);
  else await enqueueVideoJob(queues.VIDEO_JOBS, id, requestId);
}
