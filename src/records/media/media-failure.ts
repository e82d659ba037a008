import { FAILURE_MESSAGES, isFailureCode, type FailureCode } from "../../ground/vocabulary/failures.ts";
import type { MediaStatus } from "./media.states.ts";

/** Why a media item has no redacted file. */
export interface Failure {
  readonly code: FailureCode;
  readonly message: string;
}

/** Why a media item ended without a redacted file; null if it has not ended or is completed. */
export function failureOf({
  status,
  failureCode,
}: {
  readonly status: MediaStatus;
  readonly failureCode: string | null;
}): Failure | null {
  if (status === "quota_exceeded") return failure("quota_exceeded");
  if (status !== "failed") return null;
  return failure(failureCode !== null && isFailureCode(failureCode) ? failureCode : "unexpected");
}

function failure(code: FailureCode): Failure {
  return { code, message: FAILURE_MESSAGES[code] };
}
