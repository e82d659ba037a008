/** How far back is looked to tell how fast it goes. */
const WINDOW_MS = 15_000;
/** Before so much time has passed, the speed says little. */
const LEAST_MS = 2_000;

/** Tells how long something takes yet, by how fast it went lately. */
export function createEta() {
  let samples: { atMs: number; done: number }[] = [];
  return {
    /** Forgets what was measured, after a pause. */
    reset() {
      samples = [];
    },
    /**
     * @param done How much is done.
     * @param all How much there is to do.
     * @returns Seconds that are left, if that is known.
     */
    left(done: number, all: number): number | undefined {
      const atMs = performance.now();
      const latest = samples.at(-1);
      // Something is sent again from its beginning.
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
