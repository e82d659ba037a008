import { area, boundsOf, intersection, overlapOf } from "../geometry/box.ts";
import { isConvex } from "../geometry/polygon.ts";
import { isMatrix } from "./formats.ts";
import type { LocatedCode, FoundCode } from "./passes.ts";

/** Two looks saw the same code if the intersection over union of its boxes is at least this. */
const SAME_CODE = 0.5;
/** An unread code is part of a read one if at least this share of its box lies in the other's. */
const PART_OF_READ = 0.7;

const LEAST_SIDE_PIXELS = 8;
/**
 * A located square symbol is a chance pattern if the ratio of its opposite sides is larger. Perspective alone does not distort
 * a code as much.
 */
const MOST_SIDE_RATIO = 2.5;
/**
 * Least side in pixels of an unread Data Matrix. It is located by an L of two solid edges, which floors, frames and letters
 * also have.
 */
const LEAST_UNREAD_DATA_MATRIX_SIDE = 24;

function sidesOf({ corners }: LocatedCode): number[] {
  return corners.map(([x, y], i) => {
    const [nextX, nextY] = corners[(i + 1) % 4] ?? [x, y];
    return Math.hypot(nextX - x, nextY - y);
  });
}

/** Whether a located code has the shape of a code. A code that was read needs no such check. */
export function isPlausible(code: LocatedCode): boolean {
  if (code.isRead) return true;
  const sides = sidesOf(code);
  const shortest = Math.min(...sides);
  if (!isConvex(code.corners) || shortest < LEAST_SIDE_PIXELS) return false;
  if (!isMatrix(code.symbology) || code.symbology === "PDF417") return true;
  if (code.symbology === "DataMatrix" && shortest < LEAST_UNREAD_DATA_MATRIX_SIDE) return false;
  const [a = 0, b = 0, c = 0, d = 0] = sides;
  return Math.max(a / c, c / a, b / d, d / b) <= MOST_SIDE_RATIO;
}

/**
 * The codes of several looks at one picture, without duplicates. Of two results for one code, a read one wins over an unread
 * one; otherwise the larger wins.
 */
export function unite(looks: readonly FoundCode[]): FoundCode[] {
  return looks.reduce<FoundCode[]>(withCode, []);
}

function withCode(found: readonly FoundCode[], code: FoundCode): FoundCode[] {
  const box = boundsOf(code.corners);
  const isSame = (other: FoundCode): boolean => {
    if (isMatrix(other.symbology) !== isMatrix(code.symbology)) return false;
    const otherBox = boundsOf(other.corners);
    const shared = intersection(box, otherBox);
    if (overlapOf(box, otherBox) >= SAME_CODE) return true;
    const unread = [code, other].filter((one) => !one.isRead);
    return unread.length === 1 && shared / area(boundsOf((unread[0] ?? code).corners)) >= PART_OF_READ;
  };
  const rivals = found.filter(isSame);
  const isBeaten = rivals.some(
    (other) =>
      (other.isRead && !code.isRead) ||
      (other.isRead === code.isRead && area(boundsOf(other.corners)) >= area(box)),
  );
  if (isBeaten) return [...found];
  return [...found.filter((other) => !rivals.includes(other)), code];
}
