import { writtenBox } from "../../pixels/geometry/box.ts";
import { clippedBox, clippedPoint } from "../../pixels/geometry/fractions.ts";
import { shownBox, shownPoint, type Orientation } from "../../pixels/geometry/orientation.ts";
import type { StoredDetection } from "../media/detections.ts";
import type { ReasonTexts } from "../masking/reasons.schemas.ts";
import type { DetectionResponse } from "./detections.schemas.ts";

/** A detection in a photo, in the picture as a viewer shows it, clipped to the picture. */
export function shownDetection(
  { id, category, confidence, isRequested, isOpen, reason: code, ...place }: StoredDetection,
  {
    orientation,
    reasonTexts,
  }: { readonly orientation: Orientation; readonly reasonTexts?: ReasonTexts | undefined },
): DetectionResponse {
  const text = typeof code === "string" && isOpen !== true ? reasonTexts?.[code] : undefined;
  return {
    id,
    category,
    confidence,
    origin: isRequested === true ? "request" : "detector",
    redacted: isOpen !== true,
    ...(typeof code === "string" && text !== undefined && { reason: { code, text } }),
    box: writtenBox(clippedBox(shownBox(place.box, orientation))),
    ...(place.polygon && {
      polygon: place.polygon.map((point): [number, number] => {
        const [x, y] = clippedPoint(shownPoint(point, orientation));
        return [x, y];
      }),
    }),
  };
}
