import type { Category } from "../detections/categories.ts";
import type { Detection } from "../detections/detection.ts";
import { asAsked, repeats } from "./related-categories.ts";

/** Candidates of one category in one picture; the surest stay. */
export const MAX_CANDIDATES = 200;

/**
 * What was found in one picture, under names that were asked for. A candidate takes nothing's place that is sure, and is
 * left out where something sure of its category is the same object.
 */
export function nameFound(found: readonly Detection[], asked: readonly Category[]): Detection[] {
  const sure = asAsked(
    found.filter(({ isCandidate }) => isCandidate !== true),
    asked,
  );
  const candidates = asAsked(
    found.filter(({ isCandidate }) => isCandidate === true),
    asked,
  ).filter((one) => !sure.some((other) => other.category === one.category && repeats(one, other)));
  const byCategory = Map.groupBy(candidates, ({ category }) => category);
  return [...sure, ...[...byCategory.values()].flatMap(surest)];
}

function surest(candidates: readonly Detection[]): Detection[] {
  return candidates.toSorted((a, b) => b.confidence - a.confidence).slice(0, MAX_CANDIDATES);
}
