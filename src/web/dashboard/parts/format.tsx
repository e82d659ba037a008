import type { MediaStatus } from "../../../records/media/media.states.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS, isoDateTime, nowMs } from "../../../ground/platform/clock.ts";

const NUMBER = new Intl.NumberFormat("en");
const DATE_TIME = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short", timeZone: "UTC" });
const DATE = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
const DAY = new Intl.DateTimeFormat("en", { month: "short", day: "numeric", timeZone: "UTC" });

const STATUS_TEXTS = {
  pending: "Uploading",
  queued: "Queued",
  processing: "Processing",
  completed: "Completed",
  failed: "Failed",
  quota_exceeded: "Over quota",
} as const satisfies Record<MediaStatus, string>;

/** A number with thousands separators. */
export function shownNumber(value: number): string {
  return NUMBER.format(value);
}

/** A size in bytes, in the decimal unit that fits it. */
export function shownSize(sizeBytes: number): string {
  const units = ["bytes", "kB", "MB", "GB", "TB"];
  let size = sizeBytes;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit++;
  }
  return `${unit === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${units[unit]}`;
}

/** A duration in words short enough for a table. */
export function shownDuration(durationMs: number): string {
  if (durationMs < SECOND_MS) return `${Math.round(durationMs)} ms`;
  if (durationMs < MINUTE_MS) return `${(durationMs / SECOND_MS).toFixed(1)} s`;
  if (durationMs < HOUR_MS) return `${(durationMs / MINUTE_MS).toFixed(1)} min`;
  return durationMs < DAY_MS
    ? `${(durationMs / HOUR_MS).toFixed(1)} h`
    : `${(durationMs / DAY_MS).toFixed(1)} d`;
}

/** A time, in UTC until a script converts it to the reader's time zone. */
export function Moment({ ms }: { ms: number }) {
  return <time datetime={isoDateTime(ms)}>{momentInUtc(ms)}</time>;
}

/** A time in UTC with its zone, like the times in the log. */
export function momentInUtc(ms: number): string {
  return `${DATE_TIME.format(ms)} UTC`;
}

const FROM_NOW = new Intl.RelativeTimeFormat("en", { numeric: "always" });

/** The time until a future moment in words, such as "in 3 days". */
export function fromNow(ms: number): string {
  const left = Math.max(0, ms - nowMs());
  if (left >= 2 * DAY_MS) return FROM_NOW.format(Math.floor(left / DAY_MS), "day");
  if (left >= 2 * HOUR_MS) return FROM_NOW.format(Math.floor(left / HOUR_MS), "hour");
  return FROM_NOW.format(Math.ceil(left / MINUTE_MS), "minute");
}

/** A date (YYYY-MM-DD) in words. */
export function shownDate(date: string): string {
  return DATE.format(Date.parse(date));
}

/** A date (YYYY-MM-DD) in words, without the year. */
export function shownDay(date: string): string {
  return DAY.format(Date.parse(date));
}

/** A name such as `license_plates` in words. */
export function shownName(name: string): string {
  const text = name.replaceAll("_", " ").replace(/\b(id|qr)\b/g, (word) => word.toUpperCase());
  return `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

/** The status of a media item: a colored dot and its name. */
export function Status({ status }: { status: MediaStatus }) {
  return <span class={`status ${status}`}>{STATUS_TEXTS[status]}</span>;
}

/** The state of a file that will be redacted once it is approved. */
export function ReadyForReview() {
  return <span class="status pending">Ready for review</span>;
}

/** The state of a redacted file that a person should review. */
export function ToReview() {
  return (
    <span class="status completed">
      <span>
        Completed<small>waiting for review</small>
      </span>
    </span>
  );
}

export { STATUS_TEXTS };
