import { concatBytes } from "../../../pixels/redaction/bytes/bytes.ts";
import type { Orientation } from "../../../pixels/geometry/orientation.ts";
import { orientationSegment } from "../../../pixels/redaction/jpeg/segments.ts";

/** How a player transforms a video's frames before it shows them: rotated clockwise, then mirrored left to right. */
export interface FrameTurn {
  readonly rotationDegrees: 0 | 90 | 180 | 270;
  readonly isFlipped: boolean;
}

const TURNED: Readonly<Record<FrameTurn["rotationDegrees"], Orientation>> = { 0: 1, 90: 6, 180: 3, 270: 8 };
const TURNED_AND_FLIPPED: Readonly<Record<FrameTurn["rotationDegrees"], Orientation>> = {
  0: 2,
  90: 5,
  180: 4,
  270: 7,
};

/** The EXIF orientation that makes a viewer turn a picture as a player turns the video's frames (Exif 2.32, tag 0x0112). */
export function orientationOfTurn({ rotationDegrees, isFlipped }: FrameTurn): Orientation {
  return (isFlipped ? TURNED_AND_FLIPPED : TURNED)[rotationDegrees];
}

const SOI_BYTES = 2;

/**
 * Adds an orientation to a JPEG, directly after its start (Exif 2.32, 4.5.4). Detectors then see objects upright and answer in
 * the stored, unrotated pixels. The JPEG must not have an orientation yet.
 */
export function turnJpeg(jpeg: Uint8Array<ArrayBuffer>, orientation: Orientation): Uint8Array<ArrayBuffer> {
  if (orientation === 1) return jpeg;
  const segment = orientationSegment(orientation);
  return Uint8Array.from(concatBytes([jpeg.subarray(0, SOI_BYTES), segment, jpeg.subarray(SOI_BYTES)]));
}
