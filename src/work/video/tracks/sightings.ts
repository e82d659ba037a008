import type { RedactionCategory } from "../../../ground/vocabulary/categories.ts";
import {
  boxAreaOf,
  boxAround,
  isPartWithin,
  isSameThing,
  type Polygon,
} from "../../../pixels/geometry/box.ts";
import { isSure } from "./confidence.ts";
import type { FrameDetection, FrameSample, FrameTiming } from "./frame-sample.ts";

/** One object detected in one frame. */
export interface Sighting {
  readonly frameIndex: number;
  readonly timeSeconds: number;
  readonly category: RedactionCategory;
  readonly confidence: number;
  readonly centreX: number;
  readonly centreY: number;
  readonly width: number;
  readonly height: number;
  readonly polygon: Polygon | undefined;
  /** Whether a second look confirms it; undefined if no second look was taken. */
  readonly confirmed?: boolean | undefined;
}

/** Groups of categories that detectors confuse. Two of a group in one place are the same object. */
const RELATIVES: Readonly<Partial<Record<RedactionCategory, string>>> = {
  id_cards: "card",
  passports: "card",
  credit_cards: "card",
  name_badges: "card",
  documents: "card",
  qr_codes: "code",
  barcodes: "code",
};

/** Whether two categories may be the same object. */
export function areRelated(a: RedactionCategory, b: RedactionCategory): boolean {
  return a === b || (RELATIVES[a] !== undefined && RELATIVES[a] === RELATIVES[b]);
}

/** Shortest side of a sighting, so that shares of it stay finite. */
const LEAST_SIDE = 1e-3;

/**
 * Groups detections by frame, in time order, with each object once. Their order does not depend on the detector's answer. Of
 * several detections of an object, the most confident one with an outline stays, but not smaller than all of them together. Its
 * outline is kept only if it nearly fills that area.
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
      (other) => areRelated(other.category, detection.category) && isSameThing(other.box, detection.box),
    );
    const other = kept[index];
    if (other === undefined) kept.push(detection);
    else if (!isOutweighed(detection, other)) kept[index] = unite(other, detection);
  }
  return kept.filter((part) => !kept.some((whole) => isPartOf(part, whole)));
}

/** A detection with less than this share of a sure detection's confidence is ignored for the same object. */
const LEAST_SAY = 0.6;

function isOutweighed(faint: FrameDetection, sure: FrameDetection): boolean {
  return isSure(sure) && faint.confidence < LEAST_SAY * sure.confidence;
}

/** How much of a part must be inside the whole. */
const PART_WITHIN = 0.85;

/** Whether a detection shows only a part of an object that another detection is sure of. It is hidden together with that object. */
function isPartOf(part: FrameDetection, whole: FrameDetection): boolean {
  if (part === whole || !areRelated(part.category, whole.category)) return false;
  return isOutweighed(part, whole) && isPartWithin(part.box, whole.box, PART_WITHIN);
}

/** Detections with outlines first, then by confidence, then by values that do not depend on the order of the detector's answer. */
function byRank(a: FrameDetection, b: FrameDetection): number {
  return (
    Number(b.polygon !== undefined) - Number(a.polygon !== undefined) ||
    b.confidence - a.confidence ||
    a.category.localeCompare(b.category) ||
    a.box.reduce((order, value, index) => order || value - (b.box[index] ?? 0), 0)
  );
}

/** An outline hides an object well enough if a second detection's box is hardly larger. */
const NEARLY_ALL = 0.8;

function unite(first: FrameDetection, second: FrameDetection): FrameDetection {
  const confidence = Math.max(first.confidence, second.confidence);
  const box = boxAround([first.box, second.box]);
  const isEnough = boxAreaOf(first.box) >= NEARLY_ALL * boxAreaOf(box);
  const confirmed = eitherConfirmed(first.confirmed, second.confirmed);
  if (isEnough && first.polygon !== undefined) return { ...first, confidence, confirmed };
  return { category: first.category, confidence, box, confirmed };
}

/** A confirmation outweighs a rejection. A look that was not taken counts for nothing. */
function eitherConfirmed(first: boolean | undefined, second: boolean | undefined): boolean | undefined {
  return first === undefined || second === undefined ? (first ?? second) : first || second;
}
