/** The median. For an even number of values, it is the mean of the middle two. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** The nearest-rank percentile: `percentile(values, 0.95)` is the value that 95% of all values do not exceed. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = ascending(values);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** Rounds a number for a report. */
export function rounded(value: number, decimals = 2): number {
  return Number(value.toFixed(decimals));
}

/** Runs `call` and returns how long it took, in milliseconds. */
export async function timed(call: () => Promise<unknown>): Promise<number> {
  const startedAtMs = performance.now();
  await call();
  return performance.now() - startedAtMs;
}

function ascending(values: readonly number[]): number[] {
  return [...values].sort((a, b) => a - b);
}
