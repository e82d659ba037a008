import { JobError } from "../../jobs/job-error.ts";
import { log } from "../../platform/log.ts";

/** The source could not be decoded to as many frames as it has packets, so it is uncertain what it shows. */
export function framesMissing(framesFound: number, framesPlanned: number): JobError {
  log("warn", "video_job.frames_missing", { framesFound, framesPlanned });
  return new JobError("source_undecodable", true);
}
