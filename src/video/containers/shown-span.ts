/** A stretch of a track's packets that is shown, in the track's ticks as its packets tell them. */
export interface ShownSpan {
  readonly startTick: number;
  /** The first tick that is not shown any more. */
  readonly endTick: number;
  /** How much later it is shown than its packets tell. */
  readonly shiftTicks: number;
}

/** The part of a track that is shown. */
export interface ShownTrackTime {
  /** In the order they are shown. */
  readonly spans: readonly ShownSpan[];
  /** What is shown for less time than this is there because a duration was rounded. */
  readonly toleranceTicks: number;
}

/** The shown part if the file does not restrict it: everything. */
export const EVERYTHING: ShownTrackTime = {
  spans: [{ startTick: -Infinity, endTick: Infinity, shiftTicks: 0 }],
  toleranceTicks: 0,
};
