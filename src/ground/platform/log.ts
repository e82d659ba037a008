import { DrizzleQueryError } from "drizzle-orm/errors";
import { isoDateTime, nowMs } from "./clock.ts";

/** Values that may appear in a log line: identifiers, counts, durations and codes, never content. */
export type LogFields = Readonly<Record<string, string | number | boolean | null | undefined>>;

export type LogLevel = "info" | "warn" | "error";

/**
 * Writes one structured event as a JSON line: `time`, `level` and `event`, then its fields. The inference service uses the same names.
 *
 * Fields hold IDs, codes, and measurements with their unit in the name. They never hold pixels, file names, keys, secrets,
 * tokens or bodies.
 */
export function log(level: LogLevel, event: string, fields: LogFields = {}): void {
  const line = JSON.stringify({ time: isoDateTime(nowMs()), level, event, ...fields });
  if (level === "error") console.error(line);
  else if (level === "warn") console.warn(line);
  else console.log(line);
}

/** The fields that describe a caught error: its name and message, never the values involved. */
export function errorFields(error: unknown): { error: string; faultMessage: string } {
  // Drizzle's own message repeats the query's values, such as file names.
  if (error instanceof DrizzleQueryError) return errorFields(error.cause);
  if (error instanceof Error) return { error: error.name, faultMessage: error.message.slice(0, 500) };
  return { error: typeof error, faultMessage: "A value that is not an Error was thrown." };
}
