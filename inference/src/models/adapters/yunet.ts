import type { YunetOutputs } from "./outputs.ts";
import { type Candidate, type PublishedAnswer, boxAtCell } from "./published-answer.ts";

function at(values: Float32Array, index: number): number {
  return values[index] ?? 0;
}
function toShare(value: number): number {
  return Math.min(1, Math.max(0, value));
}

/**
 * YuNet (Wu et al., "YuNet: A Tiny Millisecond-level Face Detector", 2023). Each grid point has a class score, an objectness
 * score, the box's center as an offset in strides, and its sides as logarithms of strides.
 */
export function decodeYunet(
  { category, strides }: YunetOutputs,
  { output, size, thresholds }: PublishedAnswer,
): Candidate[] {
  const threshold = thresholds.get(category);
  if (threshold === undefined) return [];
  return strides.flatMap((stride) => {
    const [classes, objectness, boxes] = [
      output(`cls_${stride}`),
      output(`obj_${stride}`),
      output(`bbox_${stride}`),
    ];
    const columns = Math.floor(size.width / stride);
    const found: Candidate[] = [];
    for (const [i, score] of classes.entries()) {
      const confidence = Math.sqrt(toShare(score) * toShare(at(objectness, i)));
      if (confidence < threshold) continue;
      const box = boxAtCell(
        { index: i, columns, stride },
        [at(boxes, 4 * i), at(boxes, 4 * i + 1)],
        [at(boxes, 4 * i + 2), at(boxes, 4 * i + 3)],
      );
      found.push({ category, confidence, box });
    }
    return found;
  });
}
