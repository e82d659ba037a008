import { area } from "../geometry/box.ts";
import type { Detection } from "../detections/detection.ts";
import type { Manifest } from "./manifest.ts";
import { confidenceOf, logOddsOf } from "./odds.ts";

/**
 * Makes confidences of large and small boxes comparable. A network is more confident about objects with many pixels, whether it
 * is right or wrong. A single threshold for all sizes would let large false boxes in or keep small true ones out.
 * @param calibration Log-odds that a category's boxes lose each time their side doubles, above a given side. Without it,
 * nothing changes.
 */
export function calibrate(detection: Detection, calibration: Manifest["calibration"]): Detection {
  const loss = calibration?.log_odds_per_doubling[detection.category];
  if (calibration === undefined || loss === undefined) return detection;
  const doublings = Math.log2(Math.sqrt(area(detection.box)) / calibration.from_side);
  if (doublings <= 0) return detection;
  return { ...detection, confidence: confidenceOf(logOddsOf(detection.confidence) - loss * doublings) };
}
