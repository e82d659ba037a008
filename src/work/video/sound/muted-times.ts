import { mergedRanges, type MuteRange } from "../../../records/masking/media-sound.ts";

/** A part of a track that is heard, in seconds by its packets' times, and how much later it is heard than they declare. */
export interface HeardSpan {
  readonly startSeconds: number;
  readonly endSeconds: number;
  readonly shiftSeconds: number;
}

/** When a track's packets begin, in ascending order, and when the last one ends, in seconds. */
export interface PacketTimes {
  readonly startsSeconds: readonly number[];
  readonly endSeconds: number;
}

/** What happens to a packet. */
export const KEPT = 0;
const SILENT = 1;
export const TONE = 2;

/** Some containers round times to milliseconds. */
const ROUNDED_SECONDS = 0.001;

/** Converts ranges of the output into ranges of a track's packets. Both are in seconds, sorted and without overlaps. */
export function rangesOfTrack(ranges: readonly MuteRange[], heard: readonly HeardSpan[]): MuteRange[] {
  const moved = heard.flatMap((span) =>
    ranges.flatMap(({ startSeconds, endSeconds, sound }) => {
      const start = Math.max(span.startSeconds, startSeconds - span.shiftSeconds);
      const end = Math.min(span.endSeconds, endSeconds - span.shiftSeconds);
      if (end <= start) return [];
      return [{ startSeconds: start - ROUNDED_SECONDS, endSeconds: end + ROUNDED_SECONDS, sound }];
    }),
  );
  return mergedRanges(moved);
}

/**
 * Decides what happens to each packet: the code of its fate by index. Packets of codecs with overlapping transforms hold a part
 * of the packets next to them, so `beside` more packets on each side of a range are replaced. Undefined if all packets are kept.
 */
export function packetFates(
  { startsSeconds }: Pick<PacketTimes, "startsSeconds">,
  ranges: readonly MuteRange[],
  beside = 1,
): Uint8Array | undefined {
  const fates = new Uint8Array(startsSeconds.length);
  let isAny = false;
  let next = 0;
  const startOf = (index: number): number => startsSeconds[index] ?? 0;
  for (const index of fates.keys()) {
    const from = index < beside ? -Infinity : startOf(index - beside);
    // Whatever follows the last packet is still its decoded sound.
    const to = index + beside + 1 < fates.length ? startOf(index + beside + 1) : Infinity;
    while ((ranges[next]?.endSeconds ?? Infinity) <= from) next += 1;
    for (let at = next; (ranges[at]?.startSeconds ?? Infinity) < to; at++) {
      isAny = true;
      fates[index] = ranges[at]?.sound === "tone" && fates[index] !== SILENT ? TONE : SILENT;
    }
  }
  return isAny ? fates : undefined;
}

/** Converts ranges of a track's packets into ranges of the output. */
export function rangesOfOutput(
  ranges: readonly { readonly startSeconds: number; readonly endSeconds: number }[],
  heard: readonly HeardSpan[],
): { readonly startSeconds: number; readonly endSeconds: number }[] {
  return heard.flatMap((span) =>
    ranges.flatMap(({ startSeconds, endSeconds }) => {
      const start = Math.max(span.startSeconds, startSeconds);
      const end = Math.min(span.endSeconds, endSeconds);
      if (end <= start) return [];
      return [{ startSeconds: start + span.shiftSeconds, endSeconds: end + span.shiftSeconds }];
    }),
  );
}
