import type { Category } from "./categories.ts";
import type { Box, Point } from "../geometry/box.ts";
import { toStoredBox, toStoredPoint, type Orientation } from "../geometry/orientation.ts";

/** The part of a frame that a second look needs after the frame's memory is freed. */
export interface Crop {
  /** The window around the box, [side, side, 3] in bytes. */
  readonly pixels: Uint8Array;
  /** Left, top, right and bottom in 0…1 of the window. */
  readonly box: readonly [left: number, top: number, right: number, bottom: number];
}

/** An object found in a frame. Coordinates are in 0…1 of the upright picture unless stated otherwise. */
export interface Detection {
  readonly category: Category;
  /** Confidence in 0…1. */
  readonly confidence: number;
  readonly box: Box;
  /** Whether its confidence is below the requested threshold, so that it is reported as a candidate. */
  readonly isCandidate?: boolean;
  /** Only in frames of a video: the crop that a second look judges after all frames of the request are analyzed. */
  readonly crop?: Crop;
  /**
   * Only in frames of a video: the confidence of both looks together, 0…1, if the second look judged the detection.
   * `confidence` is stage one's.
   */
  readonly secondLook?: number;
  /** Corners, if the shape is known more precisely than by its box. */
  readonly polygon?: readonly Point[];
}

/** Maps a detection in the upright picture to the stored picture. Coordinates are in 0…1. */
export function toStored(detection: Detection, orientation: Orientation): Detection {
  const { box, polygon, ...others } = detection;
  const stored = { ...others, box: toStoredBox(box, orientation) };
  if (polygon === undefined) return stored;
  return { ...stored, polygon: polygon.map((point) => toStoredPoint(point, orientation)) };
}
