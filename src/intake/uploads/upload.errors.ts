import { SECOND_MS, nowMs } from "../../ground/platform/clock.ts";
import { VeilError, notFound, unavailable, validationFailed } from "../../ground/platform/errors.ts";
import type { BillingPeriod } from "../../records/usage/billing-period.ts";

/** 404: another request deleted the media item before its file had arrived. */
export function deletedMeanwhile(): VeilError {
  return notFound("The media was deleted while it was being uploaded.");
}

/** 409: the first request with this idempotency key is still running. */
export function keyInUse(): VeilError {
  return new VeilError({
    code: "conflict",
    message: "A request with this idempotency key is still running. Try again in a second.",
    details: { reason: "idempotency_key_in_use" },
    headers: { "Retry-After": "1" },
  });
}

/** 409: another request is creating a media item from the same resumable upload. */
export function uploadInUse(): VeilError {
  return new VeilError({
    code: "conflict",
    message: "Another request is using this upload. Try again in a second.",
    details: { reason: "upload_in_use" },
    headers: { "Retry-After": "1" },
  });
}

/** 422: the account has no resumable upload with that ID, or no longer has it. */
export function noUploadHere(): VeilError {
  return validationFailed({
    upload_id: ["There is no such upload in this account; it was used, deleted, or has expired."],
  });
}

/** Why no media item can be created from a resumable upload, temporarily or permanently. */
export function notTaken(outcome: "in_use" | "gone"): VeilError {
  return outcome === "gone" ? noUploadHere() : uploadInUse();
}

/** 409: the idempotency key belongs to a different request. */
export function keyReused(): VeilError {
  return new VeilError({
    code: "conflict",
    message: "This idempotency key was used for another request. Use a new key for a new one.",
    details: { reason: "idempotency_key_reused" },
  });
}

/** 429: the billing period's quota has no room. `used` includes what running jobs have reserved. */
export function quotaExceeded(options: {
  metric: "images" | "video_minutes";
  used: number;
  limit: number;
  /** How much of the quota the upload needs. */
  needed: number;
  period: BillingPeriod;
}): VeilError {
  const { metric, used, limit, period } = options;
  const waitSeconds = Math.max(1, Math.ceil((period.endsAtMs - nowMs()) / SECOND_MS));
  return new VeilError({
    code: "quota_exceeded",
    message:
      metric === "images"
        ? `The quota of ${limit} images is used up until the period ends on ${period.end}.`
        : videoQuotaMessage(options),
    details: { metric, used, limit, period_end: period.end },
    headers: { "Retry-After": String(waitSeconds) },
  });
}

function videoQuotaMessage(options: {
  used: number;
  limit: number;
  needed: number;
  period: BillingPeriod;
}): string {
  const { used, limit, needed, period } = options;
  const left = Math.max(0, limit - used);
  return `The video needs ${needed.toFixed(2)} minutes; ${left.toFixed(2)} of the quota of ${limit} video minutes are left until the period ends on ${period.end}.`;
}

/** 503: the service cannot determine whether the host of a `source_url` is public, so it fetches nothing. */
export function namesNotLookedUp(cause: unknown): VeilError {
  return unavailable(
    "The service cannot look up the host of `source_url` at the moment, so nothing was fetched. Try again in a few seconds.",
    cause,
  );
}
