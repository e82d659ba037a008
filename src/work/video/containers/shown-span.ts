/** A range of a track's packets that is shown, in the track's ticks according to its packets. */
export interface ShownSpan {
  readonly startTick: number;
  /** The first tick that is no longer shown. */
  readonly endTick: number;
  /** How many ticks later it is shown than its packets declare. */
  readonly shiftTicks: number;
}

/** The part of a track that is shown. */
export interface ShownTrackTime {
  /** In presentation order. */
  readonly spans: readonly ShownSpan[];
  /** A span shorter than this exists only because a duration was rounded. */
  readonly toleranceTicks: number;
}

/** The shown part of a track that the file does not restrict: everything. */
export const EVERYTHING: ShownTrackTime = {
  spans: [{ startTick: -Infinity, endTick: Infinity, shiftTicks: 0 }],
  toleranceTicks: 0,
};
