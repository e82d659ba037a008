import type { RedactionCategory } from "../vocabulary/media-values.ts";
import type { Box, Point } from "./polygon.ts";

/** What a region of no category is hidden as: nothing of it is kept. */
export const ANYTHING = "documents";

/** Fewer false masks, or fewer misses. */
export const SENSITIVITIES = ["low", "normal", "high"] as const;
type Sensitivity = (typeof SENSITIVITIES)[number];

/** Whether a video's sound is kept. */
export const AUDIO_MODES = ["keep", "mute"] as const;
export type AudioMode = (typeof AUDIO_MODES)[number];

/** From which confidence on things are hidden, for all categories or for some. */
export type MinConfidence = number | Readonly<Partial<Record<RedactionCategory, number>>>;

/** The box of a video's region at a time. */
interface RegionKeyframe {
  readonly timeSeconds: number;
  readonly box: Box;
}

/**
 * A region that a person asked for, in the picture as a viewer shows it. `box` bounds the polygon, or all keyframes. Without a
 * category it is hidden as what can be read is: nothing of it is kept.
 */
export interface RequestedRegion {
  /** Its detection's id, where it was asked for with the media that is revised. */
  readonly id?: string | undefined;
  /** Whether it is left open: a revision keeps what it leaves out of the media that it revises. */
  readonly isOpen?: boolean | undefined;
  readonly category?: RedactionCategory | undefined;
  readonly box: Box;
  readonly polygon?: readonly Point[] | undefined;
  readonly startSeconds?: number | undefined;
  readonly endSeconds?: number | undefined;
  readonly keyframes?: readonly RegionKeyframe[] | undefined;
}

/** Which detections a revision hides: these, or all that are hidden by default, or none; less some. */
export interface DetectionChoice {
  readonly redact: readonly string[] | "all" | "none";
  readonly except: readonly string[];
}

/** The options of an upload or revision beyond categories and method. */
export interface MaskingOptions {
  readonly sensitivity: Sensitivity;
  readonly minConfidence?: MinConfidence | undefined;
  /** Hidden whatever is detected. */
  readonly regions: readonly RequestedRegion[];
  /** Detections inside one of these are left visible. */
  readonly ignoreRegions: readonly RequestedRegion[];
  readonly isDetectOnly: boolean;
  readonly audio: AudioMode;
  /** Of a video's revision. */
  readonly choice?: DetectionChoice | undefined;
}

/** The default options. */
export const DEFAULT_OPTIONS: MaskingOptions = {
  sensitivity: "normal",
  regions: [],
  ignoreRegions: [],
  isDetectOnly: false,
  audio: "keep",
};

/** The options that differ from what an upload means without them; undefined when none does. */
export function chooseOptions(options: MaskingOptions): Partial<MaskingOptions> | undefined {
  const { sensitivity, minConfidence, regions, ignoreRegions, isDetectOnly, audio } = options;
  const chosen: Partial<MaskingOptions> = {
    ...(sensitivity !== "normal" && { sensitivity }),
    ...(minConfidence !== undefined && { minConfidence }),
    ...(regions.length > 0 && { regions }),
    ...(ignoreRegions.length > 0 && { ignoreRegions }),
    ...(isDetectOnly && { isDetectOnly }),
    ...(audio !== "keep" && { audio }),
  };
  return Object.keys(chosen).length === 0 ? undefined : chosen;
}
