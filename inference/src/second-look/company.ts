import type { Detection } from "../detections/detection.ts";
import { area, intersection } from "../geometry/box.ts";
import { confidenceOf, logOddsOf } from "../models/odds.ts";
import type { Judgment } from "./manifest.ts";

/** Two boxes that share so much of the smaller one may be the same thing, which is no company. */
const SAME_THING = 0.5;

/**
 * Raises the confidence of detections that are not alone: where one person is in a picture, others are likely.
 * @param found Of one category, in one picture, after suppression.
 */
export function withCompany(
  found: readonly Detection[],
  { company }: Pick<Judgment, "company">,
): Detection[] {
  if (company === undefined) return [...found];
  const sure = found.filter(({ confidence }) => confidence >= company.from);
  return found.map((detection) => {
    if (!sure.some((other) => other !== detection && areApart(other, detection))) return detection;
    return { ...detection, confidence: confidenceOf(logOddsOf(detection.confidence) + company.log_odds) };
  });
}

function areApart(a: Detection, b: Detection): boolean {
  return intersection(a.box, b.box) < SAME_THING * Math.min(area(a.box), area(b.box));
}
