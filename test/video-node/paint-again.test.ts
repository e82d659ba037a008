import { describe, expect, test } from "vitest";
import { withMissed } from "../../src/work/video/steps/paint-again.ts";
import type { FrameDetection, FrameSample } from "../../src/work/video/tracks/frame-sample.ts";

const SEGMENT = { firstFrame: 0, frames: 20 };

function head(box: FrameDetection["box"], confidence = 0.9): FrameDetection {
  return { category: "heads", box, confidence };
}

const [LEFT, RIGHT] = [head([0.1, 0.1, 0.1, 0.1]), head([0.7, 0.1, 0.1, 0.1], 0.3)];
const SAMPLES: readonly FrameSample[] = [
  { frameIndex: 0, detections: [LEFT] },
  { frameIndex: 8, detections: [LEFT] },
  { frameIndex: 16, detections: [LEFT] },
];

describe("what a second reading found bare", () => {
  test("joins the sample of its frame, certain enough to be hidden alone", () => {
    const samples = withMissed(SAMPLES, [{ frameIndex: 8, detections: [RIGHT] }], SEGMENT);
    expect(samples.map(({ detections }) => detections.length)).toEqual([1, 2, 1]);
    expect(samples[1]?.detections[1]).toEqual({ ...RIGHT, confidence: 0.5, confirmed: true });
  });

  test("joins both samples around its frame, so that nothing else counts as unseen there", () => {
    const samples = withMissed(SAMPLES, [{ frameIndex: 10, detections: [RIGHT] }], SEGMENT);
    expect(samples.map(({ frameIndex, detections }) => [frameIndex, detections.length])).toEqual([
      [0, 1],
      [8, 2],
      [16, 2],
    ]);
  });

  test("replaces the detection of the same object", () => {
    const again = head([0.1, 0.1, 0.11, 0.1], 0.6);
    const samples = withMissed(SAMPLES, [{ frameIndex: 0, detections: [again] }], SEGMENT);
    expect(samples[0]?.detections).toEqual([{ ...again, confirmed: true }]);
  });

  test("is left to the segment that it lies in", () => {
    expect(withMissed(SAMPLES, [{ frameIndex: 20, detections: [RIGHT] }], SEGMENT)).toEqual(SAMPLES);
    const alone = withMissed([], [{ frameIndex: 3, detections: [RIGHT] }], SEGMENT);
    expect(alone.map(({ frameIndex }) => frameIndex)).toEqual([3]);
  });
});
