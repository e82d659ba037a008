import type { Detector } from "./detector.ts";
import type { DetectorSettings } from "./detector-settings.ts";
import { huggingFaceDetector } from "./huggingface.detector.ts";
import { inferenceDetector } from "./inference.detector.ts";

/** The detector of these settings. */
export function createDetector(settings: DetectorSettings): Detector {
  return settings.kind === "inference" ? inferenceDetector(settings) : huggingFaceDetector(settings);
}
