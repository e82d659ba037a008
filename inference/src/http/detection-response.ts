import type { FrameResult, ModelInfo } from "../pipeline/detector.ts";

/** Rounds to five decimals, which is a fifth of a pixel in a picture 20,000 pixels wide. */
function round(value: number): number {
  return Math.round(value * 1e5) / 1e5;
}

/** The body of a detection answer. */
export function answerOf(frames: readonly FrameResult[], models: readonly ModelInfo[]): object {
  return {
    frames: frames.map(({ width, height, detections }) => ({
      width,
      height,
      detections: detections.map(({ category, confidence, isCandidate, secondLook, box, polygon }) => ({
        category,
        confidence: round(confidence),
        box: [round(box.left), round(box.top), round(box.right - box.left), round(box.bottom - box.top)],
        ...(secondLook !== undefined && { second_look: round(secondLook) }),
        ...(isCandidate && { candidate: true }),
        ...(polygon && { polygon: polygon.map(([x, y]) => [round(x), round(y)]) }),
      })),
    })),
    models: models.map(({ id, version, sha256 }) => ({ id, version, sha256 })),
  };
}
