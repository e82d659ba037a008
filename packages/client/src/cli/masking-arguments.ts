import { REDACTION_CATEGORIES, type MuteRange, type RedactionCategory, type Region } from "../types.ts";
import { UsageError, categoriesOf, oneOf } from "./option-values.ts";

export const AUDIO_MODES = ["keep", "mute", "mute_speech"] as const;
/** Tolerance for sums such as 0.58 + 0.42, which may slightly exceed 1. */
const ROUNDING = 1e-9;

/**
 * The least confidence: for all categories from `value`, or for single ones from `category=value` texts.
 *
 * @throws UsageError for another format, or for a category that is not redacted
 */
export function minConfidenceOf(
  texts: readonly string[],
  categories: readonly RedactionCategory[],
): number | Partial<Record<RedactionCategory, number>> {
  const [first = ""] = texts;
  if (texts.length === 1 && !first.includes("=")) return confidenceOf(first, first);
  const entries = texts.map((text) => {
    const [name = "", value = ""] = text.split("=");
    const category = oneOf("--min-confidence", name, REDACTION_CATEGORIES);
    const confidence = confidenceOf(value, text);
    if (!categories.includes(category))
      throw new UsageError(`--min-confidence names ${category}, but --categories does not.`);
    return [category, confidence] as const;
  });
  return Object.fromEntries(entries);
}

function confidenceOf(value: string, text: string): number {
  const confidence = value.trim() === "" ? Number.NaN : Number(value);
  if (!(confidence >= 0 && confidence <= 1))
    throw new UsageError(
      `--min-confidence is ${JSON.stringify(text)}; expected a value from 0 to 1, such as 0.4 or, for one category, heads=0.4.`,
    );
  return confidence;
}

/**
 * A region from `x,y,width,height` in fractions of the picture, optionally followed by `@category` and, for a video,
 * `:start-end` in seconds.
 *
 * @throws UsageError
 */
export function regionOf(text: string): Region {
  const [, area = text, start, end] = /^([^:]*):(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)$/.exec(text) ?? [];
  const [place = "", category] = area.split("@");
  const numbers = place.split(",").map(Number);
  const [x, y, width, height] = numbers;
  if (
    numbers.length !== 4 ||
    !numbers.every(Number.isFinite) ||
    x === undefined ||
    y === undefined ||
    width === undefined ||
    height === undefined
  )
    throw new UsageError(
      `--region is ${JSON.stringify(text)}; expected x,y,width,height in fractions of the picture, such as 0.1,0.2,0.3,0.1, or that with @category, and of a video with :start-end in seconds.`,
    );
  if (x < 0 || y < 0 || width <= 0 || height <= 0 || x + width > 1 + ROUNDING || y + height > 1 + ROUNDING)
    throw new UsageError(
      `--region is ${JSON.stringify(text)}, which does not lie in the picture; expected x,y,width,height as fractions of it from 0 to 1, such as 0.1,0.2,0.3,0.1, not pixels.`,
    );
  const [known] = category === undefined ? [] : categoriesOf([category]);
  return {
    box: { x, y, width, height },
    ...(known !== undefined && { category: known }),
    ...(start !== undefined && { start_seconds: Number(start), end_seconds: Number(end) }),
  };
}

/**
 * A muted range from `start-end` in seconds, optionally followed by `@tone`.
 *
 * @throws UsageError
 */
export function muteRangeOf(text: string): MuteRange {
  const [, start, end, sound] = /^(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)(?:@(silence|tone))?$/.exec(text) ?? [];
  if (start === undefined || end === undefined || Number(end) <= Number(start))
    throw new UsageError(
      `--mute-range is ${JSON.stringify(text)}; expected start-end in seconds, such as 12.5-14, or that with @tone.`,
    );
  return {
    start_seconds: Number(start),
    end_seconds: Number(end),
    sound: sound === "tone" ? "tone" : "silence",
  };
}
