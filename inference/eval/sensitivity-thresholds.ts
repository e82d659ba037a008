import type { PhotoOutcome } from "./judge.ts";

/** False detections a photo that `low` and `high` may cost. */
const FALSE_PER_PHOTO = { low: 0.1, high: 2 } as const;

/** Fewer photos of which every instance is labelled say too little. */
export const FEWEST_PHOTOS = 25;

/** Thresholds of both sensitivities around the usual one. */
export interface Chosen {
  readonly low: number;
  readonly high: number;
  readonly falsePerPhoto: { readonly low: number; readonly normal: number; readonly high: number };
  readonly coverage: { readonly low: number; readonly normal: number; readonly high: number } | undefined;
  readonly photos: number;
}

/**
 * Chooses from a category's curve: `low` the least threshold that keeps to its false detections, and at least the usual one;
 * `high` the least that keeps to its own, and at most the usual one. In steps of a hundredth.
 * @param normal The usual threshold.
 * @param floor No threshold goes below.
 * @returns Undefined where too few photos have every instance of the category labelled.
 */
export function chooseThresholds(
  outcomes: readonly PhotoOutcome[],
  { normal, floor }: { normal: number; floor: number },
): Chosen | undefined {
  const complete = outcomes.filter(({ isComplete }) => isComplete);
  if (complete.length < FEWEST_PHOTOS) return undefined;
  const confidences = complete.flatMap(({ falseFrom }) => falseFrom);
  const falseAt = (threshold: number): number =>
    confidences.filter((confidence) => confidence >= threshold).length / complete.length;
  const least = (most: number): number => {
    for (let step = Math.ceil(floor * 100); step < 100; step += 1) {
      if (falseAt(step / 100) <= most) return step / 100;
    }
    return 1;
  };
  // Where nothing under 1 keeps to it there would be no finds at all: the usual one stays.
  const strict = least(FALSE_PER_PHOTO.low);
  const low = strict === 1 ? normal : Math.max(normal, strict);
  const high = Math.max(floor, Math.min(normal, least(FALSE_PER_PHOTO.high)));
  const targets = outcomes.flatMap((outcome) => outcome.targets);
  const coverageAt = (threshold: number): number =>
    targets.filter(({ coveredFrom }) => coveredFrom > 0 && coveredFrom >= threshold).length / targets.length;
  return {
    low,
    high,
    falsePerPhoto: { low: falseAt(low), normal: falseAt(normal), high: falseAt(high) },
    coverage:
      targets.length === 0
        ? undefined
        : { low: coverageAt(low), normal: coverageAt(normal), high: coverageAt(high) },
    photos: complete.length,
  };
}
