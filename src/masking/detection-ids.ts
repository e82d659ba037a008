import type { MediaOwnership } from "../media/media.repository.ts";

/** Hexadecimal digits of a media's id that its detections' ids carry: the random end of a UUID version 7. */
const DIGITS = 12;

/** Ids of what was detected in a media item: the same each time they are made. */
export function detectedId({ mediaId }: Pick<MediaOwnership, "mediaId">, index: number): string {
  return `det_${mediaId.slice(-DIGITS)}_${index + 1}`;
}

/** Ids of the regions that a person asked for with a media item. */
export function requestedId({ mediaId }: Pick<MediaOwnership, "mediaId">, index: number): string {
  return `reg_${mediaId.slice(-DIGITS)}_${index + 1}`;
}
