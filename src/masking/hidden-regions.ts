import type { StoredDetection } from "../media/detections.ts";
import { regionsFromDetections, type Region } from "../redaction/regions/regions.ts";
import { ANYTHING } from "./masking-options.ts";
import { sightingsOf } from "./found-detections.ts";

/** The regions to paint in a photo. A detection gets its category's shape and margin; a requested region keeps its own shape. */
export function hiddenRegions(
  detections: readonly StoredDetection[],
  size: { readonly width: number; readonly height: number },
): Region[] {
  return detections.flatMap((thing): Region[] => {
    if (thing.isOpen === true) return [];
    const category = thing.category ?? ANYTHING;
    if (thing.isRequested === true) {
      const { box, polygon } = thing;
      return [{ category, shape: polygon === undefined ? "box" : "polygon", box, polygon }];
    }
    const seen = sightingsOf(thing).map(({ box, polygon, confidence }) => ({
      category,
      box,
      polygon,
      confidence: confidence ?? undefined,
    }));
    return regionsFromDetections(seen, size);
  });
}
