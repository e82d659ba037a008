import { shownBox, shownPoint } from "../../pixels/geometry/orientation.ts";
import type { StoredDetection } from "../media/detections.ts";
import type { ReasonTexts } from "../masking/reasons.schemas.ts";
import type { Orientation } from "../../pixels/redaction/index.ts";
import type { DetectionResponse } from "./detections.schemas.ts";

const DECIMALS = 1e5;

/** A detection in a photo, in the picture as a viewer shows it, clipped to the picture. */
export function shownDetection(
  { id, category, confidence, isRequested, isOpen, reason: code, ...place }: StoredDetection,
  {
    orientation,
    reasonTexts,
  }: { readonly orientation: Orientation; readonly reasonTexts?: ReasonTexts | undefined },
): DetectionResponse {
  const text = typeof code === "string" && isOpen !== true ? reasonTexts?.[code] : undefined;
  const [left, top, width, height] = shownBox(
    [place.box[0], place.box[1], place.box[2], place.box[3]],
    orientation,
  );
  const [x, y] = [within(left), within(top)];
  return {
    id,
    category,
    confidence,
    origin: isRequested === true ? "request" : "detector",
    redacted: isOpen !== true,
    ...(typeof code === "string" && text !== undefined && { reason: { code, text } }),
    box: { x, y, width: round(within(left + width) - x), height: round(within(top + height) - y) },
    ...(place.polygon && {
      polygon: place.polygon.map((point): [number, number] => {
        const [u, v] = shownPoint(point, orientation);
        return [within(u), within(v)];
      }),
    }),
  };
}

function within(value: number): number {
  return round(Math.min(1, Math.max(0, value)));
}

function round(value: number): number {
  return Math.round(value * DECIMALS) / DECIMALS;
}
