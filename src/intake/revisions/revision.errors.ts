import { VeilError } from "../../ground/platform/errors.ts";
import type { Failure } from "../../records/media/media-failure.ts";
import { hasEnded, type MediaStatus } from "../../records/media/media.states.ts";

/** 409: the media item is not completed, so there is nothing to revise. */
export function notCompleted(status: MediaStatus): VeilError {
  const sentence = hasEnded(status)
    ? `The media ended as ${status}, so there is nothing to revise. Upload the file again.`
    : `The media is ${status}; it can be revised once it is completed.`;
  return conflict("not_completed", sentence);
}

/** 409: the media item has not failed, so there is nothing to retry. */
export function notFailed(status: MediaStatus): VeilError {
  const sentence = hasEnded(status)
    ? "The media is completed, so there is nothing to retry."
    : `The media is ${status}; it can be retried if it fails.`;
  return conflict("not_failed", sentence);
}

/** 409: another attempt at the same file would fail in the same way. */
export function notRetryable({ code, message }: Failure): VeilError {
  return conflict("not_retryable", `Another try of the same file would fail again (${code}). ${message}`);
}

/** 409: the uploaded file, or the analysis that a failed revision uses, is deleted or due for deletion. */
export function sourceGone(): VeilError {
  return conflict(
    "source_deleted",
    "The uploaded file was deleted, so it cannot be retried. Upload it again.",
  );
}

/** 409: the uploaded file is deleted or due for deletion. */
export function sourceDeleted(): VeilError {
  return conflict(
    "source_deleted",
    "The uploaded file was deleted, so it cannot be revised. Upload it again.",
  );
}

/** 409: too few of the detections are stored for a revision. */
export function detectionsUnknown(): VeilError {
  return conflict(
    "detections_unknown",
    "Not everything that was found in this media item was kept, so a revision could leave something visible. Upload the file again.",
  );
}

/** 409: somebody has already decided the review. */
export function alreadyDecided(): VeilError {
  return conflict(
    "already_decided",
    "This file is no longer waiting for review. Someone has already decided on it.",
  );
}

function conflict(reason: string, message: string): VeilError {
  return new VeilError({ code: "conflict", message, details: { reason } });
}
