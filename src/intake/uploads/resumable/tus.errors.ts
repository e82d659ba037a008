import type { UploadLimits } from "../../../records/uploads/resumable-upload.repository.ts";
import { VeilError, notFound, type ErrorCode, type ErrorDetails } from "../../../ground/platform/errors.ts";

/** Statuses of tus 1.0.0 that the rest of the API does not use, by meaning. */
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

/** An error with a status of the tus protocol, in the API's error envelope. */
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

/** 412: the client uses another version, which is shown as it was sent. */
export function otherVersion(shownVersion: string): TusError {
  return new TusError("precondition_failed", {
    message: `\`Tus-Resumable\` is ${shownVersion}; expected 1.0.0.`,
  });
}

/** 409: the bytes do not begin where the upload continues. Both positions are in bytes. */
export function otherOffset(sentBytes: number, uploadBytes: number): TusError {
  return new TusError("conflict", {
    message: `\`Upload-Offset\` is ${sentBytes}; the upload continues at ${uploadBytes}.`,
    details: { reason: "offset_mismatch", upload_offset: uploadBytes },
  });
}

/** 423: two requests must not write one upload, and none may while a media item is created from it. */
export function lockedByAnother(): TusError {
  return new TusError("locked", {
    message:
      "Another request is using this upload. Wait a moment, ask for its offset, and continue from there.",
    details: { reason: "upload_locked" },
  });
}

/** 410: an upload that has expired. */
export function uploadExpired(): TusError {
  return new TusError("gone", { message: "This upload has expired. Begin a new one." });
}

/** 413: a file that exceeds the length limit, in bytes. */
export function fileTooLong(lengthBytes: number, limitBytes: number): TusError {
  return new TusError("too_large", {
    message: `\`Upload-Length\` is ${lengthBytes}; the limit is ${limitBytes} bytes.`,
  });
}

/** 460: bytes that do not match their checksum. */
export function otherChecksum(algorithm: string): TusError {
  return new TusError("checksum_mismatch", {
    message: `The ${algorithm} of the bytes does not match \`Upload-Checksum\`. None of them was stored. Send them again.`,
  });
}

/** 404: the URL belongs to no upload, or its upload is gone. */
export function noSuchUpload(): VeilError {
  return notFound("There is no such upload; it was used, deleted, or has expired.");
}

/** 409: a file of `lengthBytes` would exceed the limits on the account's unfinished uploads. */
export function pastLimits(
  { mostUploads, mostBytes }: UploadLimits,
  { uploads, bytes, lengthBytes }: { uploads: number; bytes: number; lengthBytes: number },
): VeilError {
  const advice = "Use or delete some of them first; unused ones expire by themselves.";
  if (uploads >= mostUploads)
    return new VeilError({
      code: "conflict",
      message: `The account has ${uploads} unfinished resumable uploads; the limit is ${mostUploads}. ${advice}`,
      details: { reason: "too_many_uploads", limit: mostUploads, used: uploads },
    });
  return new VeilError({
    code: "conflict",
    message: `The account's resumable uploads have ${bytes} bytes in total; ${lengthBytes} more would exceed the limit of ${mostBytes}. ${advice}`,
    details: { reason: "too_many_upload_bytes", limit: mostBytes, used: bytes },
  });
}

/** 400: a header that violates the protocol. */
export function badHeader(header: string, sentence: string): TusError {
  return new TusError("bad_request", {
    message: sentence,
    details: { [header.toLowerCase().replaceAll("-", "_")]: [sentence] },
  });
}
