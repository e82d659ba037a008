/** Video counts against its quota in hundredths of a minute. */
export const UNITS_A_MINUTE = 100;

/** How many quota units a video needs; at least one. */
export function quotaUnitsOf(durationSeconds: number): number {
  return Math.max(1, Math.round((durationSeconds / 60) * UNITS_A_MINUTE));
}
