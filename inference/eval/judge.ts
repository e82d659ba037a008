import type { Category } from "../src/detections/categories.ts";
import { overlapOf, type Box } from "../src/geometry/box.ts";
import { suppress } from "../src/geometry/suppress.ts";
import type { Detection } from "../src/detections/detection.ts";
import type { Label, Photo } from "./labels.ts";
import {
  coveredShare,
  grownShape,
  holds,
  redactedShape,
  samplesOf,
  shapeOfLabel,
  touches,
  type Shape,
} from "./shapes.ts";

/** A target is covered if at least this share of its area is. */
const COVERED_SHARE = 0.9;
/** For the first of the two coverage figures, the sides of detections grow by this share. */
const GROWTH = 0.1;
const MATCH_IOU = 0.5;
/**
 * A detection is not false if its IoU with a labeled instance, or the share of it that lies in such instances, is at least
 * this.
 */
const TOLERATED_IOU = 0.3;
const TOLERATED_INSIDE = 0.5;

/** If one of these is requested, any of them counts: kinds of cards differ only in print, and all of them must be hidden. */
const CARDS: readonly Category[] = ["id_cards", "passports", "credit_cards"];

/** Instances of these are not false detections of a category, but they are not targets of it either. */
const ALSO: Partial<Record<Category, readonly Category[]>> = { documents: ["passports"] };

/** The result for one target: the highest confidence threshold at which it is still found, or 0 if it is never found. */
export interface TargetOutcome {
  readonly source: string;
  /** The target's shorter side in pixels. */
  readonly shortSidePixels: number;
  /** For being covered by detections whose sides are 10 % longer. */
  readonly coveredFrom: number;
  /** For being covered by what the redaction hides of the detections. */
  readonly redactedFrom: number;
  /** For one detection with an IoU of at least 0.5. */
  readonly matchedFrom: number;
}

/** The result for one category on one photo. */
export interface PhotoOutcome {
  readonly source: string;
  readonly size: { readonly width: number; readonly height: number };
  readonly isComplete: boolean;
  readonly targets: readonly TargetOutcome[];
  /** Whether the photo holds an instance at an unknown place. */
  readonly isUnplaced: boolean;
  /** All detections, strongest first. `kind` is for average precision, where a second detection of a target is false. */
  readonly detections: readonly {
    readonly confidence: number;
    readonly kind: "true" | "tolerated" | "false";
    readonly shape: Shape;
  }[];
  /** Confidence of each detection that lies on no instance of the category. */
  readonly falseFrom: readonly number[];
  readonly targetShapes: readonly Shape[];
  /** Ignored instances and instances of accepted categories, each grown as detections are. */
  readonly toleratedShapes: readonly Shape[];
}

/** The categories whose detections count for a category. */
export function pooledWith(category: Category): readonly Category[] {
  return CARDS.includes(category) ? CARDS : [category];
}

/**
 * Compares the detections on a photo with its labels, for one category and all thresholds at once. A target that is covered at
 * one threshold is covered at every lower one.
 * @param found All detections at the lowest confidence, with coordinates in 0…1.
 * @returns Undefined if the photo has no information about the category.
 */
export function judge(
  photo: Photo,
  category: Category,
  found: readonly Detection[],
): PhotoOutcome | undefined {
  const labels = photo.labels.filter((label) => label.category === category && !label.isIgnored);
  const isComplete = photo.completeFor.has(category);
  const isUnplaced = photo.unplaced.includes(category);
  if (labels.length === 0 && !isComplete && !isUnplaced) return undefined;
  const kinds = pooledWith(category);
  const pooled = found.filter((detection) => kinds.includes(detection.category));
  const single = kinds.length > 1 ? suppress(pooled, { overlap: MATCH_IOU, containment: 0.85 }) : pooled;
  const detections = single
    .toSorted((a, b) => b.confidence - a.confidence)
    .map((detection) => inPixels(detection, photo));
  const accepted = new Set([...kinds, ...(ALSO[category] ?? [])]);
  const instances = photo.labels.filter((label) => accepted.has(label.category));
  const known = knownPlaces(photo, category, instances);
  const others = known.filter((place) => !labels.some(({ bounds }) => bounds === place));
  const targetShapes = labels.map(shapeOfLabel);
  const matches = matchTargets(labels, detections);
  return {
    source: photo.source,
    size: { width: photo.width, height: photo.height },
    isComplete,
    isUnplaced,
    targetShapes,
    toleratedShapes: instances
      .filter((label) => !labels.includes(label))
      .map(({ bounds, quad }) => grownShape({ box: bounds, polygon: quad }, GROWTH)),
    targets: labels.map((label, i) => ({
      source: photo.source,
      shortSidePixels: shortSideOf(label),
      coveredFrom: coveredFrom(targetShapes[i], detections, (detection) => grownShape(detection, GROWTH)),
      redactedFrom: coveredFrom(targetShapes[i], detections, (detection) => redactedShape(detection, photo)),
      matchedFrom: bestMatch(label, detections),
    })),
    detections: detections.map((detection, i) => ({
      confidence: detection.confidence,
      kind: matches.has(i) ? "true" : isFalse(detection, others) ? "false" : "tolerated",
      shape: grownShape(detection, GROWTH),
    })),
    falseFrom: isComplete
      ? detections.filter((detection) => isFalse(detection, known)).map(({ confidence }) => confidence)
      : [],
  };
}

function inPixels(detection: Detection, { width, height }: Photo): Detection {
  return {
    ...detection,
    box: {
      left: detection.box.left * width,
      top: detection.box.top * height,
      right: detection.box.right * width,
      bottom: detection.box.bottom * height,
    },
    ...(detection.polygon && {
      polygon: detection.polygon.map(([x, y]) => [x * width, y * height] as const),
    }),
  };
}

function knownPlaces(photo: Photo, category: Category, labels: readonly Label[]): Box[] {
  const heads =
    photo.hasFacesOnly && category === "heads" ? labels.map(({ bounds }) => headOfFace(bounds)) : [];
  return [...labels.map(({ bounds }) => bounds), ...heads];
}

/** The whole head around a face, by the average of labels of whole heads. */
function headOfFace({ left, top, right, bottom }: Box): Box {
  const [width, height] = [right - left, bottom - top];
  return {
    left: left - 0.2 * width,
    right: right + 0.2 * width,
    top: top - 0.42 * height,
    bottom: bottom + 0.1 * height,
  };
}

function shortSideOf({ bounds, quad }: Label): number {
  if (quad === undefined) return Math.min(bounds.right - bounds.left, bounds.bottom - bounds.top);
  const side = (i: number): number => {
    const [a, b] = [quad[i % 4] ?? [0, 0], quad[(i + 1) % 4] ?? [0, 0]];
    return Math.hypot(b[0] - a[0], b[1] - a[1]);
  };
  return Math.min(side(0) + side(2), side(1) + side(3)) / 2;
}

/** Adds detections, the most confident first, until the target is covered. Returns the last one's confidence, or 0. */
function coveredFrom(
  target: Shape | undefined,
  detections: readonly Detection[],
  shapeOf: (detection: Detection) => Shape,
): number {
  if (target === undefined) return 0;
  let open = samplesOf(target);
  const most = open.length * (1 - COVERED_SHARE);
  if (open.length === 0) return 0;
  for (const detection of detections) {
    const shape = shapeOf(detection);
    if (!touches(shape.bounds, target.bounds)) continue;
    open = open.filter(([x, y]) => !holds(shape, x, y));
    if (open.length <= most) return detection.confidence;
  }
  return 0;
}

function bestMatch({ bounds }: Label, detections: readonly Detection[]): number {
  return detections.find(({ box }) => overlapOf(bounds, box) >= MATCH_IOU)?.confidence ?? 0;
}

/**
 * Indices of the detections that take a target. Strongest first, each takes the free target that it overlaps most (PASCAL VOC).
 */
function matchTargets(labels: readonly Label[], detections: readonly Detection[]): Set<number> {
  const taken = new Set<number>();
  const matches = new Set<number>();
  for (const [i, { box }] of detections.entries()) {
    let best = { target: -1, overlap: 0 };
    for (const [target, { bounds }] of labels.entries()) {
      const overlap = overlapOf(bounds, box);
      if (!taken.has(target) && overlap > best.overlap) best = { target, overlap };
    }
    if (best.overlap < MATCH_IOU) continue;
    taken.add(best.target);
    matches.add(i);
  }
  return matches;
}

function isFalse({ box }: Detection, known: readonly Box[]): boolean {
  if (known.some((place) => overlapOf(place, box) >= TOLERATED_IOU)) return false;
  const places = known.map((bounds) => ({ bounds }));
  return coveredShare({ bounds: box }, places) < TOLERATED_INSIDE;
}
