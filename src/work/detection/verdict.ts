import { DetectionError } from "./detector.ts";
import { JobError, type Verdict } from "../../ground/platform/job-error.ts";

/** The failure code of a job's error, and whether to try again. */
export function judgeError(error: unknown): Verdict {
  if (error instanceof JobError) return error;
  if (error instanceof DetectionError) return { code: error.code, isPermanent: !error.isTransient };
  return { code: "unexpected", isPermanent: false };
}
