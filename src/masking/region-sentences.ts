import { shownValue } from "../media/media.schemas.ts";
import { checkRegions, type RegionFault } from "./region.schemas.ts";
import type { RequestedRegion } from "./masking-options.ts";

/** More would be read by nobody. */
const MOST_SENTENCES = 10;
/** By so much a last keyframe may pass the end: containers and players round durations in their own ways. */
const TOLERANCE_SECONDS = 1;

/** Regions, or the sentences that say what is wrong with them: where, the value found and what is accepted. */
export function describeRegions(
  field: string,
  value: unknown,
): { readonly value: RequestedRegion[] } | { readonly faults: string[] } {
  const checked = checkRegions(value);
  if ("value" in checked) return checked;
  const sentences = checked.faults.slice(0, MOST_SENTENCES).map((fault) => sentenceOf(field, fault, value));
  return { faults: [...new Set(sentences)] };
}

/** The errors in regions of a photo: times are for videos. */
export function timeFaultsOf(field: string, regions: readonly RequestedRegion[]): string[] {
  return regions
    .flatMap(({ startSeconds, endSeconds, keyframes }, index) => {
      const times = { start_seconds: startSeconds, end_seconds: endSeconds, keyframes };
      return Object.entries(times).flatMap(([name, value]) =>
        value === undefined
          ? []
          : [`\`${field}[${index}].${name}\` is for videos; expected category, box and polygon.`],
      );
    })
    .slice(0, MOST_SENTENCES);
}

/**
 * What is wrong with regions of a video that lasts so long: one that begins later would hide nothing, and a keyframe far behind the end
 * is probably in milliseconds.
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

function sentenceOf(field: string, { path, accepted, unknownName }: RegionFault, value: unknown): string {
  const place = `\`${field}${path.map(stepOf).join("")}\``;
  if (unknownName !== undefined) return `${place} is unknown; expected ${accepted}.`;
  return `${place} is ${describe(valueAt(value, path))}; expected ${accepted}.`;
}

function stepOf(key: PropertyKey): string {
  return typeof key === "number" ? `[${key}]` : `.${String(key).slice(0, 100)}`;
}

function valueAt(value: unknown, path: readonly PropertyKey[]): unknown {
  return path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value,
  );
}

/** A list is described by its length. */
function describe(value: unknown): string {
  return Array.isArray(value) && value.length > 3 ? `a list of ${value.length}` : shownValue(value);
}
