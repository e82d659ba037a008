import type { Verdict } from "../../ground/platform/job-error.ts";
import type { ClaimedMedia } from "../../records/media/media-jobs.repository.ts";
import type { FailureCode } from "../../ground/vocabulary/failures.ts";
import { detectionsKey } from "../../records/media/media.objects.ts";
import { keepsAnalysis } from "../../records/media/kept-analysis.ts";
import { findMediaById, type MediaRow } from "../../records/media/media.repository.ts";
import type { Database } from "../../ground/platform/database.ts";
import type { VideoEnv } from "../../ground/platform/env.ts";
import { errorFields, log, type LogFields } from "../../ground/platform/log.ts";
import { failJob } from "../jobs/end-media.service.ts";
import { judgeError } from "../detection/detector.ts";
import { ContainerError } from "./containers/track-packets.ts";
import { EngineError } from "./engine/engine.ts";
import { forgetTasks } from "../../records/video-tasks/video-tasks.repository.ts";
import { deleteEndedWork } from "../../records/video-tasks/kept-work.ts";

/** Ends a video as failed and deletes what was stored only for its job. */
export async function failVideo(
  config: VideoEnv,
  database: Database,
  { row, claimed, failureCode }: { row: MediaRow; claimed: ClaimedMedia; failureCode: FailureCode },
): Promise<void> {
  await failJob(config, database, { row, claimed, failureCode });
  logJob(row, "failed", { failureCode });
  await cleanUp(config, database, row);
  await forgetDetections(config, row);
}

/** Nobody can read the detections of a failed video. Those that cannot be deleted now are deleted with its source. */
async function forgetDetections({ MEDIA }: VideoEnv, row: MediaRow): Promise<void> {
  try {
    const prefix = detectionsKey({ accountId: row.accountId, mediaId: row.id });
    const { objects } = await MEDIA.list({ prefix, limit: 1000 });
    if (objects.length > 0) await MEDIA.delete(objects.map(({ key }) => key));
  } catch (error) {
    log("warn", "video_job.cleanup_postponed", { mediaId: row.id, ...errorFields(error) });
  }
}

/** The failure code of a step's error, and whether the error is permanent. */
export function verdictOn(error: unknown): Verdict {
  if (error instanceof ContainerError) return { code: "source_unreadable", isPermanent: true };
  if (error instanceof EngineError) {
    const isPermanent = ["failed", "out_of_memory", "unsupported_runtime"].includes(error.code);
    return { code: `engine_${error.code}`, isPermanent };
  }
  return judgeError(error);
}

/**
 * Deletes what an ended video stored, except what its revisions need. The sweeper deletes later what cannot be deleted now.
 */
export async function cleanUp(config: VideoEnv, database: Database, row: MediaRow): Promise<void> {
  try {
    const ended = await findMediaById(database, row.id);
    const isRevisable = ended !== undefined && keepsAnalysis(ended);
    await deleteEndedWork(config.MEDIA, { accountId: row.accountId, mediaId: row.id, isRevisable });
    await forgetTasks(database, row.id);
  } catch (error) {
    log("warn", "video_job.cleanup_postponed", { mediaId: row.id, ...errorFields(error) });
  }
}

/** Logs that a video has ended or was handed over. */
export function logJob(row: MediaRow, outcome: string, fields: LogFields): void {
  log(outcome === "failed" ? "warn" : "info", "video_job", {
    requestId: row.requestId,
    accountId: row.accountId,
    mediaId: row.id,
    outcome,
    format: row.format,
    durationSeconds: row.durationSeconds,
    ...fields,
  });
}
