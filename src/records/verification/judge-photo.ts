import { shownBox, type Orientation } from "../../pixels/geometry/orientation.ts";
import { ANYTHING } from "../masking/masking-options.ts";
import { isIgnored, seenPlacesOf } from "../masking/found-detections.ts";
import type { Detection } from "../../ground/vocabulary/detection.schemas.ts";
import {
  isPartWithin,
  isSameThing,
  overlapOf,
  type Box,
  type PixelSize,
  type Place,
  type Polygon,
} from "../../pixels/geometry/box.ts";
import { clippedBox } from "../../pixels/geometry/fractions.ts";
import type { SeenPlace, StoredDetection } from "../media/detections.ts";
import type { Region } from "../../pixels/redaction/index.ts";
import { PaintedArea } from "./painted-area.ts";
import type { VerificationFinding } from "./verification.ts";

/** A detection has no mask if less than this share of its outline is painted. */
const HAS_MASK = 0.5;
/** A new detection is at a place without a mask if their intersection over union is at least this, or if it covers half of the place. */
const SAME_PLACE = 0.25;
const COVERS_PLACE = 0.5;
const NEAR_PLACE = 0.1;
/**
 * A detector mistakes some masks for what they hide, but never with the same box and confidence: on 56 photos with 592 masks, the overlap
 * with the first reading's box stayed below 0.64.
 */
const LIKE_BEFORE: Likeness = { overlap: 0.75, lessConfident: 0.1 };
/**
 * A detection counts as new only if it is confident and at most this share of it is painted, because masks change what a detector sees
 * around them.
 */
const TOUCHES_NO_MASK = 0.1;
const CERTAIN = 0.8;
/** Text counts as read under a mask only if at least this share of it is in the mask. A line that continues past a mask is no proof. */
const UNDER_MASK = 0.8;
/** The confidence of a code that was read, not only located. */
const CODE_WAS_READ = 1;
/** From this intersection over union with a hidden detection, a detection is that one and not a part of a visible one. */
const SAME_HIDDEN = 0.4;
/** A detection is part of an object that a person left visible if at least this share of it is inside. */
const PART_OF_OPEN = 0.8;

/** How like its first sighting something is that no mask hides although one was painted. */
export interface Likeness {
  /** The least intersection over union of both boxes. */
  readonly overlap: number;
  /** How much less confident than the first sighting it may be. */
  readonly lessConfident: number;
}

/** A painted photo. Coordinates are in 0…1 of the stored picture. */
export interface PaintedPhoto {
  readonly size: PixelSize;
  readonly orientation: Orientation;
  /** What was found in the source, or chosen by a person. */
  readonly detections: readonly StoredDetection[];
  /** What the painter was given. */
  readonly regions: readonly Region[];
  /** The outlines in which detections stay visible. */
  readonly ignored: readonly Polygon[];
  /** Hidden detections at whose places the output shows what the source shows. */
  readonly unpainted?: readonly StoredDetection[] | undefined;
  /** If absent, that of photos. */
  readonly likeness?: Likeness | undefined;
}

/** What a second reading of a photo says. */
export interface Judgement {
  readonly findings: readonly VerificationFinding[];
  /** The findings that the first reading did not have. */
  readonly missed: readonly Detection[];
  /** Those, and the findings where something was to be hidden and no mask is. */
  readonly bare: readonly Detection[];
}

type Fault = "no_mask" | "not_painted" | "readable" | "missed";

/**
 * Compares what a detector finds in an output with what was found in its source and what was painted. Detections that a person, a
 * threshold or an ignored region left visible are not findings. What is known to be unpainted is one, whether the detector finds it or not.
 *
 * @param seen detections, and candidates below the threshold. A candidate counts only where something that was over the threshold
 * in the source has no mask.
 */
export function judgePhoto(seen: readonly Detection[], photo: PaintedPhoto): Judgement {
  const painted = new PaintedArea(photo.regions, photo.size);
  const known = new KnownThings(photo, painted);
  const faults = seen.flatMap((thing) => {
    const fault = faultOf(thing, { known, share: painted.shareOf(outlineOf(thing)) });
    return fault === undefined ? [] : [{ thing, fault }];
  });
  const unpainted = (photo.unpainted ?? [])
    .map(({ category, confidence, box }) => ({
      category: category ?? ANYTHING,
      confidence: confidence ?? 1,
      box,
    }))
    .filter(({ category, box }) =>
      faults.every(({ thing }) => thing.category !== category || overlapOf(thing.box, box) <= SAME_PLACE),
    )
    .map((thing) => ({ thing, fault: "no_mask" as const }));
  return {
    findings: [...faults, ...unpainted].map(({ thing: { category, confidence, box }, fault }) => ({
      kind: fault === "readable" ? fault : "found_again",
      category,
      confidence,
      box: clippedBox(shownBox(box, photo.orientation)),
    })),
    missed: faults.flatMap(({ thing, fault }) => (fault === "missed" ? [thing] : [])),
    bare: faults.flatMap(({ thing, fault }) => (fault === "missed" || fault === "no_mask" ? [thing] : [])),
  };
}

function faultOf(
  thing: Detection,
  { known, share }: { readonly known: KnownThings; readonly share: number },
): Fault | undefined {
  if (known.isPrinted(thing)) return undefined;
  const isSure = thing.candidate !== true;
  if (isSure && share >= UNDER_MASK && known.isRead(thing)) return "readable";
  if (known.isLeftOpen(thing)) return undefined;
  if (known.isWithoutMask(thing)) return "no_mask";
  if (!isSure) return undefined;
  if (known.isUnchanged(thing)) return "not_painted";
  return share < TOUCHES_NO_MASK && thing.confidence >= CERTAIN ? "missed" : undefined;
}

/** The detections in the source of a photo. */
class KnownThings {
  readonly #hidden: readonly StoredDetection[];
  readonly #open: readonly StoredDetection[];
  readonly #bare: readonly StoredDetection[];
  readonly #ignored: PaintedPhoto["ignored"];
  readonly #labeled: readonly Region[];
  readonly #likeness: Likeness;

  constructor({ detections, ignored, regions, likeness = LIKE_BEFORE }: PaintedPhoto, painted: PaintedArea) {
    this.#likeness = likeness;
    this.#hidden = detections.filter(({ isOpen }) => isOpen !== true);
    this.#open = detections.filter(({ isOpen }) => isOpen === true);
    this.#ignored = ignored;
    this.#labeled = regions.filter(({ label }) => label !== undefined);
    this.#bare = this.#hidden.filter((thing) => {
      const { category, box, polygon } = thing;
      if (category === null || isGathered(thing)) return false;
      return painted.shareOf(outlineOf({ category, box, polygon })) < HAS_MASK;
    });
  }

  /** Whether it is at the place of a hidden detection that no mask covers. */
  isWithoutMask({ category, box, candidate }: Detection): boolean {
    return this.#bare.some((bare) => {
      const isSameCategory = bare.category === category;
      const overlap = overlapOf(box, bare.box);
      if (overlap > SAME_PLACE) return isSameCategory || candidate !== true;
      return isSameCategory && overlap > NEAR_PLACE && isPartWithin(bare.box, box, COVERS_PLACE);
    });
  }

  /** Whether the detector finds it exactly as it did before painting. */
  isUnchanged(thing: Detection): boolean {
    const { overlap, confidence } = likest(thing, this.#hidden);
    const { overlap: leastOverlap, lessConfident } = this.#likeness;
    return overlap >= leastOverlap && thing.confidence >= (confidence ?? 0) - lessConfident;
  }

  /** Whether it is a reason code that is printed in a mask. */
  isPrinted({ category, box }: Detection): boolean {
    return category === "writing" && this.#labeled.some((mask) => isPartWithin(box, mask.box, PART_OF_OPEN));
  }

  /** Whether it is a code that was read, or a line of writing that the first reading found too. */
  isRead(thing: Detection): boolean {
    const { category, confidence } = thing;
    if (category === "qr_codes" || category === "barcodes") return confidence >= CODE_WAS_READ;
    return (
      category === "writing" &&
      this.#hidden.some(
        (other) =>
          other.category === category && seenPlacesOf(other).some(({ box }) => isSameThing(thing.box, box)),
      )
    );
  }

  /** Whether the first reading found it and it was left visible on purpose. */
  isLeftOpen(thing: Detection): boolean {
    if (isIgnored(thing, this.#ignored)) return true;
    const { overlap } = likest(thing, this.#hidden);
    return this.#open.some((other) => {
      // A threshold or an ignored region leaves one category visible, and a person leaves a place visible.
      const isByPerson = other.isOpenByDefault !== true;
      if (!isByPerson && other.category !== thing.category) return false;
      return seenPlacesOf(other).some(({ box }) => {
        if (isSameThing(thing.box, box) && overlapOf(thing.box, box) >= overlap) return true;
        return isByPerson && overlap <= SAME_HIDDEN && isPartWithin(thing.box, box, PART_OF_OPEN);
      });
    });
  }
}

/** Whether it combines many separate detections, so that most of its box is not painted. */
export function isGathered({ box, seen = [] }: StoredDetection): boolean {
  const isWhole = (other: Box): boolean => overlapOf(box, other) > SAME_HIDDEN;
  return seen.length > 1 && !seen.some((sighting) => isWhole(sighting.box));
}

/** The sighting of the same category that overlaps a detection most. */
function likest(
  thing: Detection,
  others: readonly StoredDetection[],
): { readonly overlap: number; readonly confidence: SeenPlace["confidence"] } {
  let best: ReturnType<typeof likest> = { overlap: 0, confidence: null };
  for (const other of others) {
    if (other.category !== thing.category) continue;
    for (const { box, confidence } of seenPlacesOf(other)) {
      const overlap = overlapOf(thing.box, box);
      if (overlap > best.overlap) best = { overlap, confidence };
    }
  }
  return best;
}

/** The outline of a detection, without the margin of its mask. */
export function outlineOf({ category, box, polygon }: Place & Pick<Detection, "category">): Region {
  if (category === "heads") return { category, shape: "ellipse", box };
  return { category, shape: polygon === undefined ? "box" : "polygon", box, polygon };
}
