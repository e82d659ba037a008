import type { RedactionCategory } from "../../vocabulary/media-values.ts";
import { boundsOf, boxAreaOf, cornersOf, overlapOf, sharedBoxArea } from "../../masking/polygon.ts";
import { isSure } from "./confidence.ts";
import type { FrameDetection, FrameSample, FrameTiming, Point } from "./frame-sample.ts";

/** One thing seen in one frame. */
export interface Sighting {
  readonly frameIndex: number;
  readonly timeSeconds: number;
  readonly category: RedactionCategory;
  readonly confidence: number;
  readonly centreX: number;
  readonly centreY: number;
  readonly width: number;
  readonly height: number;
  readonly polygon: readonly Point[] | undefined;
  /** Whether a second look confirms it; undefined where none was taken. */
  readonly confirmed?: boolean | undefined;
}

/** Kinds that detectors take for each other; two of them in one place are one thing. */
const RELATIVES: Readonly<Partial<Record<RedactionCategory, string>>> = {
  id_cards: "card",
  passports: "card",
  credit_cards: "card",
  name_badges: "card",
  documents: "card",
  qr_codes: "code",
  barcodes: "code",
};

/** Whether two kinds may be one thing. */
export function areRelated(a: RedactionCategory, b: RedactionCategory): boolean {
  return a === b || (RELATIVES[a] !== undefined && RELATIVES[a] === RELATIVES[b]);
}

/** Intersection over union from which two related detections in one frame are one thing. */
const SAME_THING = 0.5;
/** No side is shorter, so that shares of it stay finite. */
const LEAST_SIDE = 1e-3;

/**
 * The samples in order of time, their detections in an order of their own, each thing once. Of several detections of a thing
 * the surest one with an outline stays, but no smaller than they are together: the outline alone is kept only when it
 * nearly fills that area.
 */
export function sightingsOf(samples: readonly FrameSample[], frames: readonly FrameTiming[]): Sighting[][] {
  const byFrame = new Map<number, FrameDetection[]>();
  for (const { frameIndex, detections } of samples) {
    byFrame.set(frameIndex, [...(byFrame.get(frameIndex) ?? []), ...detections]);
  }
  return [...byFrame]
    .sort(([a], [b]) => a - b)
    .flatMap(([frameIndex, detections]) => {
      const timing = frames[frameIndex];
      if (timing === undefined) return [];
      return [distinct(detections).map((found) => sightingOf(found, frameIndex, timing.timestampSeconds))];
    });
}

function sightingOf(
  { category, confidence, box, polygon, confirmed }: FrameDetection,
  frameIndex: number,
  timeSeconds: number,
): Sighting {
  const [left, top, width, height] = box;
  if (!box.every(Number.isFinite) || polygon?.flat().every(Number.isFinite) === false) {
    throw new RangeError(`A detection in frame ${frameIndex} has no finite extent.`);
  }
  return {
    frameIndex,
    timeSeconds,
    category,
    confidence,
    centreX: left + width / 2,
    centreY: top + height / 2,
    width: Math.max(LEAST_SIDE, width),
    height: Math.max(LEAST_SIDE, height),
    polygon: polygon !== undefined && polygon.length >= 3 ? polygon : undefined,
    confirmed,
  };
}

function distinct(detections: readonly FrameDetection[]): FrameDetection[] {
  const kept: FrameDetection[] = [];
  for (const detection of detections.filter(({ box }) => boxAreaOf(box) !== 0).sort(byRank)) {
    const index = kept.findIndex(
      (other) =>
        areRelated(other.category, detection.category) && overlapOf(other.box, detection.box) >= SAME_THING,
    );
    const other = kept[index];
    if (other === undefined) kept.push(detection);
    else if (!isOutweighed(detection, other)) kept[index] = unite(other, detection);
  }
  return kept.filter((part) => !kept.some((whole) => isPartOf(part, whole)));
}

/** Beside a detection that is sure, one with less than this share of its confidence has no say about the same thing. */
const LEAST_SAY = 0.6;

function isOutweighed(faint: FrameDetection, sure: FrameDetection): boolean {
  return isSure(sure) && faint.confidence < LEAST_SAY * sure.confidence;
}

/** How much of a part lies within the whole. */
const PART_WITHIN = 0.85;

/** Whether a detection shows only part of a thing that another one is sure of: it is hidden with it. */
function isPartOf(part: FrameDetection, whole: FrameDetection): boolean {
  if (part === whole || !areRelated(part.category, whole.category)) return false;
  return isOutweighed(part, whole) && sharedBoxArea(part.box, whole.box) >= PART_WITHIN * boxAreaOf(part.box);
}

/** Outlines first, then the surest; then anything that does not depend on the order of the answer. */
function byRank(a: FrameDetection, b: FrameDetection): number {
  return (
    Number(b.polygon !== undefined) - Number(a.polygon !== undefined) ||
    b.confidence - a.confidence ||
    a.category.localeCompare(b.category) ||
    a.box.reduce((order, value, index) => order || value - (b.box[index] ?? 0), 0)
  );
}

/** An outline within its box hides the thing well enough when a second opinion is hardly larger. */
const NEARLY_ALL = 0.8;

function unite(first: FrameDetection, second: FrameDetection): FrameDetection {
  const confidence = Math.max(first.confidence, second.confidence);
  const box = boundsOf([first.box, second.box].flatMap(cornersOf));
  const isEnough = boxAreaOf(first.box) >= NEARLY_ALL * boxAreaOf(box);
  const confirmed = eitherConfirmed(first.confirmed, second.confirmed);
  if (isEnough && first.polygon !== undefined) return { ...first, confidence, confirmed };
  return { category: first.category, confidence, box, confirmed };
}

/** One that confirms outweighs one that denies; a look that was not taken says nothing. */
function eitherConfirmed(first: boolean | undefined, second: boolean | undefined): boolean | undefined {
  return first === undefined || second === undefined ? (first ?? second) : first || second;
}
