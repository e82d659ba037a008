import type { PhotoOutcome } from "./judge.ts";

/** Most false detections per photo at `low` and `high`. */
const FALSE_PER_PHOTO = { low: 0.1, high: 2 } as const;

/** Least number of photos with every instance labeled. Fewer photos are not enough evidence. */
export const FEWEST_PHOTOS = 25;

/** Thresholds of both sensitivities, and the figures at them and at the usual threshold. */
export interface Chosen {
  readonly low: number;
  readonly high: number;
  readonly falsePerPhoto: { readonly low: number; readonly normal: number; readonly high: number };
  readonly coverage: { readonly low: number; readonly normal: number; readonly high: number } | undefined;
  readonly photos: number;
}

/**
 * Chooses both thresholds from a category's curve, in steps of 0.01. `low` gets the lowest threshold that stays within its
 * false detections, but at least the usual one. `high` gets the lowest that stays within its own, but at most the usual one.
 * @param normal The usual threshold.
 * @param floor The lowest allowed threshold.
 * @returns Undefined if too few photos have every instance of the category labeled.
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
  // If only a threshold of 1 stays within the limit, nothing would be detected. The usual threshold stays.
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
