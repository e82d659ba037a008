import type { YunetOutputs } from "./outputs.ts";
import type { Candidate, PublishedAnswer } from "./published-answer.ts";

const at = (values: Float32Array, index: number): number => values[index] ?? 0;
const toShare = (value: number): number => Math.min(1, Math.max(0, value));

/**
 * YuNet (Wu et al., "YuNet: A Tiny Millisecond-level Face Detector", 2023): at each point of a grid a class and an
 * objectness score, the box's centre as an offset in strides and its sides as logarithms of strides.
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
      const centreX = ((i % columns) + at(boxes, 4 * i)) * stride;
      const centreY = (Math.floor(i / columns) + at(boxes, 4 * i + 1)) * stride;
      const halfWidth = (Math.exp(at(boxes, 4 * i + 2)) * stride) / 2;
      const halfHeight = (Math.exp(at(boxes, 4 * i + 3)) * stride) / 2;
      found.push({
        category,
        confidence,
        box: {
          left: centreX - halfWidth,
          top: centreY - halfHeight,
          right: centreX + halfWidth,
          bottom: centreY + halfHeight,
        },
      });
    }
    return found;
  });
}
