import { toStoredBox, toStoredPoint, type Orientation } from "../geometry/orientation.ts";
import type { Detection } from "./detection.ts";

/** Maps a detection in the upright picture to the stored picture. Coordinates are in 0…1. */
export function toStored(detection: Detection, orientation: Orientation): Detection {
  const { box, polygon, ...others } = detection;
  const stored = { ...others, box: toStoredBox(box, orientation) };
  if (polygon === undefined) return stored;
  return { ...stored, polygon: polygon.map((point) => toStoredPoint(point, orientation)) };
}
