import { CATEGORIES, type Category } from "../detections/categories.ts";
import { area, intersection, overlapOf } from "../geometry/box.ts";
import { suppress } from "../geometry/suppress.ts";
import type { Detection } from "../detections/detection.ts";

/** Limits from which two detections of different categories are one object. They equal those within a category. */
const SAME_OBJECT = { overlap: 0.5, containment: 0.85 };

/**
 * Categories that are also searched when a category is requested, because they may be the same object under another name. Kinds
 * of cards differ in print that is not legible at every distance, and a passport's photo page is a document. An extra mask
 * costs less than a visible card. The reverse does not hold: most documents are not passports.
 */
const KIN: Partial<Record<Category, readonly Category[]>> = {
  id_cards: ["passports", "credit_cards"],
  passports: ["id_cards", "credit_cards"],
  credit_cards: ["id_cards", "passports"],
  documents: ["passports"],
};

/** The categories to search for the requested ones, in the order of the interface. */
export function withKin(asked: readonly Category[]): Category[] {
  const wanted = new Set(asked.flatMap((category) => [category, ...(KIN[category] ?? [])]));
  return CATEGORIES.filter((category) => wanted.has(category));
}

/**
 * Detections under the names of requested categories. A related detection is left out if it repeats an object of a requested
 * category.
 */
export function asAsked(found: readonly Detection[], asked: readonly Category[]): Detection[] {
  const named = found.filter(({ category }) => asked.includes(category));
  const kin = found.flatMap((detection) => {
    if (asked.includes(detection.category)) return [];
    const category = asked.find((name) => KIN[name]?.includes(detection.category));
    return category === undefined ? [] : [{ ...detection, category }];
  });
  const isThere = (one: Detection): boolean =>
    named.some((other) => other.category === one.category && repeats(one, other));
  return [...named, ...suppress(kin, SAME_OBJECT).filter((one) => !isThere(one))];
}

/** Whether one detection shows the same object as another. */
function repeats(one: Detection, other: Detection): boolean {
  if (overlapOf(one.box, other.box) >= SAME_OBJECT.overlap) return true;
  return intersection(one.box, other.box) / area(one.box) > SAME_OBJECT.containment;
}

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
