/** The two routes of the poll benchmark, or what was measured of each. */
export interface Pair<T> {
  readonly bare: T;
  readonly poll: T;
}

/** What one fresh runtime showed. */
export interface PollFigures {
  readonly medianMs: Pair<number>;
  readonly p95Ms: Pair<number>;
  readonly msPerAnswer: Pair<number>;
}

/** The same figure of both routes. */
export function eachRoute<T>(of: (route: keyof Pair<T>) => T): Pair<T> {
  return { bare: of("bare"), poll: of("poll") };
}
