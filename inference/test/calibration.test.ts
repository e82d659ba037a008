import { describe, expect, it } from "vitest";
import { calibrate } from "../src/models/read-answer.ts";
import type { Detection } from "../src/detections/detection.ts";

const calibration = { from_side: 0.1, log_odds_per_doubling: { heads: Math.log(2) } };

function head(side: number, confidence: number): Detection {
  return {
    category: "heads",
    confidence,
    box: { left: 0, top: 0, right: side, bottom: side },
  };
}

describe("the calibration by size", () => {
  it("leaves boxes that are not large, and categories that it does not name", () => {
    expect(calibrate(head(0.1, 0.6), calibration)).toEqual(head(0.1, 0.6));
    const plate: Detection = { ...head(0.8, 0.6), category: "license_plates" };
    expect(calibrate(plate, calibration)).toEqual(plate);
    expect(calibrate(head(0.8, 0.6), undefined)).toEqual(head(0.8, 0.6));
  });

  it("halves the odds at each doubling of the side", () => {
    expect(calibrate(head(0.2, 0.5), calibration).confidence).toBeCloseTo(1 / 3);
    expect(calibrate(head(0.8, 0.5), calibration).confidence).toBeCloseTo(1 / 9);
  });

  it("measures the side as the root of the area", () => {
    const wide: Detection = { ...head(0.4, 0.5), box: { left: 0, top: 0, right: 0.4, bottom: 0.1 } };
    expect(calibrate(wide, calibration).confidence).toBeCloseTo(1 / 3);
  });

  it("keeps certainty and zero as they are", () => {
    expect(calibrate(head(0.8, 1), calibration).confidence).toBe(1);
    expect(calibrate(head(0.8, 0), calibration).confidence).toBe(0);
  });
});
