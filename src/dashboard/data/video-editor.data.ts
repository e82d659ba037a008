import type { InferenceModels } from "../../detection/detection.schemas.ts";
import type { MaskingOrder } from "../../masking/masking-options.repository.ts";
import type { MediaRow } from "../../media/media.repository.ts";
import { maskRules, type MaskRules } from "../../redaction/regions/regions.ts";
import { editorReasons, type EditorReasons } from "./editor.data.ts";
import type { DetectionsResponse } from "../../revisions/detections.schemas.ts";

/** The data of the video editor's scripts, except for the detections, which they fetch. */
export interface VideoEditorData {
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  readonly fileBytes: number;
  /** Whether the sound is removed. */
  readonly isMuted: boolean;
  /** From which confidence on each category is hidden, by sensitivity; null where the detector does not say. */
  readonly thresholds: NonNullable<InferenceModels["thresholds"]> | null;
  /** How far what is painted reaches past what was found. */
  readonly rules: MaskRules;
  readonly reasons: EditorReasons;
}

/** The editor's data of a video; all places are in the picture as a person sees it. */
export function videoEditorData(
  { fileSizeBytes }: MediaRow,
  { width, height, duration_seconds: durationSeconds }: DetectionsResponse,
  { thresholds, order }: { thresholds: InferenceModels["thresholds"]; order: MaskingOrder },
): VideoEditorData {
  return {
    width,
    height,
    durationSeconds: durationSeconds ?? 0,
    fileBytes: fileSizeBytes,
    isMuted: order.options.audio === "mute",
    thresholds: thresholds ?? null,
    rules: maskRules(),
    reasons: editorReasons(order),
  };
}
