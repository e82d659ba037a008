import { JobFault } from "../../jobs/job-fault.ts";
import { log } from "../../platform/log.ts";

/** The source could not be decoded to as many frames as it has packets: what it shows cannot be told for sure. */
export function framesMissing(framesFound: number, framesPlanned: number): JobFault {
  log("warn", "video_job.frames_missing", { framesFound, framesPlanned });
  return new JobFault("source_undecodable", true);
}
