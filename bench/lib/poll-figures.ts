/** One value for each of the two routes of the poll benchmark. */
export interface Pair<T> {
  readonly bare: T;
  readonly poll: T;
}

/** The measurements from one fresh runtime. */
export interface PollFigures {
  readonly medianMs: Pair<number>;
  readonly p95Ms: Pair<number>;
  readonly msPerAnswer: Pair<number>;
}

/** Computes the same figure for both routes. */
export function eachRoute<T>(of: (route: keyof Pair<T>) => T): Pair<T> {
  return { bare: of("bare"), poll: of("poll") };
}
