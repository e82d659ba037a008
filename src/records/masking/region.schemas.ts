import { FRACTION_STEPS, roundFraction } from "../../pixels/geometry/fractions.ts";
import { z } from "@hono/zod-openapi";
import { REDACTION_CATEGORIES } from "../../ground/vocabulary/categories.ts";
import { CODE_RULE, isReasonCode, MOST_CODE_CHARACTERS } from "./reasons.schemas.ts";
import { boundsOf, boxAround, type Box, type WrittenBox } from "../../pixels/geometry/box.ts";
import { areaOf, crossingOf } from "../../pixels/geometry/polygon.ts";
import type { RequestedRegion } from "./masking-options.ts";

const MAX_REGIONS = 500;
const MAX_CORNERS = 64;
/** Most keyframes of all regions in a list together, so that a media item's regions fit into one row. */
const MAX_KEYFRAMES = 5_000;
/** Longer than any accepted video. */
const MAX_SECONDS = 86_400;
/** The rounding error by which the sum of two fractions may exceed 1. */
const ROUNDING = 1e-6;
/** A smaller share of a picture is less than one pixel. */
const LEAST_AREA = 1e-9;

// Each message describes what is accepted. `describeRegions` turns it into a sentence with the place and the value.
const fraction = z
  .number("a number from 0 to 1")
  .min(0, "a number from 0 to 1")
  .max(1, "a number from 0 to 1");
const extent = z
  .number("a number above 0, up to 1")
  .gt(0, "a number above 0, up to 1")
  .max(1, "a number above 0, up to 1");
/** A time in a client's request. */
export const seconds = z
  .number("a number of seconds, 0 or more")
  .min(0, "a number of seconds, 0 or more")
  .max(MAX_SECONDS, `at most ${MAX_SECONDS} seconds`);

/** A box in a client's request. */
export const boxSchema = z
  .strictObject(
    {
      x: fraction.openapi({ description: "Left edge, as a fraction of the picture's width." }),
      y: fraction.openapi({ description: "Top edge, as a fraction of the picture's height." }),
      width: extent.openapi({ description: "Width, as a fraction of the picture's width." }),
      height: extent.openapi({ description: "Height, as a fraction of the picture's height." }),
    },
    naming("x, y, width and height"),
  )
  .superRefine((box, context) => {
    const { x, y, width, height } = box;
    // If one side is refused by itself, that also explains the box.
    const isRefused = Math.min(x, y) < 0 || Math.max(x, y, width, height) > 1 || Math.min(width, height) <= 0;
    if (isRefused) return;
    const addFault = (message: string): void => context.addIssue({ code: "custom", message });
    const isWide = x + width > 1 + ROUNDING;
    const isTall = y + height > 1 + ROUNDING;
    if (isWide) addFault("a box within the picture: x + width up to 1");
    if (isTall) addFault("a box within the picture: y + height up to 1");
    // Checks the rounded values that are stored, so that the stored box also has an area.
    const hasArea = keptSpan(x, width)[1] > 0 && keptSpan(y, height)[1] > 0;
    if (!isWide && !isTall && !hasArea) addFault("a box with an area");
  });

const corners = `3 to ${MAX_CORNERS} corners [x, y]`;
const polygonSchema = z
  .array(
    // The OpenAPI document's linter requires `items`, which a tuple does not have.
    z
      .tuple([fraction, fraction], "two numbers [x, y] from 0 to 1")
      .openapi({ type: "array", items: { type: "number" }, minItems: 2, maxItems: 2 }),
    corners,
  )
  .min(3, corners)
  .max(MAX_CORNERS, corners)
  .superRefine((polygon, context) => {
    if (polygon.length < 3) return;
    const crossing = crossingOf(polygon);
    // Checks the rounded values that are stored, so that the stored polygon also has an area.
    const kept = polygon.map(([x, y]) => [roundFraction(x), roundFraction(y)] as const);
    if (areaOf(kept) < LEAST_AREA && crossing === undefined) {
      context.addIssue({ code: "custom", message: "a polygon with an area" });
    } else if (crossing !== undefined) {
      const [first, second] = crossing;
      const message = `a polygon whose sides do not cross; those from corners ${first} and ${second} do`;
      context.addIssue({ code: "custom", message });
    }
  });

const keyframesSchema = z
  .array(
    z.strictObject(
      {
        time_seconds: seconds.openapi({ description: "The time in seconds from the first frame shown." }),
        box: boxSchema.openapi({ description: "Where it is then." }),
      },
      naming("time_seconds and box"),
    ),
    "a list of keyframes",
  )
  .min(1, "at least one keyframe")
  .superRefine((keyframes, context) => {
    for (const [index, { time_seconds: time }] of keyframes.entries()) {
      const before = keyframes[index - 1];
      if (before === undefined || before.time_seconds < time) continue;
      const message = `a time after that of the keyframe before, ${before.time_seconds}`;
      context.addIssue({ code: "custom", path: [index, "time_seconds"], message });
    }
  });

/** The code of a reason in a client's request. Whether the account has it is checked later. */
export const reasonCodeSchema = z
  .string(`a code of a reason: ${CODE_RULE}`)
  .refine(isReasonCode, `a code of a reason: ${CODE_RULE}`)
  .openapi({ minLength: 1, maxLength: MOST_CODE_CHARACTERS });

/** The accepted shapes of a region. */
export const ONE_SHAPE = "exactly one of box, polygon and keyframes";
const PROPERTIES = "category, reason, box, polygon, start_seconds, end_seconds and keyframes";

/** A region in a client's request. */
export const regionSchema = z
  .strictObject(
    {
      category: z
        .enum(REDACTION_CATEGORIES, `one of ${REDACTION_CATEGORIES.join(", ")}`)
        .optional()
        .openapi({ description: "What is there. Without it, the area is erased completely, as text is." }),
      reason: reasonCodeSchema.nullable().optional().openapi({
        description:
          "Why it is hidden: a code of the account's list of reasons, or null for none. By default, that of its category. Not for `ignore_regions`.",
        example: "(b)(6)",
      }),
      box: boxSchema.optional().openapi({ description: "The area, if it is a box." }),
      polygon: polygonSchema.optional().openapi({
        description: "The area, if it is a polygon: corners [x, y] in fractions. Its convex hull is hidden.",
      }),
      start_seconds: seconds.optional().openapi({
        description:
          "Videos only: when it begins, in seconds from the first frame shown. By default at the start.",
      }),
      end_seconds: seconds.optional().openapi({
        description: "Videos only: when it ends, in seconds. By default at the end of the video.",
      }),
      keyframes: keyframesSchema.optional().openapi({
        description:
          "Videos only: a box that moves. It moves at constant speed from one keyframe to the next.",
      }),
    },
    naming(PROPERTIES),
  )
  .superRefine(({ box, polygon, keyframes, start_seconds: start = 0, end_seconds: end }, context) => {
    if ([box, polygon, keyframes].filter((shape) => shape !== undefined).length !== 1)
      context.addIssue({ code: "custom", message: ONE_SHAPE });
    if (end !== undefined && end <= start)
      context.addIssue({
        code: "custom",
        path: ["end_seconds"],
        message: `a time after start_seconds, ${start}`,
      });
  })
  .openapi("Region", {
    description:
      "An area of the picture as a person sees it, in fractions 0…1 from the left and the top: a box, or a polygon of 3 to 64 corners, whose convex hull is hidden. Regions of videos can have a start and an end, and keyframes instead of a box; the box moves at constant speed from one keyframe to the next.",
  });

const regionsSchema = z
  .array(regionSchema, "a JSON array of regions")
  .max(MAX_REGIONS, `at most ${MAX_REGIONS} regions`)
  .refine(
    (regions) => regions.reduce((sum, { keyframes = [] }) => sum + keyframes.length, 0) <= MAX_KEYFRAMES,
    `at most ${MAX_KEYFRAMES} keyframes in all`,
  );

/** The error for an object, also used if it has an unknown property. */
function naming(properties: string): { error: () => string } {
  return { error: () => `an object of ${properties}` };
}

/** An error in a list of regions: the place, and what is accepted there. */
export interface RegionFault {
  readonly path: readonly PropertyKey[];
  readonly accepted: string;
  /** The unknown properties, if they are the mistake. */
  readonly unknownNames?: readonly string[] | undefined;
}

/** Regions in their stored form, or their faults. */
export function checkRegions(
  value: unknown,
): { readonly value: RequestedRegion[] } | { readonly faults: RegionFault[] } {
  const sizes = sizeFaults(value);
  if (sizes.length > 0) return { faults: sizes };
  const result = regionsSchema.safeParse(value);
  if (result.success) return { value: result.data.map(requestedRegion) };
  return {
    faults: result.error.issues.map((issue): RegionFault => {
      const { path, message: accepted } = issue;
      return { path, accepted, unknownNames: issue.code === "unrecognized_keys" ? issue.keys : undefined };
    }),
  };
}

/** Refuses lists that are too long by their length alone. Checking each of their items would cost memory and time. */
function sizeFaults(value: unknown): RegionFault[] {
  if (!Array.isArray(value)) return [];
  const regions: readonly unknown[] = value;
  if (regions.length > MAX_REGIONS) return [{ path: [], accepted: `at most ${MAX_REGIONS} regions` }];
  return regions.flatMap(lengthFaults);
}

function lengthFaults(region: unknown, index: number): RegionFault[] {
  const { polygon, keyframes } = Object(region) as {
    readonly polygon?: unknown;
    readonly keyframes?: unknown;
  };
  const faults: RegionFault[] = [];
  if (isLonger(polygon, MAX_CORNERS)) faults.push({ path: [index, "polygon"], accepted: corners });
  if (isLonger(keyframes, MAX_KEYFRAMES))
    faults.push({ path: [index, "keyframes"], accepted: `at most ${MAX_KEYFRAMES} keyframes in all` });
  return faults;
}

function isLonger(value: unknown, most: number): boolean {
  return Array.isArray(value) && value.length > most;
}

function requestedRegion(region: z.output<typeof regionSchema>): RequestedRegion {
  const { category, reason, box, polygon, keyframes } = region;
  const { start_seconds: startSeconds, end_seconds: endSeconds } = region;
  const points = polygon?.map(([x, y]) => [roundFraction(x), roundFraction(y)] as const);
  const moves = keyframes?.map((keyframe) => ({
    timeSeconds: keyframe.time_seconds,
    box: boxOf(keyframe.box),
  }));
  const held = (): Box =>
    points === undefined ? boxAround(moves?.map((move) => move.box) ?? []) : boundsOf(points);
  return {
    category,
    reason,
    box: box === undefined ? held() : boxOf(box),
    polygon: points,
    startSeconds,
    endSeconds,
    keyframes: moves,
  };
}

function boxOf({ x, y, width, height }: WrittenBox): Box {
  const [left, keptWidth] = keptSpan(x, width);
  const [top, keptHeight] = keptSpan(y, height);
  return [left, top, keptWidth, keptHeight];
}

/** The start and length of a side as they are stored: rounded outward, so that the requested area is covered to its edge. */
function keptSpan(start: number, length: number): readonly [start: number, length: number] {
  const from = Math.floor(start * FRACTION_STEPS + ROUNDING) / FRACTION_STEPS;
  const to = Math.min(1, Math.ceil((start + length) * FRACTION_STEPS - ROUNDING) / FRACTION_STEPS);
  return [from, roundFraction(to - from)];
}
