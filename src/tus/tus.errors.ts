import type { ErrorCode, ErrorDetails } from "../platform/errors.ts";

/** Statuses of tus 1.0.0 that the rest of the API does not use, by what they say. */
export const TUS_STATUS = {
  request_timeout: 408,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  too_large: 413,
  wrong_type: 415,
  locked: 423,
  checksum_mismatch: 460,
  bad_request: 400,
} as const;

/** A fault with a status of the tus protocol, told in the envelope of the API. */
export class TusError extends Error {
  override readonly name = "TusError";
  readonly status: (typeof TUS_STATUS)[keyof typeof TUS_STATUS];
  readonly code: ErrorCode;
  readonly details: ErrorDetails;

  constructor(
    kind: keyof typeof TUS_STATUS,
    { message, details = {} }: { readonly message: string; readonly details?: ErrorDetails },
  ) {
    super(message);
    this.status = TUS_STATUS[kind];
    this.code = CODES[kind];
    this.details = details;
  }
}

const CODES: Readonly<Record<keyof typeof TUS_STATUS, ErrorCode>> = {
  request_timeout: "validation_failed",
  conflict: "conflict",
  gone: "not_found",
  precondition_failed: "precondition_failed",
  too_large: "validation_failed",
  wrong_type: "validation_failed",
  locked: "conflict",
  checksum_mismatch: "validation_failed",
  bad_request: "validation_failed",
};

/** A header that is not as the protocol has it. */
export function badHeader(header: string, sentence: string): TusError {
  return new TusError("bad_request", {
    message: sentence,
    details: { [header.toLowerCase().replaceAll("-", "_")]: [sentence] },
  });
}
