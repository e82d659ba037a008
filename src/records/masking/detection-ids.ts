import type { MediaOwnership } from "../media/media.repository.ts";

/** Number of hexadecimal digits of a media ID in the IDs of its detections: the random end of a UUID version 7. */
const DIGITS = 12;

/** ID of a media item's detection. The same index always gives the same ID. */
export function detectedId({ mediaId }: Pick<MediaOwnership, "mediaId">, index: number): string {
  return `det_${mediaId.slice(-DIGITS)}_${index + 1}`;
}

/** Whether a region with this ID was requested with a media item. */
export function isRequestedWith({ mediaId }: Pick<MediaOwnership, "mediaId">, detectionId: string): boolean {
  return detectionId.startsWith(`reg_${mediaId.slice(-DIGITS)}_`);
}

/** ID of a region that a person requested with a media item. */
export function requestedId({ mediaId }: Pick<MediaOwnership, "mediaId">, index: number): string {
  return `reg_${mediaId.slice(-DIGITS)}_${index + 1}`;
}
