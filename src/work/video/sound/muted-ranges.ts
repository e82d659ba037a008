import {
  type HeardSpeech,
  type MutedSound,
  mergedRanges,
  type MuteRange,
} from "../../../records/masking/media-sound.ts";

/** What a video's output mutes: the requested ranges and the found speech, in seconds from the first frame shown. */
export interface MutedParts {
  readonly requested: readonly MuteRange[];
  readonly speech: readonly HeardSpeech[];
}

/** All ranges to mute on the output's timeline, sorted and without overlaps. A requested tone is heard even over speech. */
export function rangesToMute({ requested, speech }: MutedParts, firstFrameSeconds: number): MuteRange[] {
  const silenced = speech.map((heard): MuteRange => ({ ...heard, sound: "silence" }));
  const outside = silenced.flatMap((range) =>
    without(
      range,
      requested.filter(({ sound }) => sound === "tone"),
    ),
  );
  return mergedRanges(
    [...requested, ...outside].map(({ startSeconds, endSeconds, sound }) => ({
      sound,
      startSeconds: startSeconds + firstFrameSeconds,
      endSeconds: endSeconds + firstFrameSeconds,
    })),
  );
}

/** The parts of a range outside others, which are sorted. */
function without(range: MuteRange, others: readonly MuteRange[]): MuteRange[] {
  const parts: MuteRange[] = [];
  let from = range.startSeconds;
  for (const { startSeconds, endSeconds } of others) {
    if (endSeconds <= from || startSeconds >= range.endSeconds) continue;
    if (startSeconds > from) parts.push({ ...range, startSeconds: from, endSeconds: startSeconds });
    from = Math.max(from, endSeconds);
  }
  if (from < range.endSeconds) parts.push({ ...range, startSeconds: from });
  return parts;
}

/** What an output mutes, as it is stored and listed. */
export function listedSound(
  { requested, speech }: MutedParts,
  {
    isTrackSilenced,
    isToneMissing,
    durationSeconds,
  }: { readonly isTrackSilenced: boolean; readonly isToneMissing: boolean; readonly durationSeconds: number },
): MutedSound[] {
  const whole: MutedSound = {
    startSeconds: 0,
    endSeconds: durationSeconds,
    kind: "whole_track",
    sound: "silence",
  };
  const parts: MutedSound[] = [
    ...requested.map(({ sound, ...range }) => ({
      ...range,
      kind: "requested" as const,
      sound: isToneMissing ? ("silence" as const) : sound,
    })),
    ...speech.map((heard) => ({ ...heard, kind: "speech" as const, sound: "silence" as const })),
  ];
  const sorted = parts.toSorted((a, b) => a.startSeconds - b.startSeconds);
  return isTrackSilenced ? [whole, ...sorted] : sorted;
}
