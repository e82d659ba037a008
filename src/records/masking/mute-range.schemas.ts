import { z } from "@hono/zod-openapi";
import { MUTE_SOUNDS, mergedRanges, type MuteRange } from "./media-sound.ts";
import { MOST_SENTENCES, faultSentence } from "./region-sentences.ts";
import { seconds } from "./region.schemas.ts";

const MAX_RANGES = 500;
const PROPERTIES = "start_seconds, end_seconds and sound";

/** A muted range in a client's request. */
const muteRangeSchema = z
  .strictObject(
    {
      start_seconds: seconds.openapi({ description: "When it begins, from the first frame shown." }),
      end_seconds: seconds.openapi({ description: "When it ends." }),
      sound: z
        .enum(MUTE_SOUNDS, `one of ${MUTE_SOUNDS.join(", ")}`)
        .default("silence")
        .openapi({ description: "What is heard instead. Vorbis audio becomes silent in both cases." }),
    },
    { error: () => `an object of ${PROPERTIES}` },
  )
  .superRefine(({ start_seconds: start, end_seconds: end }, context) => {
    if (end > start) return;
    context.addIssue({
      code: "custom",
      path: ["end_seconds"],
      message: `a time after start_seconds, ${start}`,
    });
  })
  .openapi("MuteRange");

const mostRanges = `at most ${MAX_RANGES} ranges`;

/** The muted ranges of a request in the OpenAPI document. */
export const muteRangesSchema = z
  .array(muteRangeSchema, "a JSON array of ranges")
  .max(MAX_RANGES, mostRanges);

/** Muted ranges in their stored form, sorted and merged, or sentences that describe their errors. */
export function describeMuteRanges(
  field: string,
  value: unknown,
): { readonly value: MuteRange[] } | { readonly faults: string[] } {
  // The length alone refuses a long list, because checking each item would cost memory and time.
  const isLong = Array.isArray(value) && value.length > MAX_RANGES;
  const result = muteRangesSchema.safeParse(isLong ? value.slice(0, 1) : value);
  if (isLong) return { faults: [faultSentence(field, { path: [], accepted: mostRanges }, value)] };
  if (!result.success) {
    const sentences = result.error.issues.map((issue) => {
      const unknownNames = issue.code === "unrecognized_keys" ? issue.keys : undefined;
      return faultSentence(field, { path: issue.path, accepted: issue.message, unknownNames }, value);
    });
    return { faults: [...new Set(sentences)].slice(0, MOST_SENTENCES) };
  }
  return {
    value: mergedRanges(
      result.data.map(({ start_seconds: startSeconds, end_seconds: endSeconds, sound }) => {
        return { startSeconds, endSeconds, sound };
      }),
    ),
  };
}

/** The errors in ranges of a video with the given duration: a range that starts at the end or later mutes nothing. */
export function lateRangeFaults(
  field: string,
  ranges: readonly MuteRange[],
  durationSeconds: number | null,
): string[] {
  if (durationSeconds === null) return [];
  return ranges
    .filter(({ startSeconds }) => startSeconds >= durationSeconds)
    .slice(0, MOST_SENTENCES)
    .map(
      ({ startSeconds }) =>
        `\`${field}\` has a range that starts at ${startSeconds} seconds; expected a time before the end of the video, ${durationSeconds} seconds.`,
    );
}

/** Ranges in the form in which they can be sent. */
export function muteRangesResponse(ranges: readonly MuteRange[]): z.output<typeof muteRangesSchema> {
  return ranges.map(({ startSeconds, endSeconds, sound }) => {
    return { start_seconds: startSeconds, end_seconds: endSeconds, sound };
  });
}
