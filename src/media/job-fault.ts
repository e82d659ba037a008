/** A fault of a job. A permanent one ends it at the first try. */
export class JobFault extends Error {
  override readonly name = "JobFault";
  readonly code: string;
  readonly isPermanent: boolean;

  constructor(code: string, isPermanent: boolean, cause?: unknown) {
    super(`The job failed: ${code}.`, { cause });
    this.code = code;
    this.isPermanent = isPermanent;
  }
}
