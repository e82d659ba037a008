/** Milliseconds since the Unix epoch. All code reads the time here, so that tests control it in one place. */
export function nowMs(): number {
  return Date.now();
}

export const SECOND_MS = 1000;
export const MINUTE_MS = 60 * SECOND_MS;
export const HOUR_MS = 60 * MINUTE_MS;
export const DAY_MS = 24 * HOUR_MS;

/** ISO 8601 date-time with offset, the format of times in the contract. Null stays null. */
export function isoDateTime(ms: number): string;
export function isoDateTime(ms: number | null): string | null;
export function isoDateTime(ms: number | null): string | null {
  return ms === null ? null : new Date(ms).toISOString();
}
