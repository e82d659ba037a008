/** A billing period: the dates (YYYY-MM-DD, UTC) of its first and last day, and the moment after its end. */
export interface BillingPeriod {
  readonly start: string;
  readonly end: string;
  readonly endsAtMs: number;
}

/**
 * The month in UTC, counted from the account's anchor day, that contains `timeMs`. In a month without the anchor day, the
 * period starts on the month's last day.
 *
 * @param anchorDay 1 to 31
 */
export function billingPeriod(timeMs: number, anchorDay: number): BillingPeriod {
  const now = new Date(timeMs);
  const year = now.getUTCFullYear();
  const month = now.getUTCMonth();
  const anchorMs = anchorOf(year, month, anchorDay);
  const [startMs, nextMs] =
    timeMs >= anchorMs
      ? [anchorMs, anchorOf(year, month + 1, anchorDay)]
      : [anchorOf(year, month - 1, anchorDay), anchorMs];
  return { start: dateOf(startMs), end: dateOf(nextMs - 1), endsAtMs: nextMs };
}

function anchorOf(year: number, month: number, anchorDay: number): number {
  const daysInMonth = new Date(Date.UTC(year, month + 1, 0)).getUTCDate();
  return Date.UTC(year, month, Math.min(anchorDay, daysInMonth));
}

function dateOf(timeMs: number): string {
  return new Date(timeMs).toISOString().slice(0, 10);
}
