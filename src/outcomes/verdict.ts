import { DetectionError } from "../detection/detector.ts";
import { JobFault, type Verdict } from "../jobs/job-fault.ts";

/** What a fault of any job is called, and whether another try could do better. */
export function judgeFault(fault: unknown): Verdict {
  if (fault instanceof JobFault) return fault;
  if (fault instanceof DetectionError) return { code: fault.code, isPermanent: !fault.isTransient };
  return { code: "unexpected", isPermanent: false };
}
