/** The time window in which the speed is measured. */
const WINDOW_MS = 15_000;
/** The least time after which the speed is meaningful. */
const LEAST_MS = 2_000;

/** Estimates the remaining time from the recent speed. */
export function createEta() {
  let samples: { atMs: number; done: number }[] = [];
  return {
    /** Discards the measurements after a pause. */
    reset() {
      samples = [];
    },
    /**
     * @param done The amount that is done.
     * @param all The total amount.
     * @returns The remaining seconds, if known.
     */
    left(done: number, all: number): number | undefined {
      const atMs = performance.now();
      const latest = samples.at(-1);
      // A file is being sent again from the beginning.
      if (latest !== undefined && done < latest.done) samples = [];
      if (latest === undefined || atMs - latest.atMs >= 250 || samples.length === 0)
        samples.push({ atMs, done });
      samples = samples.filter((sample) => atMs - sample.atMs <= WINDOW_MS);
      const first = samples[0];
      if (first === undefined || atMs - first.atMs < LEAST_MS || done <= first.done) return undefined;
      return ((all - done) * (atMs - first.atMs)) / (done - first.done) / 1000;
    },
  };
}
