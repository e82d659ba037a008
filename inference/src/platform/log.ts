import { destination, pino } from "pino";
import { SettingsError } from "./env.ts";

export type Log = pino.Logger;

/**
 * The service's logger. It writes one JSON line per event to standard output, with the field names that the Workers use: `time`, `level`,
 * `event`, `requestId`, `durationMs`, `error`, `faultMessage`. Lines contain counts, sizes and times, never pixels, texts, file names or
 * tokens.
 */
export function createLog(
  level: string,
  stream: pino.DestinationStream = destination({ fd: 1, sync: true }),
): Log {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      messageKey: "message",
      // The Workers have no level above `error`.
      formatters: { level: (label) => ({ level: label === "fatal" ? "error" : label }) },
    },
    stream,
  );
}

/** The fields that describe a caught error. */
export function errorFields(error: unknown): { error: string; faultMessage: string; stack?: string } {
  if (!(error instanceof Error)) return { error: typeof error, faultMessage: String(error) };
  const { name, message, stack } = error;
  const isExplained = error instanceof SettingsError || stack === undefined;
  return { error: name, faultMessage: message, ...(!isExplained && { stack }) };
}
