import type { RedactionCategory, Region, Sensitivity } from "./types.ts";

/** What an upload may ask for beyond its categories and method. */
export interface MaskingOptions {
  /** `low` for fewer false masks, `high` for fewer misses. */
  readonly sensitivity?: Sensitivity | undefined;
  /** Exact thresholds in its place, for all categories or for some. */
  readonly minConfidence?: number | Readonly<Partial<Record<RedactionCategory, number>>> | undefined;
  /** Redacted whatever is detected. */
  readonly regions?: readonly Region[] | undefined;
  /** What is detected inside one of these is left as it is. */
  readonly ignoreRegions?: readonly Region[] | undefined;
  /** Looks and keeps the detections, but writes no redacted file. */
  readonly detectOnly?: boolean | undefined;
  /** `mute` removes the sound of a video. */
  readonly audio?: "keep" | "mute" | undefined;
}

/** The options as fields of the form; those that are not given are left out. */
export function optionFields(options: MaskingOptions): (readonly [name: string, value: string])[] {
  const { sensitivity, minConfidence, regions, ignoreRegions, detectOnly, audio } = options;
  const fields: readonly (readonly [string, string | undefined])[] = [
    ["sensitivity", sensitivity],
    ["min_confidence", minConfidence === undefined ? undefined : JSON.stringify(minConfidence)],
    ["regions", regions === undefined ? undefined : JSON.stringify(regions)],
    ["ignore_regions", ignoreRegions === undefined ? undefined : JSON.stringify(ignoreRegions)],
    ["detect_only", detectOnly === undefined ? undefined : String(detectOnly)],
    ["audio", audio],
  ];
  return fields.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}
