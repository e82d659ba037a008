import { DetectionError } from "../detection/detector.ts";
import { JobError, type Verdict } from "../jobs/job-error.ts";

/** What a fault of any job is called, and whether another try could do better. */
export function judgeError(error: unknown): Verdict {
  if (error instanceof JobError) return error;
  if (error instanceof DetectionError) return { code: error.code, isPermanent: !error.isTransient };
  return { code: "unexpected", isPermanent: false };
}
