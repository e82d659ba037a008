import {
  findBacklogs,
  takeStrandedJobs,
  type JobSource,
  type StrandedJobs,
} from "../jobs/account-turns.repository.ts";
import { sendPermits } from "../../ground/platform/permits.ts";
import { WAITING_IMAGES } from "../images/image-claims.repository.ts";
import { releaseExpiredLeases } from "../../records/media/media-jobs.repository.ts";
import { nowMs } from "../../ground/platform/clock.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { ApiEnv } from "../../ground/platform/env.ts";
import { log } from "../../ground/platform/log.ts";
import { WAITING_VIDEOS } from "../video/tasks/video-claims.repository.ts";
import { releaseExpiredTasks } from "../../records/video-tasks/video-tasks.repository.ts";
import { WAITING_DELIVERIES } from "../webhooks/delivery-claims.repository.ts";
import { releaseExpiredLocks } from "../../records/events/due-deliveries.repository.ts";

/** More permits would only wait for each other. */
const MOST_PERMITS = 100;

/** The queues that permits are sent to. */
type JobQueues = Pick<ApiEnv, "IMAGE_JOBS" | "VIDEO_JOBS" | "WEBHOOK_JOBS">;

/** Returns jobs with an expired lease to their queues, and sends a permit for each. Returns how many. */
export async function resendDroppedJobs(queues: JobQueues, database: Database): Promise<number> {
  const jobs = await releaseExpiredLeases(database, nowMs(), MOST_PERMITS);
  for (const { id: mediaId, requestId, mediaType } of jobs) {
    const queue = mediaType === "image" ? queues.IMAGE_JOBS : queues.VIDEO_JOBS;
    await sendPermits(queue, [{ mediaId, requestId }]);
  }
  return jobs.length;
}

/** Sends permits for images and videos whose permits were lost. Returns how many. */
export async function resendStrandedJobs(queues: JobQueues, database: Database): Promise<number> {
  let sent = 0;
  for (const [queue, source] of [
    [queues.IMAGE_JOBS, WAITING_IMAGES],
    [queues.VIDEO_JOBS, WAITING_VIDEOS],
  ] as const) {
    const permits = await takeStranded(database, source);
    await sendPermits(
      queue,
      permits.map(({ key: mediaId, requestId }) => ({ mediaId, requestId })),
    );
    sent += permits.length;
  }
  return sent;
}

/** As {@link resendDroppedJobs}, for the steps of videos. */
export async function resendDroppedSteps(queues: JobQueues, database: Database): Promise<number> {
  const steps = await releaseExpiredTasks(database, nowMs(), MOST_PERMITS);
  await sendPermits(queues.VIDEO_JOBS, steps);
  return steps.length;
}

/** As {@link resendDroppedJobs}, for the deliveries of webhooks. */
export async function resendDroppedDeliveries(queues: JobQueues, database: Database): Promise<number> {
  const deliveries = await releaseExpiredLocks(database, nowMs(), MOST_PERMITS);
  await sendPermits(queues.WEBHOOK_JOBS, deliveries);
  return deliveries.length;
}

/** As {@link resendStrandedJobs}, for the deliveries of webhooks. */
export async function resendStrandedDeliveries(queues: JobQueues, database: Database): Promise<number> {
  const permits = await takeStranded(database, WAITING_DELIVERIES);
  const deliveries = permits.map(({ key: deliveryId, requestId }) => ({ deliveryId, requestId }));
  await sendPermits(queues.WEBHOOK_JOBS, deliveries);
  return deliveries.length;
}

/**
 * Logs how many jobs wait in each queue, by plan, and how long the oldest has waited. A queue whose jobs are all due later, such as
 * retried deliveries, is left out. Returns how many jobs wait.
 */
export async function logBacklogs(database: Database): Promise<number> {
  const sources = [WAITING_IMAGES, WAITING_VIDEOS, WAITING_DELIVERIES];
  const backlogs = (await findBacklogs(database, sources, nowMs())).filter(
    (row) => row.oldestWaitMs !== null,
  );
  for (const backlog of backlogs) log("info", "backlog", { ...backlog });
  return backlogs.reduce((total, { waiting }) => total + waiting, 0);
}

/** One job for each permit to send. */
async function takeStranded(database: Database, source: JobSource): Promise<StrandedJobs[]> {
  const accounts = await takeStrandedJobs(database, source, { nowMs: nowMs(), limit: MOST_PERMITS });
  return accounts.flatMap((jobs) => Array.from({ length: jobs.places }, () => jobs)).slice(0, MOST_PERMITS);
}
