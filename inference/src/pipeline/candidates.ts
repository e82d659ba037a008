import type { Category } from "../detections/categories.ts";
import type { Detection } from "../detections/detection.ts";
import { asAsked, repeats } from "./related-categories.ts";

/** Most candidates of one category in one picture. The most confident ones stay. */
export const MAX_CANDIDATES = 200;

/**
 * The detections of one picture, by requested category. A candidate never replaces a confident detection. It is left out if a
 * confident detection of its category shows the same object.
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
