import { boundsOf, clipPointToUnit, overlapOf } from "../geometry/box.ts";
import type { Box, Point } from "../geometry/box.ts";
import { isConvex } from "../geometry/polygon.ts";
import type { Detection } from "../detections/detection.ts";

interface Size {
  readonly width: number;
  readonly height: number;
}

/** A code that was read and a network's box are one code if their intersection over union is at least this. */
const AGREE = 0.5;
/**
 * Most that a side of an outline may move outward to the network's edge, as a share of the outline's size in that
 * direction. The reader reads a linear code along a line and may miss its bars above or below; the network sees the height of
 * the bars.
 */
const MOST_ACROSS_BARS = 1;
const MOST_ALONG_BARS = 0.06;
const MOST_OF_MATRIX = 0.08;
/** A side of an outline faces a side of the picture if the cosine between their directions is larger. */
const FACING = 0.5;

/**
 * Merges each code that was read with the network's box for it into one outline. The box of a turned code is up to twice as
 * large as the code, and both would be painted. Codes that were only located stay beside the network's box, because half a code
 * can look like a whole one.
 * @param seen What networks found.
 * @param codes What the reader found.
 */
export function settleCodes(
  seen: readonly Detection[],
  codes: readonly Detection[],
  size: Size,
): Detection[] {
  const outlines = [...codes];
  const others = seen.filter((one) => {
    const index = outlines.findIndex((code) => isSameCode(code, one));
    const code = outlines[index];
    if (code === undefined || one.isCandidate === true) return true;
    outlines[index] = reachTo(code, one.box, size);
    return false;
  });
  return [...others, ...outlines];
}

function isSameCode(code: Detection, seen: Detection): boolean {
  const { category, confidence, isCandidate, polygon } = code;
  if (category !== seen.category || confidence < 1 || isCandidate === true) return false;
  if (polygon?.length !== 4 || !isConvex(polygon)) return false;
  return overlapOf(code.box, seen.box) >= AGREE;
}

/** Moves the sides of a code's outline out to the edges that a network saw, within limits. */
function reachTo(code: Detection, seen: Box, { width, height }: Size): Detection {
  const corners = (code.polygon ?? []).map(([x, y]): Point => [x * width, y * height]);
  const bounds = boundsOf(corners);
  const missing = [
    { direction: [-1, 0], pixels: bounds.left - seen.left * width },
    { direction: [0, -1], pixels: bounds.top - seen.top * height },
    { direction: [1, 0], pixels: seen.right * width - bounds.right },
    { direction: [0, 1], pixels: seen.bottom * height - bounds.bottom },
  ] as const;
  const [across, along] =
    code.category === "barcodes" ? [MOST_ACROSS_BARS, MOST_ALONG_BARS] : [MOST_OF_MATRIX, MOST_OF_MATRIX];
  const [a, b, , d] = corners;
  if (a === undefined || b === undefined || d === undefined) return code;
  const axes = { across: unitOf(a, d), along: unitOf(a, b) };
  const reach = (axis: Axis, sign: 1 | -1, most: number): number =>
    Math.min(
      most * axis.length,
      Math.max(
        0,
        ...missing.map(({ direction, pixels }) => {
          const cosine = sign * (direction[0] * axis.x + direction[1] * axis.y);
          return cosine > FACING ? cosine * pixels : 0;
        }),
      ),
    );
  const before = { along: -reach(axes.along, -1, along), across: -reach(axes.across, -1, across) };
  const after = { along: reach(axes.along, 1, along), across: reach(axes.across, 1, across) };
  // The order of the reader's corners starts at the beginning of the line it read.
  const moves = [
    [before.along, before.across],
    [after.along, before.across],
    [after.along, after.across],
    [before.along, after.across],
  ] as const;
  const polygon = corners.map(([x, y], index): Point => {
    const [u, v] = moves[index] ?? [0, 0];
    const moved: Point = [x + u * axes.along.x + v * axes.across.x, y + u * axes.along.y + v * axes.across.y];
    return clipPointToUnit([moved[0] / width, moved[1] / height]);
  });
  return { ...code, box: boundsOf(polygon), polygon };
}

/** A side of an outline: its direction as a unit vector, and its length in pixels. */
interface Axis {
  readonly x: number;
  readonly y: number;
  readonly length: number;
}

function unitOf(from: Point, to: Point): Axis {
  const length = Math.max(1, Math.hypot(to[0] - from[0], to[1] - from[1]));
  return { x: (to[0] - from[0]) / length, y: (to[1] - from[1]) / length, length };
}
