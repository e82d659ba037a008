/** Video counts against its quota in hundredths of a minute. */
export const UNITS_A_MINUTE = 100;

/** What a video takes from its quota; at least one unit. */
export function quotaUnitsOf(durationSeconds: number): number {
  return Math.max(1, Math.round((durationSeconds / 60) * UNITS_A_MINUTE));
}
