/** The level at which the network distinguishes speech from music best: -40 decibels of full scale. */
const TARGET = 10 ** (-40 / 20);
/** The most amplification, so that the noise of a quiet room stays noise. */
const MOST_GAIN = 10;
/** The level at a moment is measured over this time before and after it. */
const REACH_SECONDS = 4;

/**
 * Scales samples to one level, measured around each moment, and returns them as numbers from -1 to 1. Otherwise, loud music would count as
 * speech and quiet speech as noise.
 *
 * @param windowSamples the level changes linearly from one window to the next
 */
export function leveled(
  samples: Int16Array,
  { windowSamples, samplesPerSecond }: { readonly windowSamples: number; readonly samplesPerSecond: number },
): Float32Array {
  const windows = Math.max(1, Math.ceil(samples.length / windowSamples));
  const sums = new Float64Array(windows + 1);
  for (let index = 0; index < windows; index++) {
    let energy = 0;
    for (const sample of samples.subarray(index * windowSamples, (index + 1) * windowSamples))
      energy += (sample / 32_768) ** 2;
    sums[index + 1] = (sums[index] ?? 0) + energy;
  }
  const reach = Math.round((REACH_SECONDS * samplesPerSecond) / windowSamples);
  const gains = Float64Array.from({ length: windows }, (_, index) => {
    const [from, to] = [Math.max(0, index - reach), Math.min(windows, index + reach + 1)];
    const mean = ((sums[to] ?? 0) - (sums[from] ?? 0)) / ((to - from) * windowSamples);
    return Math.min(MOST_GAIN, TARGET / Math.sqrt(Math.max(mean, Number.MIN_VALUE)));
  });
  return Float32Array.from(samples, (sample, at) => {
    const place = at / windowSamples;
    const index = Math.floor(place);
    const gain = gains[index] ?? 1;
    const next = gains[index + 1] ?? gain;
    return (sample / 32_768) * (gain + (next - gain) * (place - index));
  });
}
