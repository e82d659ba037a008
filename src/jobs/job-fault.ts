import type { FailureCode, PassingCode, Verdict } from "../vocabulary/failures.ts";

/** A fault of a job. A permanent one ends it at the first try. */
export class JobFault extends Error implements Verdict {
  override readonly name = "JobFault";
  readonly code: FailureCode | PassingCode;
  readonly isPermanent: boolean;

  constructor(code: FailureCode | PassingCode, isPermanent: boolean, cause?: unknown) {
    super(`The job failed: ${code}.`, { cause });
    this.code = code;
    this.isPermanent = isPermanent;
  }
}
