import type { UltrafaceOutputs } from "./outputs.ts";
import type { Candidate, PublishedAnswer } from "./published-answer.ts";

/**
 * UltraFace (Linzaer, version-RFB). The network decodes its anchors itself. Each point has a score for background and one for
 * face.
 */
export function decodeUltraface(
  { category, scores, boxes }: UltrafaceOutputs,
  { output, size, thresholds }: PublishedAnswer,
): Candidate[] {
  const threshold = thresholds.get(category);
  if (threshold === undefined) return [];
  const [score, corner] = [output(scores), output(boxes)];
  const found: Candidate[] = [];
  for (let i = 0; 2 * i + 1 < score.length; i += 1) {
    const confidence = score[2 * i + 1] ?? 0;
    if (confidence < threshold) continue;
    found.push({
      category,
      confidence,
      box: {
        left: (corner[4 * i] ?? 0) * size.width,
        top: (corner[4 * i + 1] ?? 0) * size.height,
        right: (corner[4 * i + 2] ?? 0) * size.width,
        bottom: (corner[4 * i + 3] ?? 0) * size.height,
      },
    });
  }
  return found;
}
