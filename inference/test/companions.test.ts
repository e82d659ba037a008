import { describe, expect, it } from "vitest";
import type { Detection } from "../src/detections/detection.ts";
import { withCompanions } from "../src/second-look/companions.ts";

function headAt(left: number, confidence: number, side = 0.2): Detection {
  return { category: "heads", confidence, box: { left, top: 0.1, right: left + side, bottom: 0.1 + side } };
}

describe("what is in company", () => {
  const company = { from: 0.8, size_ratio: 2, log_odds: Math.log(4), most_doubtful: 2 };

  it("gains odds from one that is sure and apart from it, and no other", () => {
    const [sure, near, far] = withCompanions(
      [headAt(0.1, 0.9), headAt(0.15, 0.2), headAt(0.6, 0.2)],
      { company },
      0.45,
    );
    expect(sure?.confidence).toBe(0.9);
    expect(near?.confidence).toBe(0.2);
    expect(far?.confidence).toBeCloseTo(0.5, 9);
  });

  it("gains nothing from detections that are more than so many times larger or smaller", () => {
    const gains = [0.09, 0.11, 0.39, 0.41].map((side) => {
      return (
        (withCompanions([headAt(0.1, 0.9), headAt(0.5, 0.2, side)], { company }, 0.45)[1]?.confidence ?? 0) >
        0.2
      );
    });
    expect(gains).toEqual([false, true, true, false]);
  });

  it("gains nothing from unsure detections, nor from itself, nor where a category has none", () => {
    expect(withCompanions([headAt(0.1, 0.79), headAt(0.6, 0.2)], { company }, 0.45)).toEqual([
      headAt(0.1, 0.79),
      headAt(0.6, 0.2),
    ]);
    expect(withCompanions([headAt(0.1, 0.9)], { company }, 0.45)).toEqual([headAt(0.1, 0.9)]);
    expect(withCompanions([headAt(0.1, 0.9), headAt(0.6, 0.2)], {}, 0.45)).toEqual([
      headAt(0.1, 0.9),
      headAt(0.6, 0.2),
    ]);
  });

  it("gains nothing where more are doubtful than so many for each that is sure", () => {
    const doubtful = [0.3, 0.5, 0.7].map((left) => headAt(left, 0.2));
    const confidences = (some: readonly Detection[]): number[] =>
      withCompanions([headAt(0, 0.9), ...some], { company }, 0.45)
        .slice(1)
        .map(({ confidence }) => Number(confidence.toFixed(2)));
    expect(confidences(doubtful.slice(1))).toEqual([0.5, 0.5]);
    expect(confidences(doubtful)).toEqual([0.2, 0.2, 0.2]);
    // What stays under the threshold anyway does not count.
    expect(confidences([...doubtful.slice(1), headAt(0.3, 0.05)])).toEqual([0.5, 0.5, 0.17]);
  });

  it("in a crowd, only the most confident gain", () => {
    const sure = [0, 0.2].map((left) => headAt(left, 0.9, 0.1));
    const doubtful = [0.3, 0.25, 0.35, 0.2, 0.2].map((confidence, index) =>
      headAt(0.4 + index * 0.1, confidence, 0.1),
    );
    const raised = (crowdFrom: number): boolean[] =>
      withCompanions([...sure, ...doubtful], { company: { ...company, crowd_from: crowdFrom } }, 0.45)
        .slice(sure.length)
        .map(({ confidence }, index) => confidence > (doubtful[index]?.confidence ?? 1));
    expect(raised(2)).toEqual([true, true, true, true, false]);
    expect(raised(3)).toEqual([false, false, false, false, false]);
  });

  it("both gain where both are sure", () => {
    const found = withCompanions([headAt(0.1, 0.9), headAt(0.6, 0.8)], { company }, 0.45);
    expect(found.every(({ confidence }) => confidence > 0.9)).toBe(true);
  });
});
