import type { Detection } from "../detections/detection.ts";
import { area, intersection } from "../geometry/box.ts";
import { confidenceOf, logOddsOf } from "../models/odds.ts";
import type { Judgment } from "./manifest.ts";

/** Boxes that share at least this much of the smaller one's area may be the same object. */
const SAME_THING = 0.5;

/**
 * Raises the confidence of detections that accompany a confident one: a photo of one person often shows others at about the same size.
 * Much smaller or larger detections are more often bark, balls or lamps, and so are many doubtful detections around a few confident ones.
 * In a crowd, which has many confident detections, a visible face costs more than a mask on the background.
 * @param found Detections of one category in one picture, after suppression.
 * @param threshold The category's usual threshold.
 */
export function withCompanions(
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
  const doubtful = [...raised]
    .filter(([{ confidence }, together]) => confidence < company.from && together >= threshold)
    .map(([one]) => one)
    .toSorted((a, b) => b.confidence - a.confidence);
  const most = company.most_doubtful * sure.length;
  const isCrowd = sure.length >= (company.crowd_from ?? Infinity);
  if (doubtful.length > most && !isCrowd) return [...found];
  const excess = new Set(doubtful.slice(Math.floor(most)));
  return found.map((one) =>
    excess.has(one) ? one : { ...one, confidence: raised.get(one) ?? one.confidence },
  );
}

function areCompany(a: Detection, b: Detection, mostRatio: number): boolean {
  if (a === b) return false;
  const areas = [area(a.box), area(b.box)] as const;
  if (intersection(a.box, b.box) >= SAME_THING * Math.min(...areas)) return false;
  return Math.max(...areas) <= mostRatio ** 2 * Math.min(...areas);
}
