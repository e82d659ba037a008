/** A range of time, in seconds from the first sample. */
export interface TimeRange {
  readonly start: number;
  readonly end: number;
}

/** How the probabilities of windows become ranges. A missed word stays audible, but a muted pause can be undone. */
export interface SpeechRule {
  /** Probability from which a window may be speech. */
  readonly from: number;
  /** A pause up to this long does not end a range. */
  readonly pauseSeconds: number;
  /** A range counts if the probabilities around it reach this average for this long. Single notes of music do not. */
  readonly average: number;
  readonly averageSeconds: number;
  /** Added before and after a range, because the first and last sounds of a word are faint. */
  readonly marginSeconds: number;
}

/** The ranges in which somebody speaks. `probabilities` holds one value for each window of `windowSeconds`. */
export function speechRanges(
  probabilities: Float32Array,
  windowSeconds: number,
  { from, pauseSeconds, average, averageSeconds, marginSeconds }: SpeechRule,
): TimeRange[] {
  const endSeconds = probabilities.length * windowSeconds;
  const averages = movingAverages(probabilities, Math.max(1, Math.floor(averageSeconds / windowSeconds)));
  const wide: { start: number; end: number }[] = [];
  for (const [first, end] of runs(probabilities, from, pauseSeconds / windowSeconds)) {
    if (!averages.subarray(first, end).some((value) => value >= average)) continue;
    const range = {
      start: Math.max(0, first * windowSeconds - marginSeconds),
      end: Math.min(endSeconds, end * windowSeconds + marginSeconds),
    };
    const last = wide.at(-1);
    if (last !== undefined && range.start <= last.end) last.end = range.end;
    else wide.push(range);
  }
  return wide;
}

/** Runs of windows with at least a probability, joined over pauses of at most `mostPause` windows: first and end. */
function runs(probabilities: Float32Array, from: number, mostPause: number): [first: number, end: number][] {
  const found: [number, number][] = [];
  for (const [index, probability] of probabilities.entries()) {
    if (probability < from) continue;
    const last = found.at(-1);
    if (last !== undefined && index - last[1] <= mostPause) last[1] = index + 1;
    else found.push([index, index + 1]);
  }
  return found;
}

/** For each window, the largest average of any `count` consecutive windows that include it. */
function movingAverages(probabilities: Float32Array, count: number): Float32Array {
  const largest = new Float32Array(probabilities.length);
  let sum = 0;
  for (const [end, probability] of probabilities.entries()) {
    sum += probability - (probabilities[end - count] ?? 0);
    for (let index = Math.max(0, end - count + 1); index <= end; index++)
      largest[index] = Math.max(largest[index] ?? 0, sum / count);
  }
  return largest;
}
