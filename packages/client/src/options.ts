import type { MuteRange, RedactionCategory, Region, Sensitivity } from "./types.ts";

/** The options of an upload besides its categories and method. */
export interface MaskingOptions {
  /** `low` for fewer false masks, `high` for fewer misses. */
  readonly sensitivity?: Sensitivity | undefined;
  /** Exact thresholds instead of `sensitivity`, for all categories or for some. */
  readonly minConfidence?: number | Readonly<Partial<Record<RedactionCategory, number>>> | undefined;
  /** Areas that are always redacted. */
  readonly regions?: readonly Region[] | undefined;
  /** Detections inside one of these are left visible. */
  readonly ignoreRegions?: readonly Region[] | undefined;
  /** Stores the detections but writes no redacted file. */
  readonly detectOnly?: boolean | undefined;
  /** `mute` removes the audio of a video. `mute_speech` silences every part in which somebody speaks. */
  readonly audio?: "keep" | "mute" | "mute_speech" | undefined;
  /** Parts of a video's audio that are always silenced or covered by a tone. */
  readonly muteRanges?: readonly MuteRange[] | undefined;
  /** Whether the redacted file is read again before the media item completes. The account's setting by default. */
  readonly verify?: boolean | undefined;
}

/** The options as properties of a JSON body, without those that are undefined. */
export function optionProperties(options: MaskingOptions): Readonly<Record<string, unknown>> {
  const { sensitivity, minConfidence, regions, ignoreRegions, detectOnly, audio, muteRanges, verify } =
    options;
  const properties = {
    sensitivity,
    min_confidence: minConfidence,
    regions,
    ignore_regions: ignoreRegions,
    detect_only: detectOnly,
    audio,
    mute_ranges: muteRanges,
    verify,
  };
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

/** The options as fields of a form: strings unchanged, everything else as JSON. */
export function optionFields(options: MaskingOptions): (readonly [name: string, value: string])[] {
  return Object.entries(optionProperties(options)).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
}

/**
 * Labels with which a client finds its media again. They do not affect the redaction, and an idempotency key does not compare
 * them: a retry with different labels gets the first response and keeps the first labels.
 */
export interface UploadLabels {
  /** The folder that the file came from, with `/` between its parts. */
  readonly folder?: string | undefined;
  /** Up to 20 texts that are stored with the media. `list` can filter by `external_id`. */
  readonly metadata?: Readonly<Record<string, string>> | undefined;
}

/** The labels as properties of a JSON body, without those that are undefined. */
export function labelProperties({ folder, metadata }: UploadLabels): Readonly<Record<string, unknown>> {
  return { ...(folder !== undefined && { folder }), ...(metadata !== undefined && { metadata }) };
}

/** The labels as fields of a form. */
export function labelFields({ folder, metadata }: UploadLabels): (readonly [name: string, value: string])[] {
  return [
    ...(folder === undefined ? [] : [["folder", folder] as const]),
    ...(metadata === undefined ? [] : [["metadata", JSON.stringify(metadata)] as const]),
  ];
}
