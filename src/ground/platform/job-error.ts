import { isFailureCode, type FailureCode, type PassingCode } from "../vocabulary/failures.ts";

/** Why an attempt failed, and whether every other attempt would fail the same way. */
export interface Verdict {
  readonly code: FailureCode | PassingCode;
  readonly isPermanent: boolean;
}

/** An error of a job. A permanent error ends the job at once, without a retry. */
export class JobError extends Error implements Verdict {
  override readonly name = "JobError";
  readonly code: FailureCode | PassingCode;
  readonly isPermanent: boolean;

  constructor(code: FailureCode | PassingCode, isPermanent: boolean, cause?: unknown) {
    super(messageOf(code, cause), { cause });
    this.code = code;
    this.isPermanent = isPermanent;
  }
}

function messageOf(code: string, cause: unknown): string {
  return `The job failed: ${code}.${cause instanceof Error ? ` ${cause.message}` : ""}`;
}

/** The failure code of a job that is not retried. */
export function failureCodeOf({ code, isPermanent }: Verdict): FailureCode {
  if (!isPermanent) return "retries_spent";
  return isFailureCode(code) ? code : "unexpected";
}
