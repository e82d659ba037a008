import type { InferenceModels } from "../../../ground/vocabulary/detection.schemas.ts";
import type { MaskingOrder } from "../../../records/masking/masking-options.repository.ts";
import type { MaskingOptions } from "../../../records/masking/masking-options.ts";
import type { MuteRange } from "../../../records/masking/media-sound.ts";
import type { MediaRow } from "../../../records/media/media.repository.ts";
import { maskRules, type MaskRules } from "../../../pixels/redaction/regions/regions.ts";
import { editorReasons, type EditorReasons } from "./editor.data.ts";
import type { DetectionsResponse } from "../../../records/media-api/detections.schemas.ts";

/** A range of sound in the editor's list: found speech, or a range that a person muted. */
interface MutedRange extends MuteRange {
  readonly isSpeech: boolean;
  readonly isOn: boolean;
}

/** The data of the video editor's scripts, except for the detections, which they fetch. */
export interface VideoEditorData {
  readonly width: number;
  readonly height: number;
  readonly durationSeconds: number;
  readonly fileBytes: number;
  /** Whether the sound is removed. */
  readonly isMuted: boolean;
  /** Whether found speech is muted. */
  readonly isSpeechMuted: boolean;
  readonly mutedRanges: readonly MutedRange[];
  /** The confidence from which each category is hidden, by sensitivity; null if the detector does not report it. */
  readonly thresholds: NonNullable<InferenceModels["thresholds"]> | null;
  /** How far masks extend past detections. */
  readonly rules: MaskRules;
  readonly reasons: EditorReasons;
}

/** The editor's data for a video. All positions are in the picture as a person sees it. */
export function videoEditorData(
  { fileSizeBytes }: MediaRow,
  { width, height, duration_seconds: durationSeconds, sound = [] }: DetectionsResponse,
  { thresholds, order }: { thresholds: InferenceModels["thresholds"]; order: MaskingOrder },
): VideoEditorData {
  return {
    width,
    height,
    durationSeconds: durationSeconds ?? 0,
    fileBytes: fileSizeBytes,
    isMuted: order.options.audio === "mute",
    isSpeechMuted: order.options.audio === "mute_speech",
    mutedRanges: mutedRanges(sound, order.options),
    thresholds: thresholds ?? null,
    rules: maskRules(),
    reasons: editorReasons(order),
  };
}

/** Found speech, and the ranges that a person muted. A muted range that equals a speech range mutes that speech. */
function mutedRanges(
  sound: NonNullable<DetectionsResponse["sound"]>,
  { audio, muteRanges }: Pick<MaskingOptions, "audio" | "muteRanges">,
): MutedRange[] {
  const speech = sound
    .filter(({ kind }) => kind === "speech")
    .map((one): MutedRange => ({
      startSeconds: one.start_seconds,
      endSeconds: one.end_seconds,
      sound: "silence",
      isSpeech: true,
      // If all sound is removed, nobody has chosen single speech ranges.
      isOn: one.redacted && audio !== "mute",
    }));
  const isSpeech = ({ startSeconds, endSeconds }: MuteRange): boolean =>
    speech.some((one) => one.startSeconds === startSeconds && one.endSeconds === endSeconds);
  const own = muteRanges
    .filter((range) => !isSpeech(range))
    .map(({ startSeconds, endSeconds, sound: heard }): MutedRange => {
      return { startSeconds, endSeconds, sound: heard, isSpeech: false, isOn: true };
    });
  return [...speech, ...own].toSorted((a, b) => a.startSeconds - b.startSeconds);
}
