import type { StoredDetection } from "../media/detections.ts";
import type { PixelSize } from "../../pixels/geometry/box.ts";
import { regionsFromDetections, type Region } from "../../pixels/redaction/regions/regions.ts";
import { ANYTHING } from "./masking-options.ts";
import { seenPlacesOf } from "./found-detections.ts";

/**
 * The regions to paint in a photo. A detection gets its category's shape and margin; a requested region keeps its own shape. If
 * they are labeled, each has the code of its reason.
 */
export function hiddenRegions(
  detections: readonly StoredDetection[],
  { isLabeled = false, ...size }: PixelSize & { readonly isLabeled?: boolean },
): Region[] {
  return detections.flatMap((thing): Region[] => {
    if (thing.isOpen === true) return [];
    const category = thing.category ?? ANYTHING;
    const label = isLabeled ? (thing.reason ?? undefined) : undefined;
    if (thing.isRequested === true) {
      const { box, polygon } = thing;
      return [{ category, shape: polygon === undefined ? "box" : "polygon", box, polygon, label }];
    }
    const seen = seenPlacesOf(thing).map(({ box, polygon, confidence }) => ({
      category,
      box,
      polygon,
      confidence: confidence ?? undefined,
    }));
    const regions = regionsFromDetections(seen, size);
    return label === undefined ? regions : regions.map((region) => Object.assign({ label }, region));
  });
}
