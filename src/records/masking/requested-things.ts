import { storedBox, storedPoint, type Orientation } from "../../pixels/geometry/orientation.ts";
import type { StoredDetection } from "../media/detections.ts";
import { cornersOf, type Polygon } from "../../pixels/geometry/box.ts";
import type { RequestedRegion } from "./masking-options.ts";

/** Requested regions as detections in the stored picture, each with an ID. */
export function requestedThings(
  regions: readonly RequestedRegion[],
  orientation: Orientation,
  newId: (index: number) => string,
): StoredDetection[] {
  return regions.map(({ category = null, reason, box, polygon }, index) => ({
    id: newId(index),
    category,
    confidence: null,
    isRequested: true,
    reason,
    box: storedBox(box, orientation),
    ...(polygon && { polygon: polygon.map((point) => storedPoint(point, orientation)) }),
  }));
}

/** The outlines of regions in the stored picture. */
export function storedOutlines(regions: readonly RequestedRegion[], orientation: Orientation): Polygon[] {
  return regions.map(({ box, polygon }) =>
    (polygon ?? cornersOf(box)).map((point) => storedPoint(point, orientation)),
  );
}
