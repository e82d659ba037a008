import type { DefaultReasons, ReasonTexts } from "./reasons.schemas.ts";
import type { RedactionCategory } from "../../ground/vocabulary/categories.ts";
import type { MediaType } from "../../ground/vocabulary/media-values.ts";
import type { MuteRange } from "./media-sound.ts";
import type { Box, Place } from "../../pixels/geometry/box.ts";

/** The category by which a region without a category is hidden: none of its content is kept. */
export const ANYTHING = "documents";

/** `low` means fewer false masks, `high` fewer misses. */
export const SENSITIVITIES = ["low", "normal", "high"] as const;
type Sensitivity = (typeof SENSITIVITIES)[number];

/** Whether a video's sound is kept, removed, or muted where somebody speaks. */
export const AUDIO_MODES = ["keep", "mute", "mute_speech"] as const;
export type AudioMode = (typeof AUDIO_MODES)[number];

/** The confidence from which detections are hidden, for all categories or for some. */
export type MinConfidence = number | Readonly<Partial<Record<RedactionCategory, number>>>;

/** The box of a video's region at one time. */
interface RegionKeyframe {
  readonly timeSeconds: number;
  readonly box: Box;
}

/**
 * A region that a person requested, in the picture as a viewer shows it. `box` encloses the polygon or all keyframes. Without a
 * category, it is hidden like legible content: none of it is kept.
 */
export interface RequestedRegion extends Place {
  /** ID of its detection, if it was requested with the media that is revised. */
  readonly id?: string | undefined;
  /** Whether it stays visible. A revision also stores the regions of the revised media that it does not hide. */
  readonly isOpen?: boolean | undefined;
  readonly category?: RedactionCategory | undefined;
  /** The code of why it is hidden; null if a person chose none, undefined if nobody has chosen. */
  readonly reason?: string | null | undefined;
  readonly startSeconds?: number | undefined;
  readonly endSeconds?: number | undefined;
  readonly keyframes?: readonly RegionKeyframe[] | undefined;
}

/** The detections that a revision hides: the listed ones, all that are hidden by default, or none, minus the exceptions. */
export interface DetectionChoice {
  readonly redact: readonly string[] | "all" | "none";
  readonly except: readonly string[];
}

/** The options of an upload or revision beyond categories and method. */
export interface MaskingOptions {
  readonly sensitivity: Sensitivity;
  readonly minConfidence?: MinConfidence | undefined;
  /** Hidden regardless of what is detected. */
  readonly regions: readonly RequestedRegion[];
  /** Detections inside one of these are left visible. */
  readonly ignoreRegions: readonly RequestedRegion[];
  readonly isDetectOnly: boolean;
  readonly audio: AudioMode;
  /** Always muted, whether or not speech was found there. Sorted and without overlaps. */
  readonly muteRanges: readonly MuteRange[];
  /** Whether the output is read again. Undefined for the default of its type. */
  readonly isVerified?: boolean | undefined;
  /** Only for a video's revision. */
  readonly choice?: DetectionChoice | undefined;
  /** Only for a video's revision: the codes that people gave to detections, by ID; null for none. */
  readonly reasons?: Readonly<Record<string, string | null>> | undefined;
  /** The texts of the codes in these options, as they were at the time of the request. */
  readonly reasonTexts?: ReasonTexts | undefined;
  /** Only for a video's revision: the default codes at the time of the request. */
  readonly defaultReasons?: DefaultReasons | undefined;
  /** Only for a revision: whether masks that are large enough show their code. */
  readonly burnsInReasons?: boolean | undefined;
}

/** The default options. */
export const DEFAULT_OPTIONS: MaskingOptions = {
  sensitivity: "normal",
  regions: [],
  ignoreRegions: [],
  isDetectOnly: false,
  audio: "keep",
  muteRanges: [],
};

/** Whether an output is read again if neither its upload nor its account says so. */
export const VERIFIED_BY_DEFAULT: Readonly<Record<MediaType, boolean>> = { image: true, video: false };

/** Whether the output of a media item is read again. */
export function isVerifiedBy({ isVerified }: Partial<MaskingOptions>, mediaType: MediaType): boolean {
  return isVerified ?? VERIFIED_BY_DEFAULT[mediaType];
}

/** The options that differ from an upload's defaults. Undefined if none does. */
export function chooseOptions(options: MaskingOptions): Partial<MaskingOptions> | undefined {
  const { sensitivity, minConfidence, regions, ignoreRegions, isDetectOnly, audio, muteRanges } = options;
  const { isVerified, reasonTexts } = options;
  const chosen: Partial<MaskingOptions> = {
    ...(sensitivity !== "normal" && { sensitivity }),
    ...(minConfidence !== undefined && { minConfidence }),
    ...(regions.length > 0 && { regions }),
    ...(ignoreRegions.length > 0 && { ignoreRegions }),
    ...(isDetectOnly && { isDetectOnly }),
    ...(audio !== "keep" && { audio }),
    ...(muteRanges.length > 0 && { muteRanges }),
    ...(isVerified !== undefined && { isVerified }),
    ...(reasonTexts !== undefined && { reasonTexts }),
  };
  return Object.keys(chosen).length === 0 ? undefined : chosen;
}
