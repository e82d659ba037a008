import { JobError } from "../../jobs/job-error.ts";
import { log } from "../../platform/log.ts";

/** The number of decoded frames differs from the number of the source's packets, so it is uncertain what the source shows. */
export function framesMissing(framesFound: number, framesPlanned: number): JobError {
  log("warn", "video_job.frames_missing", { framesFound, framesPlanned });
  return new JobError("source_undecodable", true);
}
