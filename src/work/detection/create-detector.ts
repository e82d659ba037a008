import { nowMs } from "../../ground/platform/clock.ts";
import { log } from "../../ground/platform/log.ts";
import type { Detection } from "../../ground/vocabulary/detection.schemas.ts";
import { DetectionError, type DetectionRequest, type Detector } from "./detector.ts";
import type { DetectorSettings } from "./detector-settings.ts";
import { huggingFaceDetector } from "./huggingface.detector.ts";
import { inferenceDetector } from "./inference.detector.ts";

/** The detector for these settings. Each call logs one event. */
export function createDetector(settings: DetectorSettings): Detector {
  const detector =
    settings.kind === "inference" ? inferenceDetector(settings) : huggingFaceDetector(settings);
  return {
    async detect(request) {
      const startedAtMs = nowMs();
      try {
        const answer = await detector.detect(request);
        const detections = answer.frames.reduce(
          (sum, frame) => sum + frame.detections.filter(isSure).length,
          0,
        );
        logCall(settings, request, { startedAtMs, outcome: "answered", detections });
        return answer;
      } catch (error) {
        const outcome = error instanceof DetectionError ? error.code : "unexpected";
        logCall(settings, request, { startedAtMs, outcome, detections: null });
        throw error;
      }
    },
  };
}

function isSure({ candidate }: Detection): boolean {
  return candidate !== true;
}

function logCall(
  { kind }: DetectorSettings,
  { subject, frames, categories }: DetectionRequest,
  { startedAtMs, outcome, detections }: { startedAtMs: number; outcome: string; detections: number | null },
): void {
  log(outcome === "answered" ? "info" : "warn", "inference_call", {
    ...subject,
    detector: kind,
    frames: frames.length,
    sizeBytes: frames.reduce((sum, { sizeBytes }) => sum + sizeBytes, 0),
    categories: categories.length,
    outcome,
    detections,
    durationMs: nowMs() - startedAtMs,
  });
}
