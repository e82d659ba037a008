import { CATEGORIES, type Category } from "../detections/categories.ts";
import { area, intersection, overlapOf } from "../geometry/box.ts";
import { suppress } from "../geometry/suppress.ts";
import type { Detection } from "../detections/detection.ts";

/** One object found as two categories; the same limits as within a category. */
const SAME_OBJECT = { overlap: 0.5, containment: 0.85 };

/**
 * What else is looked for when a category is asked for, because it may be the same thing by another name. Kinds of cards differ
 * in print that is not legible at every distance, and a passport's photo page is a document: a mask too many costs less than
 * a card left open. The other way round does not hold: most documents are no passports.
 */
const KIN: Partial<Record<Category, readonly Category[]>> = {
  id_cards: ["passports", "credit_cards"],
  passports: ["id_cards", "credit_cards"],
  credit_cards: ["id_cards", "passports"],
  documents: ["passports"],
};

/** The categories to look for when some are asked for, in the order of the interface. */
export function withKin(asked: readonly Category[]): Category[] {
  const wanted = new Set(asked.flatMap((category) => [category, ...(KIN[category] ?? [])]));
  return CATEGORIES.filter((category) => wanted.has(category));
}

/** What was found, under names that were asked for; kin that repeats an object asked for is left out. */
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

/** Whether one detection is of an object that another is of. */
export function repeats(one: Detection, other: Detection): boolean {
  if (overlapOf(one.box, other.box) >= SAME_OBJECT.overlap) return true;
  return intersection(one.box, other.box) / area(one.box) > SAME_OBJECT.containment;
}
