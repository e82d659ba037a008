import type { FrameResult, ModelInfo } from "../pipeline/detector.ts";

/** Five decimals: a fifth of a pixel in a picture 20,000 pixels wide. */
const rounded = (value: number): number => Math.round(value * 1e5) / 1e5;

/** The body of a detection answer. */
export function answerOf(frames: readonly FrameResult[], models: readonly ModelInfo[]): object {
  return {
    frames: frames.map(({ width, height, detections }) => ({
      width,
      height,
      detections: detections.map(({ category, confidence, isCandidate, box, polygon }) => ({
        category,
        confidence: rounded(confidence),
        box: [
          rounded(box.left),
          rounded(box.top),
          rounded(box.right - box.left),
          rounded(box.bottom - box.top),
        ],
        ...(isCandidate && { candidate: true }),
        ...(polygon && { polygon: polygon.map(([x, y]) => [rounded(x), rounded(y)]) }),
      })),
    })),
    models: models.map(({ id, version, sha256 }) => ({ id, version, sha256 })),
  };
}
