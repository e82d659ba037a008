import type { NewMedia } from "../../src/records/media/media.repository.ts";
import { HOUR_MS } from "../../src/ground/platform/clock.ts";

/** The record of a PNG whose upload has begun, as the API Worker writes it. */
export function pendingMedia(
  ids: { mediaId: string; accountId: string },
  times: { createdAt: number; periodStart: string },
): NewMedia & { leaseExpiresAt: number } {
  return {
    id: ids.mediaId,
    accountId: ids.accountId,
    status: "pending",
    filename: "photo.png",
    mediaType: "image",
    format: "png",
    categories: [],
    redactionMethod: "blur",
    fileSizeBytes: 0,
    widthPixels: 0,
    heightPixels: 0,
    origin: "http://veil.test",
    requestId: "req_test",
    quotaUnits: 0,
    leaseExpiresAt: times.createdAt + HOUR_MS,
    ...times,
  };
}
