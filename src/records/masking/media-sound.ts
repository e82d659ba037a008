import { z } from "zod";
import { MUTE_SOUNDS } from "./mute-ranges.ts";

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
