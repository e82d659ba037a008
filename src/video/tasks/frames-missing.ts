import { JobError } from "../../jobs/job-error.ts";
import { log } from "../../platform/log.ts";

/** The source could not be decoded to as many frames as it has packets: what it shows cannot be told for sure. */
export function framesMissing(framesFound: number, framesPlanned: number): JobError {
  log("warn", "video_job.frames_missing", { framesFound, framesPlanned });
  return new JobError("source_undecodable", true);
}
