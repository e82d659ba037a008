import type { PhotoDetections, SeenPlace, StoredDetection } from "../media/detections.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import type { Detection } from "../../ground/vocabulary/detection.schemas.ts";
import {
  boxAround,
  cornersOf,
  isSameThing,
  type Place,
  type Point,
  type Polygon,
} from "../../pixels/geometry/box.ts";
import { roundFraction } from "../../pixels/geometry/fractions.ts";
import { areaOf, sharedAreaOf } from "../../pixels/geometry/polygon.ts";

/** A page of text can have thousands of words. Detections past the most confident ones are merged into one per category. */
const MOST_ONE_BY_ONE = 2_000;
const MOST_CANDIDATES = 200;
/** A detection stays visible if at least this share of its area lies inside an ignored region. */
const IGNORED_SHARE = 0.9;

/**
 * The detections to store: one per object, the most confident first, and hidden ones before visible ones. Detections of one object from
 * several detector runs are merged, so that hiding or showing it affects all of it.
 *
 * @param ignored Polygons in the stored picture. Detections inside them stay visible.
 */
export function keepDetections(
  found: readonly Detection[],
  { ignored, newId }: { ignored: readonly Polygon[]; newId: (index: number) => string },
): Pick<PhotoDetections, "detections" | "isTruncated"> {
  const open = found.map((thing) => thing.candidate === true || isIgnored(thing, ignored));
  const hidden = groupsOf(found.filter((_thing, index) => !open[index]));
  const left = groupsOf(found.filter((_thing, index) => open[index]));
  const rest = gather(hidden.slice(MOST_ONE_BY_ONE));
  const shownLeft = surestOfEach(left);
  const counts = Map.groupBy(left, ({ category }) => category);
  const all = [...hidden.slice(0, MOST_ONE_BY_ONE), ...rest, ...shownLeft.map(leftOpen)];
  const named = (thing: UnnamedDetection, index: number): StoredDetection => ({ id: newId(index), ...thing });
  return {
    detections: all.map(named),
    // If a category reaches its limit, the detector itself may have left some out.
    isTruncated: rest.length > 0 || [...counts.values()].some(({ length }) => length >= MOST_CANDIDATES),
  };
}

function leftOpen(thing: UnnamedDetection): UnnamedDetection {
  return { ...thing, isOpen: true, isOpenByDefault: true };
}

/** Whether a detection lies inside one of some regions, so that it stays visible. */
export function isIgnored({ box, polygon }: Place, ignored: readonly Polygon[]): boolean {
  const outline = convexOf(polygon ?? cornersOf(box));
  const area = areaOf(outline);
  return area > 0 && ignored.some((region) => sharedAreaOf(region, outline) >= IGNORED_SHARE * area);
}

/** Sorts a detector's corners around their center, so that their order does not matter. */
function convexOf(points: Polygon): Polygon {
  const middle = [0, 1].map(
    (axis) => points.reduce((sum, point) => sum + (point[axis] ?? 0), 0) / points.length,
  );
  const angleOf = ([x, y]: Point): number => Math.atan2(y - (middle[1] ?? 0), x - (middle[0] ?? 0));
  return points.toSorted((a, b) => angleOf(a) - angleOf(b));
}

/** A detection that has no ID yet. */
type UnnamedDetection = Omit<StoredDetection, "id">;

function groupsOf(found: readonly Detection[]): UnnamedDetection[] {
  const groups: { readonly first: Detection; readonly more: Detection[] }[] = [];
  const byCategory = new Map<RedactionCategory, typeof groups>();
  for (const one of found.toSorted((a, b) => b.confidence - a.confidence)) {
    const known = byCategory.get(one.category) ?? [];
    byCategory.set(one.category, known);
    const same = known.find(({ first }) => isSameThing(first.box, one.box));
    if (same !== undefined) {
      same.more.push(one);
      continue;
    }
    const group = { first: one, more: [] };
    groups.push(group);
    known.push(group);
  }
  return groups.map(detectionOf);
}

function detectionOf({
  first,
  more,
}: {
  readonly first: Detection;
  readonly more: readonly Detection[];
}): UnnamedDetection {
  const thing = { category: first.category, ...seenPlaceOf(first) };
  return more.length === 0 ? thing : { ...thing, seen: [first, ...more].map(seenPlaceOf) };
}

/** Merges detections past the most confident ones into one per category. They are hidden or visible together. */
function gather(things: readonly UnnamedDetection[]): UnnamedDetection[] {
  const byCategory = Map.groupBy(things, ({ category }) => category);
  return [...byCategory].map(([category, members]) => {
    const seen = members.flatMap(seenPlacesOf);
    const box = boxAround(seen.map((place) => place.box));
    return { category, box, confidence: members[0]?.confidence ?? 0, seen };
  });
}

/** All places that are hidden together with a detection. */
export function seenPlacesOf({ box, polygon, confidence, seen }: UnnamedDetection): readonly SeenPlace[] {
  return seen ?? [{ box, polygon, confidence }];
}

function surestOfEach(things: readonly UnnamedDetection[]): UnnamedDetection[] {
  const byCategory = Map.groupBy(things, ({ category }) => category);
  return [...byCategory.values()].flatMap((members) => members.slice(0, MOST_CANDIDATES));
}

function seenPlaceOf({ box, polygon, confidence }: Detection): SeenPlace {
  const [left, top, width, height] = box;
  return {
    box: [roundFraction(left), roundFraction(top), roundFraction(width), roundFraction(height)],
    confidence: roundFraction(confidence),
    ...(polygon && { polygon: polygon.map(([x, y]) => [roundFraction(x), roundFraction(y)] as const) }),
  };
}
