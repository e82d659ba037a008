import type { PicodetOutputs } from "./outputs.ts";
import type { Candidate, PublishedAnswer } from "./published-answer.ts";

/**
 * PicoDet (Yu et al. 2021), exported without post-processing. The distance of each side from the grid point is the mean of a
 * distribution over bins of one stride (Generalized Focal Loss, Li et al. 2020).
 */
export function decodePicodet(
  { strides, scores, boxes, classes }: PicodetOutputs,
  { output, size, thresholds }: PublishedAnswer,
): Candidate[] {
  const wanted = Object.entries(classes).flatMap(([index, category]) => {
    const threshold = thresholds.get(category);
    return threshold === undefined ? [] : [{ index: Number(index), category, threshold }];
  });
  return strides.flatMap((stride, level) => {
    const [score, distribution] = [output(scores[level] ?? ""), output(boxes[level] ?? "")];
    const columns = Math.ceil(size.width / stride);
    const points = columns * Math.ceil(size.height / stride);
    const classCount = score.length / points;
    const bins = distribution.length / points / 4;
    const found: Candidate[] = [];
    for (let i = 0; i < points; i += 1) {
      const centreX = ((i % columns) + 0.5) * stride;
      const centreY = (Math.floor(i / columns) + 0.5) * stride;
      for (const { index, category, threshold } of wanted) {
        const confidence = score[i * classCount + index] ?? 0;
        if (confidence < threshold) continue;
        const [left = 0, top = 0, right = 0, bottom = 0] = [0, 1, 2, 3].map(
          (side) => meanBin(distribution, (4 * i + side) * bins, bins) * stride,
        );
        found.push({
          category,
          confidence,
          box: {
            left: centreX - left,
            top: centreY - top,
            right: centreX + right,
            bottom: centreY + bottom,
          },
        });
      }
    }
    return found;
  });
}

/** Mean of a distribution over the bins 0, 1, 2 and so on, given by logits. */
function meanBin(logits: Float32Array, start: number, bins: number): number {
  const own = logits.subarray(start, start + bins);
  const most = Math.max(...own);
  let [sum, weighted] = [0, 0];
  for (const [bin, logit] of own.entries()) {
    const weight = Math.exp(logit - most);
    sum += weight;
    weighted += weight * bin;
  }
  return weighted / sum;
}
