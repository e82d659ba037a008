import type { Edit, TrackHeader } from "./movie-header.ts";

/** An edit plays at the media's own speed; other rates are 16.16 numbers. */
const NORMAL_RATE = 0x10000;
/** Ticks a second are told in 32 bits. */
const MOST_TICKS_PER_SECOND = 0xffffffff;

/**
 * How far a track's media time is ahead of its presentation time, in the track's ticks, by the first edit that shows something:
 * the same reading as mediabunny's, from whose timestamps media times are worked back.
 */
function editOffsetTicks(track: TrackHeader, movieTicksPerSecond: number): number {
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

/** A track's samples as they are shown, in its own ticks. */
export interface ShownTrack {
  readonly header: TrackHeader;
  readonly shownTicks: readonly number[];
  readonly lastSampleTicks: number;
}

/** A track whose media begins at 0, and the edits that show it when the source did. */
export interface PlacedTrack {
  readonly mediaTicks: readonly number[];
  /** Durations in the ticks of the placed movie. */
  readonly edits: readonly Edit[];
}

/**
 * Moves every track's media to begin at 0 and changes its edits accordingly (ISO/IEC 14496-12 §8.6.6), so that neither offsets of
 * composition times nor late fragments are needed. What begins late gets an empty edit; the movie's ticks are made fine enough
 * to tell it exactly.
 */
export function placeTracks(
  tracks: readonly ShownTrack[],
  movieTicksPerSecond: number,
): { ticksPerSecond: number; tracks: PlacedTrack[] } {
  const moved = tracks.map((track) => moveToStart(track, movieTicksPerSecond));
  let factor = 1;
  for (const [index, { edits }] of moved.entries()) {
    const trackTicks = tracks[index]?.header.ticksPerSecond ?? 1;
    for (const { lateTicks } of edits) {
      if (lateTicks === 0) continue;
      const needed = trackTicks / greatestDivisor(trackTicks, lateTicks * movieTicksPerSecond * factor);
      if (movieTicksPerSecond * factor * needed <= MOST_TICKS_PER_SECOND) factor *= needed;
    }
  }
  const ticksPerSecond = movieTicksPerSecond * factor;
  return {
    ticksPerSecond,
    tracks: moved.map(({ mediaTicks, edits }, index) => {
      const scale = ticksPerSecond / (tracks[index]?.header.ticksPerSecond ?? 1);
      const mediaDuration = ((mediaTicks.at(-1) ?? 0) + (tracks[index]?.lastSampleTicks ?? 0)) * scale;
      const placed = edits.flatMap((edit) => placeEdit(edit, { factor, scale, mediaDuration }));
      return { mediaTicks, edits: placed };
    }),
  };
}

/** An edit that begins so many of the track's ticks before there is any media. */
interface MovedEdit extends Edit {
  readonly lateTicks: number;
}

function moveToStart(
  { header, shownTicks }: ShownTrack,
  movieTicksPerSecond: number,
): { mediaTicks: number[]; edits: MovedEdit[] } {
  const firstTick = (shownTicks[0] ?? 0) + editOffsetTicks(header, movieTicksPerSecond);
  const mediaTicks = shownTicks.map((tick) => tick - (shownTicks[0] ?? 0));
  const whole: Edit = { duration: 0, mediaTime: 0, rate: NORMAL_RATE };
  const source = header.edits.length === 0 && firstTick !== 0 ? [whole] : header.edits;
  const edits = source.map((edit): MovedEdit => {
    const { duration, rate } = edit;
    if (edit.mediaTime < 0) return { duration, mediaTime: edit.mediaTime, rate, lateTicks: 0 };
    const mediaTime = edit.mediaTime - firstTick;
    return { duration, mediaTime: Math.max(0, mediaTime), rate, lateTicks: Math.max(0, -mediaTime) };
  });
  return { mediaTicks, edits };
}

/** An edit in the placed movie's ticks. One without duration lasts until the end of the media, as in fragmented files. */
function placeEdit(
  { duration, mediaTime, rate, lateTicks }: MovedEdit,
  { factor, scale, mediaDuration }: { factor: number; scale: number; mediaDuration: number },
): Edit[] {
  if (mediaTime < 0) return [{ duration: duration * factor, mediaTime, rate }];
  const late = Math.round(lateTicks * scale);
  const shown =
    duration > 0
      ? Math.max(0, duration * factor - late)
      : Math.max(0, Math.ceil(mediaDuration - mediaTime * scale));
  const edit = { duration: shown, mediaTime, rate };
  return late > 0 ? [{ duration: late, mediaTime: -1, rate: NORMAL_RATE }, edit] : [edit];
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}
