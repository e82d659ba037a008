import type { RedactionCategory } from "../../vocabulary/media-values.ts";
import { isSure } from "./confidence.ts";
import type { Box, FrameDetection, FrameSample, FrameTiming, Point } from "./frame-sample.ts";

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
  { category, confidence, box, polygon }: FrameDetection,
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
  };
}

function distinct(detections: readonly FrameDetection[]): FrameDetection[] {
  const kept: FrameDetection[] = [];
  for (const detection of detections.filter(({ box }) => areaOf(box) !== 0).sort(byRank)) {
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
  return isOutweighed(part, whole) && sharedArea(part.box, whole.box) >= PART_WITHIN * areaOf(part.box);
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
  const box = boundsOf(first.box, second.box);
  const isEnough = areaOf(first.box) >= NEARLY_ALL * areaOf(box);
  if (isEnough && first.polygon !== undefined) return { ...first, confidence };
  return { category: first.category, confidence, box };
}

const areaOf = ([, , width, height]: Box): number => width * height;

function boundsOf(a: Box, b: Box): Box {
  const left = Math.min(a[0], b[0]);
  const top = Math.min(a[1], b[1]);
  return [left, top, Math.max(a[0] + a[2], b[0] + b[2]) - left, Math.max(a[1] + a[3], b[1] + b[3]) - top];
}

/** Intersection over union of two boxes, 0…1. */
export function overlapOf(a: Box, b: Box): number {
  const shared = sharedArea(a, b);
  return shared === 0 ? 0 : shared / (areaOf(a) + areaOf(b) - shared);
}

function sharedArea(a: Box, b: Box): number {
  const width = Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[1] + a[3], b[1] + b[3]) - Math.max(a[1], b[1]);
  return Math.max(0, width) * Math.max(0, height);
}
