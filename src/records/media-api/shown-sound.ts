import type { MediaSound } from "../masking/media-sound.repository.ts";
import { mergedRanges } from "../masking/mute-ranges.ts";
import type { DetectionsResponse } from "./detections.schemas.ts";

type ShownSound = NonNullable<DetectionsResponse["sound"]>[number];

/** Speech and muted sound as the API lists them, in order. Found speech is listed whether or not it is muted. */
export function shownSound({ muted, speech }: MediaSound): ShownSound[] {
  const silent = mergedRanges(
    muted.map(({ startSeconds, endSeconds }) => ({ startSeconds, endSeconds, sound: "silence" })),
  );
  const isMuted = (startSeconds: number, endSeconds: number): boolean =>
    silent.some((range) => range.startSeconds <= startSeconds && range.endSeconds >= endSeconds);
  // The source's speech may be deleted with its media item. What this version muted of it is stored with the version.
  const known = new Set(speech.map(({ startSeconds }) => startSeconds));
  const shown: ShownSound[] = [
    ...muted
      .filter(({ kind, startSeconds }) => kind !== "speech" || !known.has(startSeconds))
      .map(({ startSeconds, endSeconds, kind, sound }) => {
        return { start_seconds: startSeconds, end_seconds: endSeconds, kind, sound, redacted: true };
      }),
    ...speech.map(({ startSeconds, endSeconds }) => ({
      start_seconds: startSeconds,
      end_seconds: endSeconds,
      kind: "speech" as const,
      sound: "silence" as const,
      redacted: isMuted(startSeconds, endSeconds),
    })),
  ];
  return shown
    .filter(({ end_seconds: end }) => end > 0)
    .map((one) => Object.assign(one, { start_seconds: Math.max(0, one.start_seconds) }))
    .toSorted((a, b) => a.start_seconds - b.start_seconds);
}
