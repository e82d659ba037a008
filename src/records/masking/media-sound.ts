import { z } from "zod";

/** What is heard in a muted range. */
export const MUTE_SOUNDS = ["silence", "tone"] as const;
type MuteSound = (typeof MUTE_SOUNDS)[number];

/** A range of a video's sound to mute, in seconds from the first frame shown. The end is exclusive. */
export interface MuteRange {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly sound: MuteSound;
}

/**
 * Sorts ranges and merges those that overlap or touch. Where ranges of different sounds overlap, the range that starts first
 * keeps its sound.
 */
export function mergedRanges(ranges: readonly MuteRange[]): MuteRange[] {
  const merged: MuteRange[] = [];
  for (const range of ranges.toSorted((a, b) => a.startSeconds - b.startSeconds)) {
    const last = merged.at(-1);
    if (last === undefined || range.startSeconds > last.endSeconds) merged.push(range);
    else if (range.sound === last.sound)
      merged[merged.length - 1] = { ...last, endSeconds: Math.max(last.endSeconds, range.endSeconds) };
    else if (range.endSeconds > last.endSeconds) merged.push({ ...range, startSeconds: last.endSeconds });
  }
  return merged;
}

/** Why sound is muted: somebody speaks, the request names the range, or the track's codec cannot be muted in part. */
export const SOUND_KINDS = ["speech", "requested", "whole_track"] as const;

/** Speech that was found, in seconds from the first frame shown. */
export const heardSpeechSchema = z.object({ startSeconds: z.number(), endSeconds: z.number() });
export type HeardSpeech = z.output<typeof heardSpeechSchema>;

/** A muted part of the output, in seconds from the first frame shown. */
export const mutedSoundSchema = heardSpeechSchema.extend({
  kind: z.enum(SOUND_KINDS),
  sound: z.enum(MUTE_SOUNDS),
});
export type MutedSound = z.output<typeof mutedSoundSchema>;
