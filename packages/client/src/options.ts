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

/** The options as properties of a JSON body; those that are not given are left out. */
export function optionProperties(options: MaskingOptions): Readonly<Record<string, unknown>> {
  const { sensitivity, minConfidence, regions, ignoreRegions, detectOnly, audio } = options;
  const properties = {
    sensitivity,
    min_confidence: minConfidence,
    regions,
    ignore_regions: ignoreRegions,
    detect_only: detectOnly,
    audio,
  };
  return Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== undefined));
}

/** The options as fields of a form: words as they are, everything else as JSON. */
export function optionFields(options: MaskingOptions): (readonly [name: string, value: string])[] {
  return Object.entries(optionProperties(options)).map(([name, value]) => [
    name,
    typeof value === "string" ? value : JSON.stringify(value),
  ]);
}
