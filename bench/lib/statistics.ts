/** The middle value; of an even number of values, the mean of the two in the middle. */
export function median(values: readonly number[]): number {
  const sorted = ascending(values);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** The value that a share of all values does not exceed, by nearest rank: `percentile(values, 0.95)`. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = ascending(values);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
}

/** A number as a report shows it. */
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
