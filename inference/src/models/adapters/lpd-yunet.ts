import { boundsOf, type Point } from "../../geometry/box.ts";
import type { LpdYunetOutputs } from "./outputs.ts";
import type { Candidate, PublishedAnswer } from "./published-answer.ts";

/** Anchors of the published network: side lengths in pixels at each stride (opencv_zoo, lpd_yunet.py). */
const ANCHORS: readonly { stride: number; sides: readonly number[] }[] = [
  { stride: 8, sides: [10, 16, 24] },
  { stride: 16, sides: [32, 48] },
  { stride: 32, sides: [64, 96] },
  { stride: 64, sides: [128, 192, 256] },
];
/** How many numbers `loc` has for each point, and where the corners are among them. */
const NUMBERS = 14;
const CORNERS = [4, 6, 10, 12] as const;
/** Scale of offsets relative to anchors (SSD, Liu et al. 2016). */
const VARIANCE = 0.1;

/** LPD-YuNet (OpenCV model zoo). It predicts plates as four corners relative to anchors. A candidate is the box around them. */
export function decodeLpdYunet(
  { category }: LpdYunetOutputs,
  { output, size, thresholds }: PublishedAnswer,
): Candidate[] {
  const threshold = thresholds.get(category);
  if (threshold === undefined) return [];
  const [offsets, classes, quality] = [output("loc"), output("conf"), output("iou")];
  return anchorsOf(size).flatMap(({ x, y, side }, i) => {
    const overlap = Math.min(1, Math.max(0, quality[i] ?? 0));
    const confidence = Math.sqrt((classes[2 * i + 1] ?? 0) * overlap);
    if (!(confidence >= threshold)) return [];
    const corners = CORNERS.map((column): Point => {
      const offset = (axis: number): number => (offsets[NUMBERS * i + column + axis] ?? 0) * VARIANCE * side;
      return [x + offset(0), y + offset(1)];
    });
    return [{ category, confidence, box: boundsOf(corners) }];
  });
}

function anchorsOf({
  width,
  height,
}: {
  width: number;
  height: number;
}): { x: number; y: number; side: number }[] {
  return ANCHORS.flatMap(({ stride, sides }) => {
    const columns = Math.floor(width / stride);
    return Array.from({ length: columns * Math.floor(height / stride) }, (_, i) => i).flatMap((i) =>
      sides.map((side) => ({
        x: ((i % columns) + 0.5) * stride,
        y: (Math.floor(i / columns) + 0.5) * stride,
        side,
      })),
    );
  });
}
