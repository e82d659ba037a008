import type { Edit, TrackHeader } from "./movie-header.ts";

/** The rate of an edit that plays at the media's own speed. Rates are 16.16 numbers. */
export const NORMAL_RATE = 0x10000;
/** Ticks per second are stored in 32 bits. */
const MOST_TICKS_PER_SECOND = 0xffffffff;

/**
 * A track's media time minus its presentation time, in the track's ticks, at the first edit that shows media. This matches
 * mediabunny, from whose timestamps the media times are derived.
 */
export function editOffsetTicks(track: TrackHeader, movieTicksPerSecond: number): number {
  let emptyTicks = 0;
  for (const { duration, mediaTime, rate } of track.edits) {
    if (mediaTime !== -1) {
      if (rate !== NORMAL_RATE) return 0;
      return mediaTime - Math.round((emptyTicks / movieTicksPerSecond) * track.ticksPerSecond);
    }
    emptyTicks += duration;
  }
  return 0;
}

/** A range of a track's media and the time when it is shown, in the track's ticks. */
export interface PlacedSpan {
  readonly mediaTick: number;
  readonly ticks: number;
  readonly shownTick: number;
}

/** A track's media, counted from 0, and the spans of it that are shown. */
export interface ShownTrack {
  readonly ticksPerSecond: number;
  readonly mediaTicks: readonly number[];
  readonly lastSampleTicks: number;
  /** In presentation order. */
  readonly spans: readonly PlacedSpan[];
}

/** The span of media that is shown in one piece and whose first sample begins at `firstTick`. Media before tick 0 is not shown. */
export function wholeSpan(firstTick: number, ticks: number): PlacedSpan[] {
  const mediaTick = Math.max(0, -firstTick);
  return [{ mediaTick, ticks: ticks - mediaTick, shownTick: Math.max(0, firstTick) }];
}

/**
 * Writes the shown spans of tracks as edit lists (ISO/IEC 14496-12 §8.6.6), so that neither composition time offsets nor late
 * fragments are needed. A track that begins late gets an empty edit. The movie's tick rate is raised where needed to express
 * that delay exactly.
 */
export function editsOf(
  tracks: readonly ShownTrack[],
  movieTicksPerSecond: number,
): { ticksPerSecond: number; edits: Edit[][] } {
  let ticksPerSecond = movieTicksPerSecond;
  for (const { ticksPerSecond: trackTicks, spans } of tracks) {
    const lateTicks = spans[0]?.shownTick ?? 0;
    if (lateTicks === 0) continue;
    const needed = trackTicks / greatestDivisor(trackTicks, lateTicks * ticksPerSecond);
    if (ticksPerSecond * needed <= MOST_TICKS_PER_SECOND) ticksPerSecond *= needed;
  }
  return { ticksPerSecond, edits: tracks.map((track) => trackEdits(track, ticksPerSecond)) };
}

function trackEdits(
  { ticksPerSecond: trackTicks, mediaTicks, lastSampleTicks, spans }: ShownTrack,
  ticksPerSecond: number,
): Edit[] {
  const mediaEnd = (mediaTicks.at(-1) ?? 0) + lastSampleTicks;
  const [first] = spans;
  const isWhole = first?.mediaTick === 0 && first.shownTick === 0 && first.ticks >= mediaEnd;
  if (spans.length <= 1 && isWhole) return [];
  const scale = ticksPerSecond / trackTicks;
  const edits: Edit[] = [];
  let end = 0;
  for (const { mediaTick, ticks, shownTick } of spans) {
    const start = Math.round(shownTick * scale);
    if (start > end) edits.push({ duration: start - end, mediaTime: -1, rate: NORMAL_RATE });
    const last = Math.round((shownTick + ticks) * scale);
    if (last > start) edits.push({ duration: last - start, mediaTime: mediaTick, rate: NORMAL_RATE });
    end = Math.max(end, last);
  }
  return edits;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
