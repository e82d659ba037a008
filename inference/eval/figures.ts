import type { PhotoOutcome, TargetOutcome } from "./judge.ts";
import { unionShare, type Shape } from "./shapes.ts";

/** Most false detections per photo that {@link bestThreshold} accepts. */
const FALSE_DETECTIONS_PER_PHOTO = 0.5;

/** Ranges of targets' shorter sides in pixels: from the first number up to, but not including, the second. */
const SIZES: readonly (readonly [from: number, to: number])[] = [
  [0, 12],
  [12, 24],
  [24, 48],
  [48, 96],
  [96, Infinity],
];

/** A source with fewer targets gets no figures of its own. */
export const FEWEST_OF_A_SOURCE = 20;

interface Recall {
  readonly targets: number;
  /** Share of targets with 90 % of their area under detections whose sides are 10 % longer. */
  readonly coverage: number;
  /** Share of targets with 90 % of their area under what the redaction hides. */
  readonly redacted: number;
  /** Share of targets that one detection overlaps with an IoU of at least 0.5. */
  readonly atIou50: number;
}

export interface ThresholdFigures extends Recall {
  /** Undefined for detections at the service's own thresholds, which differ by model. */
  readonly threshold: number | undefined;
  readonly falsePerPhoto: number | undefined;
  /**
   * Area of the grown detections over the area of the targets. It counts only photos with targets and with all instances
   * labeled: in other photos, a mask may lie on an unlabeled instance. Areas on ignored instances do not count.
   */
  readonly maskedToTarget: number | undefined;
  readonly bySize: Record<string, Recall>;
  readonly bySource: Record<string, Recall & { readonly falsePerPhoto: number | undefined }>;
  /** Of the photos with an instance at an unknown place, the share with at least one detection. */
  readonly foundOnUnplaced: { readonly photos: number; readonly share: number } | undefined;
}

export interface CategoryFigures {
  readonly photosComplete: number;
  /** Average precision at IoU 0.5 over photos with all instances labeled. */
  readonly ap50: number | undefined;
  /** Figures at the service's own thresholds. */
  readonly usual: ThresholdFigures;
  /** Figures at the lowest threshold with at most half a false detection per photo. */
  readonly best: ThresholdFigures;
}

/** Figures at one threshold. */
export function figuresAt(
  outcomes: readonly PhotoOutcome[],
  threshold: number,
): Omit<ThresholdFigures, "threshold"> {
  const targets = outcomes.flatMap((outcome) => outcome.targets);
  const unplaced = outcomes.filter(({ isUnplaced }) => isUnplaced);
  const found = unplaced.filter(({ detections }) => detections.some((one) => one.confidence >= threshold));
  return {
    ...recallOf(targets, threshold),
    falsePerPhoto: falseAt(outcomes, threshold),
    maskedToTarget: areaRatio(outcomes, threshold),
    bySize: Object.fromEntries(
      SIZES.map(([from, to]) => {
        const sized = targets.filter(
          ({ shortSidePixels }) => shortSidePixels >= from && shortSidePixels < to,
        );
        const name = to === Infinity ? `${from} and more` : `${from} to ${to}`;
        return [name, recallOf(sized, threshold)] as const;
      }).filter(([, recall]) => recall.targets > 0),
    ),
    bySource: Object.fromEntries(
      [...new Set(outcomes.map(({ source }) => source))]
        .map((source) => {
          const own = outcomes.filter((outcome) => outcome.source === source);
          const recall = recallOf(
            own.flatMap((outcome) => outcome.targets),
            threshold,
          );
          return [source, { ...recall, falsePerPhoto: falseAt(own, threshold) }] as const;
        })
        .filter(([, recall]) => recall.targets >= FEWEST_OF_A_SOURCE),
    ),
    foundOnUnplaced:
      unplaced.length === 0 ? undefined : { photos: unplaced.length, share: found.length / unplaced.length },
  };
}

/** The lowest threshold, in steps of 0.01, with at most FALSE_DETECTIONS_PER_PHOTO. */
export function bestThreshold(outcomes: readonly PhotoOutcome[]): number {
  for (let step = 5; step < 100; step += 1) {
    if ((falseAt(outcomes, step / 100) ?? 0) <= FALSE_DETECTIONS_PER_PHOTO) return step / 100;
  }
  return 1;
}

function recallOf(targets: readonly TargetOutcome[], threshold: number): Recall {
  const share = (field: "coveredFrom" | "redactedFrom" | "matchedFrom"): number =>
    targets.filter((target) => target[field] > 0 && target[field] >= threshold).length /
    Math.max(1, targets.length);
  return {
    targets: targets.length,
    coverage: share("coveredFrom"),
    redacted: share("redactedFrom"),
    atIou50: share("matchedFrom"),
  };
}

function falseAt(outcomes: readonly PhotoOutcome[], threshold: number): number | undefined {
  const complete = outcomes.filter(({ isComplete }) => isComplete);
  if (complete.length === 0) return undefined;
  const count = complete.reduce(
    (sum, { falseFrom }) => sum + falseFrom.filter((confidence) => confidence >= threshold).length,
    0,
  );
  return count / complete.length;
}

function areaRatio(outcomes: readonly PhotoOutcome[], threshold: number): number | undefined {
  let [masked, wanted] = [0, 0];
  for (const { targetShapes, toleratedShapes, detections, size, isComplete } of outcomes) {
    if (targetShapes.length === 0 || !isComplete) continue;
    const shapes = detections.filter(({ confidence }) => confidence >= threshold).map((one) => one.shape);
    const tolerated = unionShare(toleratedShapes, size);
    const beyond = (some: readonly Shape[]): number =>
      (unionShare([...some, ...toleratedShapes], size) - tolerated) * size.width * size.height;
    masked += beyond(shapes);
    wanted += beyond(targetShapes);
  }
  return wanted === 0 ? undefined : masked / wanted;
}

/**
 * Average precision over all points of the precision-recall curve (PASCAL VOC 2010 and later), on photos with all instances
 * labeled. Detections on ignored or related instances do not count.
 */
export function averagePrecision(outcomes: readonly PhotoOutcome[]): number | undefined {
  const complete = outcomes.filter(({ isComplete }) => isComplete);
  const targets = complete.reduce((sum, outcome) => sum + outcome.targets.length, 0);
  if (targets === 0) return undefined;
  const counted = complete
    .flatMap(({ detections }) => detections)
    .filter(({ kind }) => kind !== "tolerated")
    .toSorted((a, b) => b.confidence - a.confidence);
  let [right, wrong] = [0, 0];
  const curve = counted.map(({ kind }) => {
    if (kind === "true") right += 1;
    else wrong += 1;
    return { recall: right / targets, precision: right / (right + wrong) };
  });
  let [precision, sum] = [0, 0];
  for (let i = curve.length - 1; i >= 0; i -= 1) {
    const here = curve[i] ?? { recall: 0, precision: 0 };
    precision = Math.max(precision, here.precision);
    sum += (here.recall - (curve[i - 1]?.recall ?? 0)) * precision;
  }
  return sum;
}
