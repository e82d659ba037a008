import { shownValue } from "../media/media.schemas.ts";
import { mistakesOf, valueAt } from "./region-mistakes.ts";
import { checkRegions, type RegionFault } from "./region.schemas.ts";
import type { RequestedRegion } from "./masking-options.ts";

/** Most sentences in an answer. Nobody would read more. */
export const MOST_SENTENCES = 10;
const MOST_NAME_CHARACTERS = 100;
/** How far a keyframe may lie past the end. Containers and players round durations differently. */
const TOLERANCE_SECONDS = 1;

/** Regions, or sentences that describe their errors: the place, the value found, and what is accepted. */
export function describeRegions(
  field: string,
  value: unknown,
): { readonly value: RequestedRegion[] } | { readonly faults: string[] } {
  const checked = checkRegions(value);
  if ("value" in checked) return checked;
  const mistakes = mistakesOf(checked.faults, value).slice(0, MOST_SENTENCES);
  return { faults: [...new Set(mistakes.map((fault) => faultSentence(field, fault, value)))] };
}

/** The errors in regions of a photo. Only regions of videos may have times. */
export function timeFaultsOf(field: string, regions: readonly RequestedRegion[]): string[] {
  return regions
    .flatMap(({ startSeconds, endSeconds, keyframes }, index) => {
      const times = { start_seconds: startSeconds, end_seconds: endSeconds, keyframes };
      return Object.entries(times).flatMap(([name, value]) =>
        value === undefined
          ? []
          : [`\`${field}[${index}].${name}\` is for videos; expected category, reason, box and polygon.`],
      );
    })
    .slice(0, MOST_SENTENCES);
}

/** The errors in regions that hide nothing. Only masks carry reasons. */
export function reasonFaultsOf(field: string, regions: readonly RequestedRegion[]): string[] {
  return regions
    .flatMap(({ reason }, index) =>
      reason === undefined
        ? []
        : [`\`${field}[${index}].reason\` is for masks; expected a region without it.`],
    )
    .slice(0, MOST_SENTENCES);
}

/**
 * The errors in regions of a video with the given duration. A region that starts at the end or later would hide nothing, and a
 * keyframe far past the end is probably in milliseconds.
 */
export function lateFaultsOf(
  field: string,
  regions: readonly RequestedRegion[],
  durationSeconds: number | null,
): string[] {
  if (durationSeconds === null) return [];
  return regions
    .flatMap(({ startSeconds = 0, keyframes = [] }, index) => {
      const late = [
        ...(startSeconds < durationSeconds ? [] : [{ name: "start_seconds", time: startSeconds }]),
        ...keyframes.flatMap(({ timeSeconds: time }, at) =>
          time > durationSeconds + TOLERANCE_SECONDS ? [{ name: `keyframes[${at}].time_seconds`, time }] : [],
        ),
      ];
      return late
        .slice(0, 1)
        .map(
          ({ name, time }) =>
            `\`${field}[${index}].${name}\` is ${time}; expected a time before the end of the video, ${durationSeconds} seconds.`,
        );
    })
    .slice(0, MOST_SENTENCES);
}

/** Describes a fault in a list: the place, the value found, and what is accepted. */
export function faultSentence(
  field: string,
  { path, accepted, unknownNames = [] }: RegionFault,
  value: unknown,
): string {
  const [first, ...others] = unknownNames;
  const named = first === undefined || others.length > 0 ? path : [...path, first];
  const place = `\`${field}${named.map(stepOf).join("")}\``;
  if (first === undefined) return `${place} is ${describe(valueAt(value, path))}; expected ${accepted}.`;
  if (others.length === 0) return `${place} is unknown; expected ${accepted}.`;
  const shown = unknownNames.slice(0, MOST_SENTENCES).map((name) => `\`${cutName(name)}\``);
  return `${place} has the unknown properties ${shown.join(", ")}; expected ${accepted}.`;
}

function stepOf(key: PropertyKey): string {
  return typeof key === "number" ? `[${key}]` : `.${cutName(String(key))}`;
}

function cutName(name: string): string {
  return name.slice(0, MOST_NAME_CHARACTERS);
}

/** Describes a value. A long list is described by its length. */
function describe(value: unknown): string {
  return Array.isArray(value) && value.length > 3 ? `a list of ${value.length}` : shownValue(value);
}
