import type { InputTrack } from "mediabunny";
import { editOffsetTicks, NORMAL_RATE } from "./edit-list.ts";
import { readMovieHeader, type MovieHeader, type TrackHeader } from "./movie-header.ts";
import type { OpenSource } from "./open-container.ts";
import { EVERYTHING, type ShownSpan, type ShownTrackTime } from "./shown-span.ts";

/** Durations of edits are rounded by less. */
const MOST_ROUNDED_SECONDS = 0.002;

/** What a source's edit lists show of its tracks (ISO/IEC 14496-12 §8.6.6). A source without any shows everything. */
export class ShownTime {
  readonly #movie: MovieHeader | undefined;

  private constructor(movie: MovieHeader | undefined) {
    this.#movie = movie;
  }

  /** Reads the edit lists of a source. @throws ContainerError, StorageReadError */
  static async of({ kind, read, sizeBytes }: OpenSource): Promise<ShownTime> {
    return new ShownTime(kind === "movie" ? await readMovieHeader(read, sizeBytes) : undefined);
  }

  /** How many edits the longest edit list has. */
  get mostEdits(): number {
    return Math.max(0, ...(this.#movie?.tracks ?? []).map(({ edits }) => edits.length));
  }

  /** Whether an edit plays its part of a track at another speed than the track's own. */
  get hasOtherSpeeds(): boolean {
    const edits = (this.#movie?.tracks ?? []).flatMap((track) => track.edits);
    return edits.some(({ mediaTime, rate }) => mediaTime !== -1 && rate !== NORMAL_RATE);
  }

  /** What is shown of a track. */
  ofTrack({ id }: InputTrack): ShownTrackTime {
    const header = this.#movie?.tracks.find((track) => track.id === id);
    if (this.#movie === undefined || header === undefined || header.edits.length === 0) return EVERYTHING;
    return shownTrackTime(header, this.#movie);
  }

  /** When a track ends, in seconds, if its packets last until a time. */
  endSeconds(track: InputTrack, packetsEndSeconds: number, ticksPerSecond: number): number {
    const packetsEnd = packetsEndSeconds * ticksPerSecond;
    const ends = this.ofTrack(track).spans.map(({ startTick, endTick, shiftTicks }) =>
      packetsEnd > startTick ? Math.min(endTick, packetsEnd) + shiftTicks : 0,
    );
    return Math.max(0, ...ends) / ticksPerSecond;
  }
}

function shownTrackTime(header: TrackHeader, movie: MovieHeader): ShownTrackTime {
  const { edits, ticksPerSecond } = header;
  const offset = editOffsetTicks(header, movie.ticksPerSecond);
  const scale = ticksPerSecond / movie.ticksPerSecond;
  const spans: ShownSpan[] = [];
  let movieTicks = 0;
  for (const [index, { duration, mediaTime }] of edits.entries()) {
    const shownTick = Math.round(movieTicks * scale);
    movieTicks += duration;
    if (mediaTime === -1) continue;
    const startTick = mediaTime - offset;
    // An edit without duration lasts until the end of the media. What fragments add is shown by every player.
    const isOpen = duration === 0 || (movie.isFragmented && index === edits.length - 1);
    const endTick = isOpen ? Infinity : startTick + Math.round(movieTicks * scale) - shownTick;
    spans.push({ startTick, endTick, shiftTicks: shownTick - startTick });
  }
  return { spans, toleranceTicks: Math.min(scale, MOST_ROUNDED_SECONDS * ticksPerSecond) };
}
