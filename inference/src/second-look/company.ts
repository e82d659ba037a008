import type { Detection } from "../detections/detection.ts";
import { area, intersection } from "../geometry/box.ts";
import { confidenceOf, logOddsOf } from "../models/odds.ts";
import type { Judgment } from "./manifest.ts";

/** Two boxes that share so much of the smaller one may be the same thing, which is no company. */
const SAME_THING = 0.5;

/**
 * Raises the confidence of detections that are not alone: where one person is in a picture, others of about the size are likely. What is
 * much smaller or larger is more often bark, balls or lamps, and so are many doubtful ones around few that are sure.
 * @param found Of one category, in one picture, after suppression.
 * @param threshold Confidence from which the category usually counts.
 */
export function withCompany(
  found: readonly Detection[],
  { company }: Pick<Judgment, "company">,
  threshold: number,
): Detection[] {
  if (company === undefined) return [...found];
  const sure = found.filter(({ confidence }) => confidence >= company.from);
  const raised = new Map(
    found
      .filter((one) => sure.some((other) => areCompany(one, other, company.size_ratio)))
      .map((one) => [one, confidenceOf(logOddsOf(one.confidence) + company.log_odds)]),
  );
  const doubtful = [...raised].filter(
    ([{ confidence }, together]) => confidence < company.from && together >= threshold,
  );
  if (doubtful.length > company.most_doubtful * sure.length) return [...found];
  return found.map((one) => ({ ...one, confidence: raised.get(one) ?? one.confidence }));
}

function areCompany(a: Detection, b: Detection, mostRatio: number): boolean {
  if (a === b) return false;
  const areas = [area(a.box), area(b.box)] as const;
  if (intersection(a.box, b.box) >= SAME_THING * Math.min(...areas)) return false;
  return Math.max(...areas) <= mostRatio ** 2 * Math.min(...areas);
}
