import { JobError } from "../../../ground/platform/job-error.ts";
import { log } from "../../../ground/platform/log.ts";

/** The number of decoded frames differs from the number of the source's packets, so it is uncertain what the source shows. */
export function framesMissing(framesFound: number, framesPlanned: number): JobError {
  log("warn", "video_job.frames_missing", { framesFound, framesPlanned });
  return new JobError("source_undecodable", true);
}
