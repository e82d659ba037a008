import { area, boundsOf, intersection, overlapOf } from "../geometry/box.ts";
import { isConvex } from "../geometry/polygon.ts";
import { isMatrix } from "./formats.ts";
import type { FoundCode } from "./found-code.ts";
import type { LocatedCode } from "./passes.ts";

/** Intersection over union from which two passes have seen the same code. */
const SAME_CODE = 0.5;
/** Share of an unreadable one within a read one that makes it a part of that. */
const PART_OF_READ = 0.7;

const LEAST_SIDE_PIXELS = 8;
/** A located square symbol whose opposite sides differ more than this is a chance pattern, not a code in perspective. */
const MOST_SIDE_RATIO = 2.5;
/** Data Matrix is located by an L of two solid edges, which floors, frames and letters have too. */
const LEAST_UNREAD_DATA_MATRIX_SIDE = 24;

function sidesOf({ corners }: LocatedCode): number[] {
  return corners.map(([x, y], i) => {
    const [nextX, nextY] = corners[(i + 1) % 4] ?? [x, y];
    return Math.hypot(nextX - x, nextY - y);
  });
}

/** Whether something only located has the shape of a code; what was read needs no such proof. */
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

/** The codes that several looks at one picture found, each once: of two looks at one the read, then the larger stays. */
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
