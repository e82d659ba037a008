import type { InputTrack } from "mediabunny";
import { earliestTick } from "./earliest-block.ts";
import { editOffsetTicks, NORMAL_RATE } from "./edit-list.ts";
import { readMatroskaHeader, type MatroskaHeader } from "./matroska-header.ts";
import { readMovieHeader, type MovieHeader, type TrackHeader } from "./movie-header.ts";
import type { OpenSource } from "./open-container.ts";
import { EVERYTHING, type ShownSpan, type ShownTrackTime } from "./shown-span.ts";

/** Rounding changes an edit's duration by less than this. */
const MOST_ROUNDED_SECONDS = 0.002;

/** A source's header, by container. */
export interface SourceHeaders {
  readonly movie?: MovieHeader;
  readonly matroska?: MatroskaHeader;
}

/**
 * Which parts of a source's tracks are shown, and when. Edit lists define them (ISO/IEC 14496-12 §8.6.6); a source without edit
 * lists is shown completely. A Matroska file that begins before 0 is shown later by that much, as players do.
 */
export class ShownTime {
  /** The source's header. An AVI has none. */
  readonly headers: SourceHeaders;
  /** How many ticks later a Matroska file is shown than its blocks declare. */
  readonly shiftTicks: number;

  private constructor(headers: SourceHeaders, shiftTicks: number) {
    this.headers = headers;
    this.shiftTicks = shiftTicks;
  }

  /** Reads the edit lists of a source or the times of its first blocks. @throws ContainerError, StorageReadError */
  static async of({
    kind,
    read,
    sizeBytes,
  }: Pick<OpenSource, "kind" | "read" | "sizeBytes">): Promise<ShownTime> {
    if (kind === "movie") return new ShownTime({ movie: await readMovieHeader(read, sizeBytes) }, 0);
    if (kind === "avi") return new ShownTime({}, 0);
    const matroska = await readMatroskaHeader(read, sizeBytes);
    return new ShownTime({ matroska }, -(await earliestTick(matroska, { read, sizeBytes })));
  }

  /** How many edits the longest edit list has. */
  get mostEdits(): number {
    return Math.max(0, ...(this.headers.movie?.tracks ?? []).map(({ edits }) => edits.length));
  }

  /** Whether an edit plays its part of a track at a speed other than the track's own. */
  get hasOtherSpeeds(): boolean {
    const edits = (this.headers.movie?.tracks ?? []).flatMap((track) => track.edits);
    return edits.some(({ mediaTime, rate }) => mediaTime !== -1 && rate !== NORMAL_RATE);
  }

  /** The part of a track that is shown. */
  ofTrack({ id }: InputTrack): ShownTrackTime {
    if (this.shiftTicks > 0) {
      const whole = { startTick: -Infinity, endTick: Infinity, shiftTicks: this.shiftTicks };
      return { spans: [whole], toleranceTicks: 0 };
    }
    const header = this.headers.movie?.tracks.find((track) => track.id === id);
    if (this.headers.movie === undefined || header === undefined || header.edits.length === 0)
      return EVERYTHING;
    return shownTrackTime(header, this.headers.movie);
  }

  /** When a track ends, in seconds, if its packets end at `packetsEndSeconds`. */
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
    // An edit without a duration lasts until the end of the media. Every player shows what fragments add.
    const isOpen = duration === 0 || (movie.isFragmented && index === edits.length - 1);
    const endTick = isOpen ? Infinity : startTick + Math.round(movieTicks * scale) - shownTick;
    spans.push({ startTick, endTick, shiftTicks: shownTick - startTick });
  }
  return { spans, toleranceTicks: Math.min(scale, MOST_ROUNDED_SECONDS * ticksPerSecond) };
}
